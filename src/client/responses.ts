import { Failure, type FailureCode, type FieldError, failures } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { parseJson, type RawJson, rawElements, rawMember, toRawJson, withValue } from '../values/raw-json.ts';
import { splitRawList } from '../values/raw-json-list.ts';

type Json = Record<string, unknown>;

/** One page of a list; what the service did not send is undefined. */
export interface ListPage<T = unknown> {
  readonly data: readonly RawJson<T>[];
  /** The offset of the next page. */
  readonly end: number | undefined;
  readonly hasMore: boolean | undefined;
  readonly total: number | undefined;
  /** The time of the service's clock when it responded. */
  readonly at?: Date;
}

/** Gives the value of a record the shape of the contract. */
export type Normalize<T> = (value: unknown) => T;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
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
  const list = splitList(response, normalize) ?? parseList(response, normalize);
  if (!list) throw createShapeFailure(parseBody(response), request, 'a list');
  const pagination = isObject(list.pagination) ? list.pagination : {};
  const hasMore = pagination.has_next_page;
  return {
    data: list.data,
    end: readInteger(pagination.end_cursor),
    hasMore: typeof hasMore === 'boolean' ? hasMore : undefined,
    total: readInteger(pagination.total_count),
    ...readTime(response),
  };
}

/** The result of a lookup that finds nothing. */
export const emptyPage = { data: [], end: undefined, hasMore: undefined, total: undefined };

/**
 * Parses the response to a lookup: a list, as `parsePage` does; one record, bare or as `{data: record}`; or no record,
 * as `null` or `{data: null}`. @throws {Failure} failed for anything else
 */
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

/** The records of a page, and what it says about the others. */
interface RecordList<T> {
  readonly data: readonly RawJson<T>[];
  readonly pagination?: unknown;
}

function splitList<T>({ body, text = '' }: WireResponse, normalize: Normalize<T>): RecordList<T> | undefined {
  if (body !== undefined) return undefined;
  const list = splitRawList(text, (record) => normalize(parseJson(record)));
  return list && { data: list.elements, ...(isObject(list.frame) && { pagination: list.frame.pagination }) };
}

function parseList<T>(response: WireResponse, normalize: Normalize<T>): RecordList<T> | undefined {
  const body = parseBody(response);
  const raw = toRaw({ ...response, body });
  const values: unknown = isObject(body) ? body.data : body;
  const list = isObject(body) ? rawMember(raw, 'data') : raw;
  if (!list || !Array.isArray(values)) return undefined;
  const data = rawElements(list).map((raw, index) => withValue(raw, normalize(values[index])));
  return { data, ...(isObject(body) && { pagination: body.pagination }) };
}

/** Returns the value of a body, or its text if that is not JSON. */
function parseBody({ body, text }: WireResponse): unknown {
  if (body !== undefined || text === undefined || text === '') return body;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function readTime({ headers }: WireResponse): { at?: Date } {
  const at = new Date(headers.date ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? {} : { at };
}

/**
 * Parses a record: bare, or as `{data: record}`. @throws {Failure} not_found for `null` and `{data: null}`, failed for
 * anything else
 */
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
  const isList = isObject(body) && Array.isArray(body.data) && !('id' in body);
  if (!isObject(body) || isList) throw createShapeFailure(body, request, 'a record');
  const isWrapped = isObject(body.data) && !('id' in body);
  const raw = (isWrapped ? rawMember(toRaw(response), 'data') : undefined) ?? toRaw(response);
  return withValue(raw, normalize(isWrapped ? body.data : body));
}

function toRaw({ body, text }: WireResponse): RawJson {
  return text === undefined ? toRawJson(body) : { text, value: body };
}

/** The failure of an answer of success that cannot be used, as a sentence says why: a write may have been done. */
export function createUnreadableFailure({ method, path }: WireRequest, sentence: string): Failure {
  if (method === 'GET') {
    return new Failure('failed', sentence, {
      method,
      path,
      hint: 'Is the base URL that of the service? See kith auth status.',
    });
  }
  return new Failure('unknown', `${sentence} The ${method} may have been carried out.`, {
    method,
    path,
    hint: hints.unknown,
  });
}

function createShapeFailure(body: unknown, request: WireRequest, wanted: string): Failure {
  const is = (what: string) => createUnreadableFailure(request, `The answer is ${what}.`);
  if (body === undefined) return is('empty');
  if (typeof body !== 'string') return is(`not ${wanted} of this interface`);
  if (/^\s*</.test(body)) return is(`a page of HTML, not ${wanted}`);
  return is(/^\s*[[{]/.test(body) ? 'JSON that is damaged or cut off' : 'no JSON');
}

/** For how long, and until when, a service wants nothing more. */
export interface RequestedWait {
  readonly seconds: number;
  readonly until: Date;
}

/**
 * The failure that an answer tells of, from any of the shapes that services use: problem+json, `{error}`,
 * `{error: {message}}`, `{errors: […]}`, `{errors: {field: […]}}`, `{message}`, text, HTML.
 */
export function parseFailure(
  { status, headers, body }: WireResponse,
  { method, path }: WireRequest,
  wait?: RequestedWait,
): Failure {
  const code = codeFor(status, method);
  const said = [
    sentenceIn(body) ?? `The service answered ${status}.`,
    ...(code === 'unknown' ? [`The ${method} may have been carried out.`] : []),
    ...(wait ? [`It asks to wait until ${wait.until.toISOString().slice(0, 19)}Z.`] : []),
  ];
  return new Failure(code, said.join(' '), {
    status,
    method,
    path,
    request_id: (isObject(body) ? text(body.request_id) : undefined) ?? headers['x-request-id'],
    fieldErrors: faultsIn(body),
    hint: wait && code !== 'unknown' ? hintToWait(wait) : hints[code],
    headers,
  });
}

/** `--max-wait` takes a day at the most. */
const hintToWait = ({ seconds }: RequestedWait) =>
  seconds > 86_400 ? 'Run it again then.' : `Run it again then, or let it wait: --max-wait ${seconds}`;

const hints: Partial<Record<FailureCode, string>> = {
  unauthorized: 'See kith auth status, then kith auth login.',
  unknown: 'Look whether it was written before you send it again.',
};

/** A service that answers so has surely not done what it was asked. */
const notDone = [501, 503, 505, 507];

function codeFor(status: number, method: string): FailureCode {
  if (method !== 'GET' && status >= 500 && !notDone.includes(status)) return 'unknown';
  if (status >= 500 && status !== failures.storage.status) return 'unavailable';
  const codes = Object.keys(failures) as FailureCode[]; // keys() forgets the names
  return codes.find((code) => failures[code].status === status) ?? (status >= 400 ? 'refused' : 'failed');
}

const text = (value: unknown) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

function sentenceIn(body: unknown): string | undefined {
  if (typeof body === 'string') return sentenceOfText(body);
  if (!isObject(body)) return undefined;
  const { error, errors } = body;
  const own = text(body.detail) ?? text(error) ?? (isObject(error) ? text(error.message) : undefined);
  return own ?? sentenceOfErrors(errors) ?? text(body.message) ?? text(body.title);
}

function sentenceOfErrors(errors: unknown): string | undefined {
  if (Array.isArray(errors)) return text(sentencesIn(errors).join('; '));
  if (!isObject(errors)) return undefined;
  const told = Object.entries(errors).map(([field, items]) =>
    `${field} ${sentencesIn([items].flat()).join(', ')}`.trim(),
  );
  return text(told.join('; '));
}

function sentencesIn(items: readonly unknown[]): string[] {
  return items.flatMap((item) => {
    const own = isObject(item) ? (text(item.message) ?? text(item.detail) ?? text(item.title)) : text(item);
    return own ?? [];
  });
}

function sentenceOfText(body: string): string | undefined {
  const [, title] = /<title[^>]*>([^<]*)</i.exec(body) ?? [];
  const plain = title?.replace(/\s+/g, ' ') ?? (/^\s*</.test(body) ? undefined : body.trim().split('\n')[0]);
  return text(plain?.slice(0, 200));
}

function faultsIn(body: unknown): FieldError[] | undefined {
  if (!isObject(body) || !Array.isArray(body.errors)) return undefined;
  const faults = body.errors.filter(
    (item): item is FieldError =>
      isObject(item) && typeof item.pointer === 'string' && typeof item.message === 'string',
  );
  return faults.length > 0 ? faults : undefined;
}
