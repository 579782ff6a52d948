import { Failure } from '../../contract/errors.ts';
import { buildRequest, type PathNames, type Route, type WireRequest } from '../../contract/grammar.ts';
import type { RouteRecord } from '../../contract/received.ts';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import { views } from '../../render/views.ts';
import { readObject } from '../../values/json-object.ts';
import { indentJson, parseRawJson, toRawJson } from '../../values/raw-json.ts';
import { hasSentValues } from '../../writes/bodies.ts';
import { type CommandResult, type InteractionDescriber, toTextResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';

/**
 * Sends one write and returns the record. With --dry-run, only previews the request. `params`: the path parameters.
 * `ifMatch`: the entity tag of the version to change; `before`: the record before an update, if it was read. Only the service validates the body, so it may have fields
 * unknown to kith.
 */
export async function writeRecord<R extends Route>(
  session: Session,
  noun: WritableNoun,
  route: R,
  params: Readonly<Record<PathNames<R['path']>, string>>,
  body: Readonly<Record<string, unknown>>,
  { ifMatch, before }: { readonly ifMatch?: string | undefined; readonly before?: unknown } = {},
): Promise<CommandResult<RouteRecord<R> | null>> {
  const strayName = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (strayName !== undefined)
    throw new Failure('usage', `--data: "${strayName}" belongs to the path, not to the body.`);
  const input = { ...body, ...params };
  if (session.globals.dryRun) return previewWrites(session, [buildRequest(route, input)]);
  if (session.call.skipsUnchanged && before && hasSentValues(body, readObject(before)))
    // `readBefore` has read the record.
    return {
      kind: 'record',
      record: toRawJson(before as RouteRecord<R>),
      view: views[noun],
      isReadOnly: true,
    };
  const record = await (await session.client()).record(route, input, { ifMatch });
  if (record.value === null) {
    await session.messages.note('Done. The service did not return the record.');
    return toTextResult('', null);
  }
  const id = route.method === 'POST' ? '' : (Object.values<string>(params).at(-1) ?? '');
  await noteWrite(session, ({ describeWrite }) =>
    describeWrite(noun, route, readObject(record.value), { body, id, before }),
  );
  return { kind: 'record', record, view: views[noun], sentBody: body };
}

/** Whether to print notes about writes: only at a terminal. A log or the mail of a cron job has only the result. */
export const hasWriteNotes = ({ streams: { stderr }, globals }: Session) =>
  stderr.isTerminal && !globals.quiet;

/** Whether to show the planned changes on stderr: as part of a question, or for the log of a script. */
export const showsPlan = (session: Session, isAsked: boolean) =>
  isAsked || (!session.globals.quiet && !session.messages.printsJson());

/** Notes a completed write in a terminal. */
export async function noteWrite(
  session: Session,
  describe: (labels: typeof import('./record-labels.ts')) => string,
): Promise<void> {
  if (hasWriteNotes(session)) await session.messages.note(describe(await import('./record-labels.ts')));
}

/** Explains that a deletion without --yes needs a terminal. */
export const describeDeletePrompt: InteractionDescriber = (_, { yes, dryRun }) =>
  yes || dryRun ? undefined : 'asks before it deletes: add --yes';

/** Checks writes as the service does, and returns them as --dry-run prints them. @throws {Failure} invalid, too_large */
export async function previewWrites(
  session: Session,
  requests: readonly WireRequest[],
): Promise<CommandResult<never>> {
  const { checkWrites } = await import('./check-writes.ts');
  await checkWrites(session, requests);
  return previewRequests(requests);
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
