import { Failure, isRecordFailure } from '../contract/errors.ts';
import { buildRequest, type PathNames, type Route, type WireRequest } from '../contract/grammar.ts';
import type { RouteRecord } from '../contract/received.ts';
import { sanitizeLine } from '../render/text/sanitize.ts';
import { type View, views } from '../render/views.ts';
import { indentJson, parseRawJson } from '../values/raw-json.ts';
import {
  type CommandResult,
  type InteractionDescriber,
  toRecordResult,
  toRecordsResult,
  toTextResult,
} from './command.ts';
import type { Session } from './context.ts';
import { confirmDeletion } from './interaction.ts';

/**
 * Sends one write and returns the record; with --dry-run only previews the request. `params` are the path
 * parameters. The service validates the body, which may have fields that kith does not know.
 */
export async function writeRecord<R extends Route>(
  session: Session,
  route: R,
  params: Readonly<Record<PathNames<R['path']>, string>>,
  body: Readonly<Record<string, unknown>>,
  view: View,
): Promise<CommandResult<RouteRecord<R> | null>> {
  const stray = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (stray !== undefined)
    throw new Failure('usage', `--data: "${stray}" belongs to the path, not to the body.`);
  const input = { ...body, ...params };
  if (session.globals.dryRun) return previewRequests([buildRequest(route, input)]);
  const record = await (await session.client()).record(route, input);
  if (record.value !== null) return { kind: 'record', record, view };
  await session.note('Done. The service did not return the record.');
  return toTextResult('', null);
}

interface Deletion {
  /** The noun of one: `contact`. */
  readonly what: string;
  readonly ids: readonly string[];
  /** Returns the name of a record and the records deleted with it, for the confirmation prompt. */
  readonly describe: (id: string) => Promise<string>;
  /** Returns what --dry-run shows. */
  readonly preview: (ids: readonly string[]) => CommandResult | Promise<CommandResult>;
  /** Deletes a record and returns its id. */
  readonly remove: (id: string) => Promise<string>;
}

/** Calls a function with the id of a record, given by its id or another reference. */
export type IdResolver = <T>(text: string, call: (id: string) => Promise<T>) => Promise<T>;

const isId: IdResolver = (id, call) => call(id);

/** Maximum number of records that the confirmation prompt names. */
const maxNamed = 10;

/** Explains that a deletion without --yes needs a person. */
export const describeDeletePrompt: InteractionDescriber = (_, { yes, dryRun }) =>
  yes || dryRun ? undefined : 'asks before it deletes: add --yes';

/** Deletes records with a route of the interface; see `deleteEach`. */
export function deleteRecords<R extends Route>(
  session: Session,
  route: R,
  params: (id: string) => Readonly<Record<PathNames<R['path']>, string>>,
  { withId = isId, ...deletion }: Omit<Deletion, 'preview' | 'remove'> & { readonly withId?: IdResolver },
): Promise<CommandResult> {
  return deleteEach(session, {
    ...deletion,
    preview: async (ids) => {
      const requests: WireRequest[] = [];
      for (const id of ids) requests.push(await withId(id, async (id) => buildRequest(route, params(id))));
      return previewRequests(requests);
    },
    remove: (id) =>
      withId(id, async (id) => {
        await (await session.client()).record(route, params(id));
        return id;
      }),
  });
}

/**
 * Deletes records independently, after a confirmation: one that fails does not stop the others. If some of several
 * ids fail, the result has a failure that names them: `partial`, or their own code if all fail with the same one.
 */
export async function deleteEach(session: Session, deletion: Deletion): Promise<CommandResult> {
  const { preview, remove, what, describe } = deletion;
  const ids = [...new Set(deletion.ids)];
  if (session.globals.dryRun) return preview(ids);
  await confirmDeletion(session, async () => {
    const names = await Promise.all(ids.slice(0, maxNamed).map(describe));
    const more = ids.length > maxNamed ? `; and ${ids.length - maxNamed} more` : '';
    return `Delete ${ids.length === 1 ? what : `these ${ids.length}`}: ${names.join('; ')}${more}?`;
  });
  const failed: { id: string; failure: Failure }[] = [];
  const deleted: { id: string; deleted: true }[] = [];
  for (const id of ids) {
    try {
      deleted.push({ id: await remove(id), deleted: true });
    } catch (error) {
      if (!(error instanceof Failure) || ids.length === 1) throw error;
      failed.push({ id, failure: error });
      if (!isRecordFailure(error)) break;
    }
  }
  const [first] = deleted;
  if (ids.length === 1 && first) return toRecordResult(first, views.deleted);
  return {
    ...toRecordsResult(deleted, views.deleted),
    failure: failed.length > 0 ? createDeleteFailure(failed, ids.length, deleted.length) : undefined,
  };
}

/** Describes a record for the confirmation prompt: its id and its name, if any, truncated. */
export async function describeRecord(id: string, name: unknown): Promise<string> {
  if (typeof name !== 'string' || name.trim() === '') return id;
  const { truncate } = await import('../render/text/width.ts');
  return `${id} (${truncate(sanitizeLine(name), 40)})`;
}

function createDeleteFailure(
  failed: readonly { id: string; failure: Failure }[],
  all: number,
  deleted: number,
): Failure {
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
