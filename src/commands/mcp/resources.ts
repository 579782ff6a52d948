import { Failure } from '../../contract/errors.ts';
import { isObject, type JsonObject } from '../../values/json-object.ts';
import type { Offer } from './tools.ts';

/** The kinds of records whose names complete a variable. */
export type NameSource = 'contacts' | 'organizations' | 'lists' | 'events';

/** A kind of resource as data. A tool reads it, and it is offered only with the tool. */
interface ResourceKind {
  /** The URI, in which `{id}` is a reference to a record, such as its id or name. */
  readonly template: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: 'text/plain' | 'text/markdown';
  readonly tool: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The parameter of the tool that takes the reference. */
  readonly parameter: string;
  readonly names: NameSource;
}

const kinds: readonly ResourceKind[] = [
  {
    template: 'kith://contacts/{id}',
    name: 'contact',
    title: 'A contact with its organization, open entries, notes and meetings',
    mimeType: 'text/plain',
    tool: 'records_show',
    values: { noun: 'contacts' },
    parameter: 'id',
    names: 'contacts',
  },
  {
    template: 'kith://organizations/{id}',
    name: 'organization',
    title: 'An organization with its people, open entries, notes and meetings',
    mimeType: 'text/plain',
    tool: 'records_show',
    values: { noun: 'organizations' },
    parameter: 'id',
    names: 'organizations',
  },
  {
    template: 'kith://lists/{id}',
    name: 'list',
    title: 'A list or process with its statuses and fields',
    mimeType: 'text/plain',
    tool: 'records_get',
    values: { noun: 'lists' },
    parameter: 'id',
    names: 'lists',
  },
  {
    template: 'kith://lists/{id}/entries',
    name: 'entries',
    title: 'The first 100 entries of a list or process',
    mimeType: 'text/plain',
    tool: 'entries_read',
    values: { view: 'list', limit: 100 },
    parameter: 'list',
    names: 'lists',
  },
  {
    template: 'kith://meetings/{id}/summary',
    name: 'summary',
    title: 'The summary of a meeting',
    mimeType: 'text/markdown',
    tool: 'recordings_read',
    values: { part: 'summary' },
    parameter: 'id',
    names: 'events',
  },
  {
    template: 'kith://meetings/{id}/transcript',
    name: 'transcript',
    title: 'The transcript of a meeting',
    mimeType: 'text/plain',
    tool: 'recordings_read',
    values: { part: 'transcript' },
    parameter: 'id',
    names: 'events',
  },
];

/** Calls a tool, and returns its texts and its structured content. @throws {Failure} if it fails */
export type ToolReader = (
  tool: string,
  values: JsonObject,
) => Promise<{ text: string; structured: JsonObject }>;

/** Whether a server offers the command of a tool that the values select. */
const isOffered = ({ tools }: Offer, tool: string, values: JsonObject = {}) =>
  tools.some(
    ({ name, selector = '', variants }) => name === tool && variants.has(String(values[selector] ?? '')),
  );

const listKinds = (offer: Offer) => kinds.filter(({ tool, values }) => isOffered(offer, tool, values));

export function listTemplates(offer: Offer) {
  return listKinds(offer).map(({ template, name, title, mimeType }) => ({
    uriTemplate: template,
    name,
    title,
    description: `${title}. {id}: its id, or another reference such as a name, percent-encoded.`,
    mimeType,
  }));
}

/** Returns the source of names for the variable of a template; undefined if there is no such template. */
export const findTemplateNames = (
  offer: Offer,
  template: string,
  variable: string,
): NameSource | undefined =>
  variable === 'id' ? listKinds(offer).find((kind) => kind.template === template)?.names : undefined;

/** Reads a resource. @throws {Failure} not_found if no offered resource has such a URI */
export async function readResource(offer: Offer, uri: string, read: ToolReader) {
  for (const { template, tool, values, parameter, mimeType } of listKinds(offer)) {
    const [start = '', end = ''] = template.split('{id}');
    const id =
      uri.startsWith(start) && uri.endsWith(end) ? uri.slice(start.length, uri.length - end.length) : '';
    if (id === '' || id.includes('/')) continue;
    const { text } = await read(tool, { ...values, [parameter]: decodeId(id, uri) });
    return { contents: [{ uri, mimeType, text }] };
  }
  throw new Failure('not_found', `No resource has the URI ${JSON.stringify(uri)}.`);
}

function decodeId(id: string, uri: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new Failure('not_found', `The URI ${JSON.stringify(uri)} is not encoded correctly.`);
  }
}

/** The cursor of the second page of resources. */
const meetingsCursor = 'meetings';

/** The number of meetings among the listed resources. */
const meetingCount = 25;

/**
 * Lists the lists of the workspace, and on a second page the latest meetings with summaries. Other records are found
 * with tools and completion.
 * @throws {Failure} usage if the cursor is unknown
 */
export async function listResources(offer: Offer, cursor: string | undefined, read: ToolReader) {
  const noun = 'lists';
  const hasLists = isOffered(offer, 'records_get', { noun }) && isOffered(offer, 'records_list', { noun });
  const hasMeetings =
    isOffered(offer, 'recordings_read', { part: 'summary' }) && isOffered(offer, 'events_list');
  if (cursor !== undefined && cursor !== meetingsCursor)
    throw new Failure('usage', `${JSON.stringify(cursor)} is not a cursor of this list.`);
  if (cursor === undefined && hasLists) {
    const values = { noun, limit: 100, fields: 'id,name' };
    const records = readRecords((await read('records_list', values)).structured);
    const resources = records.map(({ id, name }) => toResource('kith://lists/{id}', id, name));
    return { resources, ...(hasMeetings && { nextCursor: meetingsCursor }) };
  }
  if (!hasMeetings) return { resources: [] };
  const values = { limit: meetingCount, fields: 'id,title,start_at' };
  const records = readRecords((await read('events_list', values)).structured);
  const resources = records.map(({ id, title, start_at: start }) =>
    toResource('kith://meetings/{id}/summary', id, `${String(start).slice(0, 10)} ${String(title)}`),
  );
  return { resources };
}

const readRecords = ({ records }: JsonObject): readonly JsonObject[] =>
  Array.isArray(records) ? records.filter(isObject) : [];

function toResource(template: string, id: unknown, name: unknown) {
  const kind = kinds.find((candidate) => candidate.template === template);
  const uri = template.replace('{id}', encodeURIComponent(String(id)));
  return { uri, name: String(name), title: String(name), mimeType: kind?.mimeType, description: kind?.title };
}
