import { Failure, isRecordFailure } from '../../contract/errors.ts';
import { buildRequest, type PathNames, type Route, type WireRequest } from '../../contract/grammar.ts';
import type { RouteRecord } from '../../contract/received.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import { views } from '../../render/views.ts';
import { readObject } from '../../values/json-object.ts';
import { indentJson, parseRawJson } from '../../values/raw-json.ts';
import type { DeletedRecord } from '../undo/deletion-question.ts';
import {
  type CommandResult,
  type InteractionDescriber,
  toRecordResult,
  toRecordsResult,
  toTextResult,
} from './command.ts';
import type { Session } from './context.ts';
import { confirmDeletion } from './interaction.ts';
import type { WrittenNoun } from './record-labels.ts';

/**
 * Sends one write and returns the record; with --dry-run only previews the request. `params` are the path
 * parameters, `ifMatch` is the entity tag of the version to change. The service validates the body, which may have fields
 * that kith does not know.
 */
export async function writeRecord<R extends Route>(
  session: Session,
  noun: WritableNoun,
  route: R,
  params: Readonly<Record<PathNames<R['path']>, string>>,
  body: Readonly<Record<string, unknown>>,
  ifMatch?: string,
): Promise<CommandResult<RouteRecord<R> | null>> {
  const stray = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (stray !== undefined)
    throw new Failure('usage', `--data: "${stray}" belongs to the path, not to the body.`);
  const input = { ...body, ...params };
  if (session.globals.dryRun) return previewRequests([buildRequest(route, input)]);
  const record = await (await session.client()).record(route, input, { ifMatch });
  if (record.value === null) {
    await session.note('Done. The service did not return the record.');
    return toTextResult('', null);
  }
  const id = route.method === 'POST' ? '' : (Object.values<string>(params).at(-1) ?? '');
  await noteWrite(session, ({ describeWrite }) =>
    describeWrite(noun, route, readObject(record.value), { body, id }),
  );
  return { kind: 'record', record, view: views[noun] };
}

/** Whether writes are noted: a person is at the terminal. A log or the mail of a cron job has only the result. */
const hasWriteNotes = ({ stderr, globals }: Session) => stderr.isTerminal && !globals.quiet;

/** Notes a completed write in a terminal. */
async function noteWrite(
  session: Session,
  describe: (labels: typeof import('./record-labels.ts')) => string,
): Promise<void> {
  if (hasWriteNotes(session)) await session.note(describe(await import('./record-labels.ts')));
}

interface Deletion {
  readonly noun: WrittenNoun;
  readonly ids: readonly string[];
  /** Returns a record as the confirmation prompt names it. */
  readonly describe: (id: string) => Promise<DeletedRecord>;
  /** Returns what --dry-run shows. */
  readonly preview: (ids: readonly string[]) => CommandResult | Promise<CommandResult>;
  /** Deletes a record and returns its id. */
  readonly remove: (id: string) => Promise<string>;
}

/** Explains that a deletion without --yes needs a person. */
export const describeDeletePrompt: InteractionDescriber = (_, { yes, dryRun }) =>
  yes || dryRun ? undefined : 'asks before it deletes: add --yes';

/** A deletion with a route of the interface. */
interface RecordDeletion<R extends Route> extends Omit<Deletion, 'preview' | 'remove'> {
  readonly toParams: (id: string) => Readonly<Record<PathNames<R['path']>, string>>;
}

/** Deletes records with a route of the interface; see `deleteEach`. */
export function deleteRecords<R extends Route>(
  session: Session,
  route: R,
  { toParams, ...deletion }: RecordDeletion<R>,
): Promise<CommandResult> {
  const collection = route.path.split('/').at(-2) ?? '';
  return deleteEach(session, {
    ...deletion,
    preview: (ids) => previewRequests(ids.map((id) => buildRequest(route, toParams(id)))),
    async remove(word) {
      await (await session.client()).record(route, toParams(word));
      return session.pathIds.getId(collection, word);
    },
  });
}

/**
 * Deletes records independently, after a confirmation: one that fails does not stop the others. If some of several
 * ids fail, the result has a failure that names them: `partial`, or their own code if all fail with the same one.
 */
export async function deleteEach(session: Session, deletion: Deletion): Promise<CommandResult> {
  const { preview, noun, describe } = deletion;
  const ids = [...new Set(deletion.ids)];
  if (session.globals.dryRun) return preview(ids);
  let records: readonly DeletedRecord[] = [];
  await confirmDeletion(session, async () => {
    const { buildDeletionQuestion, maxNamed } = await import('../undo/deletion-question.ts');
    records = await Promise.all(ids.slice(0, maxNamed).map(describe));
    return buildDeletionQuestion(session, noun, records, ids);
  });
  const { deleted, failed } = await removeEach(ids, deletion);
  const deletedIds = deleted.map(({ id }) => id);
  if (deletedIds.length > 0)
    await noteWrite(session, ({ describeDeletion }) => describeDeletion(noun, deletedIds, records));
  const [first] = deleted;
  if (ids.length === 1 && first)
    return withoutRepetition(session, toRecordResult(first, views.deleted), first);
  return {
    ...withoutRepetition(session, toRecordsResult(deleted, views.deleted), deleted),
    failure: failed.length > 0 ? createDeleteFailure(failed, ids.length, deleted.length) : undefined,
  };
}

interface DeletedId {
  readonly id: string;
  readonly deleted: true;
}

interface FailedDeletion {
  readonly id: string;
  readonly failure: Failure;
}

/** @throws {Failure} if a single id fails; with several ids only usage, and only before the first deletion */
async function removeEach(ids: readonly string[], { remove }: Deletion) {
  const outcomes = new Map<string, DeletedId | FailedDeletion>();
  let hasDeleted = false;
  // Words that look like names come first: an ambiguous one ends the command before anything is deleted.
  const isLikelyId = (word: string) => Number(/\d|^[a-z]{6,}$/.test(word));
  for (const id of ids.toSorted((one, other) => isLikelyId(one) - isLikelyId(other))) {
    try {
      outcomes.set(id, { id: await remove(id), deleted: true });
      hasDeleted = true;
    } catch (error) {
      if (!(error instanceof Failure) || ids.length === 1) throw error;
      if (error.code === 'usage' && !hasDeleted) throw error;
      outcomes.set(id, { id, failure: error });
      if (!isRecordFailure(error)) break;
    }
  }
  const inOrder = ids.flatMap((id) => outcomes.get(id) ?? []);
  return {
    deleted: inOrder.filter((outcome) => 'deleted' in outcome),
    failed: inOrder.filter((outcome) => 'failure' in outcome),
  };
}

/** Returns an empty text instead of a result that a terminal has just shown as a note. */
function withoutRepetition(session: Session, result: CommandResult, json: unknown): CommandResult {
  const { format, jq, fields } = session.globals;
  const isSelected = session.globals.json || [format, jq, fields].some((flag) => flag !== undefined);
  return session.stdout.isTerminal && hasWriteNotes(session) && !isSelected ? toTextResult('', json) : result;
}

function createDeleteFailure(failed: readonly FailedDeletion[], all: number, deleted: number): Failure {
  const reasons = failed.map(({ id, failure }) => `${id} (${failure.message.replace(/\.$/, '')})`).join('; ');
  const untried = all - deleted - failed.length;
  const [code = 'partial', ...others] = new Set(failed.map(({ failure }) => failure.code));
  return new Failure(
    deleted === 0 && others.length === 0 ? code : 'partial',
    `Not deleted: ${reasons}.${untried > 0 ? ` Not tried: ${untried}.` : ''}`,
  );
}

/** Returns requests as --dry-run prints them. */
export function previewRequests(requests: readonly WireRequest[]): CommandResult<never> {
  const previews = requests.map(({ method, path, query, body, text }) => {
    const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
    const json = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const request = { method, path: search.size > 0 ? `${path}?${search}` : path };
    const line = `${method} ${request.path}\n`;
    if (json === undefined) return { text: line, json: JSON.stringify(request) };
    return {
      text: `${line}${indentJson(json)}\n`,
      json: `${JSON.stringify(request).slice(0, -1)},"body":${json}}`,
    };
  });
  const texts = previews.map(({ json }) => json);
  const [only = ''] = texts;
  return {
    kind: 'text',
    text: previews.map(({ text }) => text).join(''),
    json: parseRawJson(texts.length === 1 ? only : `[${texts.join(',')}]`),
  };
}
