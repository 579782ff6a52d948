import { Failure, isRecordFailure } from '../contract/errors.ts';
import { buildRequest, type PathNames, type Route, type WireRequest } from '../contract/grammar.ts';
import { sanitizeLine } from '../render/sanitize.ts';
import type { View } from '../render/views.ts';
import { views } from '../render/views.ts';
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
 * Sends one write and answers with the record that it made; with --dry-run only shows the request. `params` are
 * those of the path. The service checks the body, which may hold more than this program knows.
 */
export async function writeRecord<R extends Route>(
  session: Session,
  route: R,
  params: Readonly<Record<PathNames<R['path']>, string>>,
  body: Readonly<Record<string, unknown>>,
  view: View,
): Promise<CommandResult> {
  const stray = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (stray !== undefined)
    throw new Failure('usage', `--data: "${stray}" is part of the path, not of the body.`);
  const input = { ...body, ...params };
  if (session.globals.dryRun) return previewRequests([buildRequest(route, input)]);
  const record = await (await session.client()).record(route, input);
  if (record.value !== null) return { kind: 'record', record, view };
  await session.note('Done; the service answered without the record.');
  return toTextResult('', null);
}

/** The records to delete. */
interface Deletion {
  /** The noun of one: `contact`. */
  readonly what: string;
  readonly ids: readonly string[];
  /** Returns the name of a record and the records deleted with it, for the confirmation prompt. */
  readonly named: (id: string) => Promise<string>;
}

/** How records are deleted. */
interface Removal extends Deletion {
  /** Returns what --dry-run shows. */
  readonly preview: (ids: readonly string[]) => Promise<CommandResult>;
  /** Returns the function that deletes one; called after the confirmation. */
  readonly remover: () => Promise<(id: string) => Promise<unknown>>;
}

/** Records to delete with a route of the interface. */
interface RouteDeletion<R extends Route> extends Deletion {
  readonly route: R;
  readonly params: (id: string) => Readonly<Record<PathNames<R['path']>, string>>;
}

/** Records that a question names. */
const asked = 10;

/** What needs a person where something is deleted. */
export const describeDeletePrompt: InteractionDescriber = (_, { yes, dryRun }) =>
  yes || dryRun ? undefined : 'asks before it deletes: add --yes';

/** Deletes records with a route of the interface; see `deleteEach`. */
export async function deleteRecords<R extends Route>(
  session: Session,
  { route, params, ...deletion }: RouteDeletion<R>,
): Promise<CommandResult> {
  return deleteEach(session, {
    ...deletion,
    preview: async (ids) => previewRequests(ids.map((id) => buildRequest(route, params(id)))),
    remover: async () => {
      const client = await session.client();
      return (id) => client.record(route, params(id));
    },
  });
}

/**
 * Deletes records independently: one that fails does not stop the others. Asks first. With several ids of which
 * some fail the answer has the failure `partial`, which names them; where all fail alike, it is of their code.
 */
export async function deleteEach(session: Session, removal: Removal): Promise<CommandResult> {
  const { preview, remover, what, named } = removal;
  const ids = [...new Set(removal.ids)];
  if (session.globals.dryRun) return preview(ids);
  await confirmDeletion(session, async () => {
    const names = await Promise.all(ids.slice(0, asked).map(named));
    const more = ids.length > asked ? `; and ${ids.length - asked} more` : '';
    return `Delete ${ids.length === 1 ? what : `these ${ids.length}`}: ${names.join('; ')}${more}?`;
  });
  const remove = await remover();
  const failed: { id: string; failure: Failure }[] = [];
  const gone: { id: string; deleted: true }[] = [];
  for (const id of ids) {
    try {
      await remove(id);
      gone.push({ id, deleted: true });
    } catch (error) {
      if (!(error instanceof Failure) || ids.length === 1) throw error;
      failed.push({ id, failure: error });
      if (!isRecordFailure(error)) break;
    }
  }
  const [first] = gone;
  if (ids.length === 1 && first) return toRecordResult(first, views.deleted);
  return {
    ...toRecordsResult(gone, views.deleted),
    failure: failed.length > 0 ? notAll(failed, ids.length, gone.length) : undefined,
  };
}

/** A record for the question: its id, and what it is called where that is known; a long text is cut. */
export async function describeRecord(id: string, called: unknown): Promise<string> {
  if (typeof called !== 'string' || called.trim() === '') return id;
  const { truncate } = await import('../render/width.ts');
  return `${id} (${truncate(sanitizeLine(called), 40)})`;
}

function notAll(failed: readonly { id: string; failure: Failure }[], all: number, gone: number): Failure {
  const told = failed.map(({ id, failure }) => `${id} (${failure.message.replace(/\.$/, '')})`).join('; ');
  const untried = all - gone - failed.length;
  const codes = new Set(failed.map(({ failure }) => failure.code));
  const [code = 'partial', ...others] = codes;
  return new Failure(
    gone === 0 && others.length === 0 ? code : 'partial',
    `Not deleted: ${told}.${untried > 0 ? ` Not tried: ${untried}.` : ''}`,
  );
}

/** Requests as they would be sent. */
export function previewRequests(requests: readonly WireRequest[]): CommandResult {
  const shown = requests.map(({ method, path, query, body, text }) => ({
    method,
    path: query.length > 0 ? `${path}?${searchOf(query)}` : path,
    body: text ?? (body === undefined ? undefined : JSON.stringify(body)),
  }));
  const lines = shown.map(({ method, path, body }) =>
    body === undefined ? `${method} ${path}\n` : `${method} ${path}\n${indentJson(body)}\n`,
  );
  const texts = shown.map(({ body, ...request }) => {
    const text = JSON.stringify(request);
    return body === undefined ? text : `${text.slice(0, -1)},"body":${body}}`;
  });
  const [only = '', ...others] = texts;
  const json = others.length === 0 ? only : `[${texts.join(',')}]`;
  return { kind: 'text', text: lines.join(''), json: parseRawJson(json) };
}

function searchOf(query: WireRequest['query']): string {
  const search = new URLSearchParams();
  for (const [name, value] of query) search.append(name, value);
  return search.toString();
}
