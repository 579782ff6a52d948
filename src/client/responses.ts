import { Failure, type FailureCode, type FieldError, failures, lostWriteHint } from '../contract/errors.ts';
import type { Route, WireRequest, WireResponse } from '../contract/grammar.ts';
import { createRecordNormalizer, type RouteRecord } from '../contract/received.ts';
import { isObject, readObject } from '../values/json-object.ts';
import {
  findRawMember,
  listRawElements,
  parseJson,
  type RawJson,
  replaceMemberValue,
  replaceValue,
  toRawJson,
} from '../values/raw-json.ts';
import { splitRawList } from '../values/raw-json-list.ts';
import { parseRetryAfter } from '../values/retry-after.ts';

/** One page of a list. A part that the service did not send is undefined. */
export interface ListPage<T = unknown> {
  readonly data: readonly RawJson<T>[];
  /** The offset of the next page. */
  readonly end: number | undefined;
  readonly hasMore: boolean | undefined;
  readonly total: number | undefined;
  /** The time of the service's clock when it responded. */
  readonly at?: Date;
}

/** A record with the entity tag of its version; undefined if the service sends no tag or a weak tag. */
export interface TaggedRecord<T = unknown> extends RawJson<T> {
  readonly etag?: string | undefined;
}

/** Returns the record with the strong entity tag of its response. A proxy that compresses makes tags weak. */
export function addEntityTag<T>(record: RawJson<T>, { headers: { etag } }: WireResponse): TaggedRecord<T> {
  return etag === undefined || etag.startsWith('W/') ? record : Object.assign(record, { etag });
}

/** Gives the value of a record the shape of the contract. @throws {Failure} failed, or unknown for a write */
export type Normalize<T> = (value: unknown) => T;

/** Returns the function that normalizes the records in the response to a request. */
export function createNormalizer<R extends Route>(route: R, request: WireRequest): Normalize<RouteRecord<R>> {
  const { method, path } = request;
  return createRecordNormalizer(route, (problem) =>
    createUnreadableFailure(request, `The response to ${method} ${path} has ${problem}.`),
  );
}

const readInteger = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);

/**
 * Parses a list: `{data, pagination}`, `{data}`, or a bare array. A record of a response with text only is parsed when
 * its value is read. @throws {Failure} failed for anything else
 */
export function parsePage<T>(
  response: WireResponse,
  request: WireRequest,
  normalize: Normalize<T>,
): ListPage<T> {
  const list = readList(response, request, normalize);
  if (!list) throw createShapeFailure(response, request, 'a list of records');
  const { end_cursor, has_next_page, total_count } = readObject(list.pagination);
  const at = new Date(response.headers.date ?? Number.NaN);
  return {
    data: list.data,
    end: readInteger(end_cursor),
    hasMore: typeof has_next_page === 'boolean' ? has_next_page : undefined,
    total: readInteger(total_count),
    ...(Number.isNaN(at.getTime()) ? {} : { at }),
  };
}

/** The result of a lookup that finds nothing. */
export const emptyPage = { data: [], end: undefined, hasMore: undefined, total: undefined };

/** Parses the response to a lookup: a list, one record, or no record. @throws {Failure} failed for anything else */
export function parseMatches<T>(
  response: WireResponse,
  request: WireRequest,
  normalize: Normalize<T>,
): ListPage<T> {
  const { body } = response;
  if (isEmptyBody(body)) return emptyPage;
  const isRecord = isObject(body) && !Array.isArray(body.data) && ('id' in body || isObject(body.data));
  if (!isRecord) return parsePage(response, request, normalize);
  return { ...emptyPage, data: [parseRecord(response, request, normalize)] };
}

/** Whether a body says that there is no record. */
export const isEmptyBody = (body: unknown) =>
  body === null || (isObject(body) && body.data === null && !('id' in body));

/** Reads the records of a page and its pagination; undefined if the body is not a list. */
function readList<T>(response: WireResponse, request: WireRequest, normalize: Normalize<T>) {
  if (response.body === undefined) {
    const list = splitRawList(response.text ?? '', (record) => normalize(parseJson(record)));
    if (list) return { data: list.elements, pagination: readObject(list.frame).pagination };
  }
  const body = readBody(response);
  checkDepth(body, request);
  const raw = toRaw({ ...response, body });
  const values = isObject(body) ? body.data : body;
  const list = isObject(body) ? findRawMember(raw, 'data') : raw;
  if (!list || !Array.isArray(values)) return undefined;
  const data = listRawElements(list).map((element, index) => replaceValue(element, normalize(values[index])));
  return { data, pagination: readObject(body).pagination };
}

const readBody = ({ body, text = '' }: WireResponse) => (body === undefined ? parseBody(text) : body);

/** The maximum nesting depth of a response. Later code is recursive and calls itself for each level. */
const maxDepth = 500;

/** @throws {Failure} failed, or unknown for a write, if the value of a response is nested more deeply than any record */
function checkDepth(body: unknown, request: WireRequest): void {
  const problem = `The response is JSON, but nested more than ${maxDepth} levels deep.`;
  if (isDeeperThan(body, maxDepth)) throw createUnreadableFailure(request, problem);
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, depth - 1));
  // Object.values would create an array for each word of a transcript.
  for (const name in value) {
    if (isDeeperThan(value[name as keyof typeof value], depth - 1)) return true;
  }
  return false;
}

/** Returns the JSON value of a text, or the text if it is not JSON; undefined for an empty text. */
export function parseBody(text: string): unknown {
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** Parses a record, bare or as `{data: record}`. @throws {Failure} not_found for none, failed for anything else */
export function parseRecord<T>(
  response: WireResponse,
  request: WireRequest,
  normalize: Normalize<T>,
): RawJson<T> {
  const { body } = response;
  if (isEmptyBody(body)) {
    const { method, path } = request;
    throw new Failure('not_found', `The service has no record at ${path}.`, { method, path });
  }
  checkDepth(body, request);
  const isList = isObject(body) && Array.isArray(body.data) && !('id' in body);
  if (!isObject(body) || isList) throw createShapeFailure(response, request, 'a record');
  const isWrapped = isObject(body.data) && !('id' in body);
  const raw = toRaw(response);
  return isWrapped
    ? replaceMemberValue(raw, 'data', normalize(body.data))
    : replaceValue(raw, normalize(body));
}

function toRaw({ body, text }: WireResponse): RawJson {
  return text === undefined ? toRawJson(body) : { text, value: body };
}

/** Returns the failure for a successful response that cannot be used. A write may be done nevertheless. */
export function createUnreadableFailure(request: WireRequest, message: string, cause?: unknown): Failure {
  const { method, path } = request;
  if (method === 'GET') {
    return new Failure('failed', message, { method, path, hint: 'Check the base URL: kith auth status' });
  }
  const detail = { cause, method, path, request, hint: hints.unknown };
  return new Failure('unknown', `${message} The ${method} may have been processed.`, detail);
}

function createShapeFailure(response: WireResponse, request: WireRequest, expected: string): Failure {
  const body = readBody(response);
  const fail = (problem: string) => createUnreadableFailure(request, `The response is ${problem}.`);
  if (body === undefined) return fail('empty');
  if (typeof body !== 'string') return fail(`JSON, but not ${expected}`);
  if (/^\s*</.test(body)) return fail(`an HTML page, not ${expected}`);
  return fail(/^\s*[[{]/.test(body) ? 'damaged or truncated JSON' : 'not JSON');
}

/**
 * Returns the failure that an error response describes, in any of the usual forms of JSON, text or HTML. `wait`: the
 * milliseconds that the service asks to wait, if the program does not.
 */
export function parseFailure(
  response: WireResponse,
  request: WireRequest,
  wait = 0,
  now = new Date(0),
): Failure {
  const { method, path } = request;
  const { status, headers, body } = response;
  const code = findCode(response, method);
  const until = new Date(now.getTime() + wait).toISOString().slice(0, 19);
  const sentences = [
    findMessage(body) ?? `The service responded with ${status}.`,
    ...(code === 'unknown' ? [`The ${method} may have been processed.`] : []),
    ...(wait > 0 ? [`${status === 429 ? 'Rate limited' : 'Unavailable'} until ${until}Z.`] : []),
  ];
  return new Failure(code, sentences.join(' '), {
    status,
    method,
    path,
    ...(code === 'unknown' && { request }),
    request_id: toText(readObject(body).request_id) ?? headers['x-request-id'],
    fieldErrors: readFieldErrors(body),
    hint: wait > 0 && code !== 'unknown' ? formatWaitHint(Math.ceil(wait / 1000)) : hints[code],
    retryAfter: parseRetryAfter(headers, now),
    headers,
  });
}

/** `--max-wait` accepts at most a day. */
const formatWaitHint = (seconds: number) =>
  seconds > 86_400
    ? 'Run the command again then.'
    : `Run the command again then, or pass --max-wait ${seconds}`;

const hints: Partial<Record<FailureCode, string>> = {
  changed: 'Someone else has changed the record. Run the command again to read the new version.',
  unauthorized: 'See kith auth status, then kith auth login.',
  unknown: lostWriteHint,
};

/** With these statuses a service has certainly not processed the request. */
const unprocessedStatuses = [501, 503, 505, 507];

/** Whether the service itself does not know if it has processed a request, as after a connection lost during COMMIT. */
export const isOutcomeUnknown = ({ status, body }: WireResponse) =>
  status === failures.unavailable.status && readObject(body).code === 'unknown';

function findCode(response: WireResponse, method: string): FailureCode {
  const { status } = response;
  const isUnprocessed = unprocessedStatuses.includes(status) && !isOutcomeUnknown(response);
  if (method !== 'GET' && status >= 500 && !isUnprocessed) return 'unknown';
  if (status >= 500 && status !== failures.storage.status) return 'unavailable';
  const codes = Object.keys(failures) as FailureCode[]; // keys() has no types
  return codes.find((code) => failures[code].status === status) ?? (status >= 400 ? 'refused' : 'failed');
}

const toText = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

function findMessage(body: unknown): string | undefined {
  if (typeof body === 'string') return findTextMessage(body);
  const { detail, error, errors, message, title } = readObject(body);
  const candidates = [detail, error, readObject(error).message, joinErrors(errors), message, title];
  return candidates.map(toText).find((text) => text !== undefined);
}

function joinErrors(errors: unknown): string {
  if (Array.isArray(errors)) return findMessages(errors).join('; ');
  return Object.entries(readObject(errors))
    .map(([field, items]) => `${field} ${findMessages([items].flat()).join(', ')}`.trim())
    .join('; ');
}

function findMessages(items: readonly unknown[]): string[] {
  return items.flatMap((item) => {
    const { message = item, detail, title } = readObject(item);
    return toText(message) ?? toText(detail) ?? toText(title) ?? [];
  });
}

/** Returns the title of an HTML page, or the first line of a text. */
function findTextMessage(body: string): string | undefined {
  const [, title] = /<title[^>]*>([^<]*)</i.exec(body) ?? [];
  const line = title?.replace(/\s+/g, ' ') ?? (/^\s*</.test(body) ? undefined : body.trim().split('\n')[0]);
  return toText(line?.slice(0, 200));
}

function readFieldErrors(body: unknown): FieldError[] | undefined {
  const { errors } = readObject(body);
  if (!Array.isArray(errors)) return undefined;
  const fieldErrors = errors.filter((item): item is FieldError => {
    const { pointer, message } = readObject(item);
    return typeof pointer === 'string' && typeof message === 'string';
  });
  return fieldErrors.length > 0 ? fieldErrors : undefined;
}
