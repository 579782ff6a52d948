import { Failure, type FailureCode, type FieldError, failures } from '../contract/errors.ts';
import type { WireRequest, WireResponse } from '../contract/grammar.ts';
import { parseRawJson, type RawJson, rawElements, rawMember, toRawJson } from '../values/raw-json.ts';
import { splitRawList } from '../values/raw-json-list.ts';

type Json = Record<string, unknown>;

/** One page as a list is read; what the service did not say is undefined. */
export interface ListPage {
  readonly data: readonly RawJson[];
  /** The offset of the next page. */
  readonly end: number | undefined;
  readonly hasMore: boolean | undefined;
  readonly total: number | undefined;
  /** The time on the service's clock when it answered. */
  readonly at?: Date;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const whole = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : undefined);

/**
 * A list: `{data, pagination}`, `{data}`, or a bare array. Throws `failed` for anything else. Of an answer that came
 * unread each record is read by who wants more than its text.
 */
export function parsePage(answer: WireResponse, request: WireRequest): ListPage {
  const page = unreadPage(answer) ?? readPage({ ...answer, body: bodyIn(answer) });
  if (!page) throw notWanted(bodyIn(answer), request, 'a list');
  const { pagination } = page;
  const more = isObject(pagination) ? pagination.has_next_page : undefined;
  return {
    data: page.data,
    end: isObject(pagination) ? whole(pagination.end_cursor) : undefined,
    hasMore: typeof more === 'boolean' ? more : undefined,
    total: isObject(pagination) ? whole(pagination.total_count) : undefined,
    ...timeOf(answer),
  };
}

/** The result of a lookup that finds nothing. */
export const emptyPage: ListPage = { data: [], end: undefined, hasMore: undefined, total: undefined };

/**
 * Parses the response to a lookup: a list, as `pageFrom` does; one record, bare or as `{data: record}`; or no record, as
 * `null` or `{data: null}`. Throws `failed` for anything else.
 */
export function parseMatches(answer: WireResponse, request: WireRequest): ListPage {
  const { body } = answer;
  if (isEmptyBody(body)) return emptyPage;
  const isRecord = isObject(body) && !Array.isArray(body.data) && ('id' in body || isObject(body.data));
  return isRecord ? { ...emptyPage, data: [parseRecord(answer, request)] } : parsePage(answer, request);
}

/** Whether a body says that there is no record. */
export const isEmptyBody = (body: unknown) =>
  body === null || (isObject(body) && body.data === null && !('id' in body));

/** The records of a page, and what it says of the others. */
interface Page {
  readonly data: readonly RawJson[];
  readonly pagination?: unknown;
}

function unreadPage({ body, text = '' }: WireResponse): Page | undefined {
  const list = body === undefined ? splitRawList(text) : undefined;
  return list && { data: list.elements, ...(isObject(list.frame) && { pagination: list.frame.pagination }) };
}

function readPage(answer: WireResponse): Page | undefined {
  const { body } = answer;
  if (Array.isArray(body)) return { data: rawElements(sentIn(answer)) };
  const data = isObject(body) ? rawMember(sentIn(answer), 'data') : undefined;
  if (!isObject(body) || !Array.isArray(data?.value)) return undefined;
  return { data: rawElements(data), pagination: body.pagination };
}

/** What an answer says: its value, or the text of what is none. */
function bodyIn({ body, text }: WireResponse): unknown {
  if (body !== undefined || text === undefined || text === '') return body;
  try {
    return parseRawJson(text).value;
  } catch {
    return text;
  }
}

function timeOf({ headers }: WireResponse): { at?: Date } {
  const at = new Date(headers.date ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? {} : { at };
}

/**
 * A record: bare, or as `{data: record}`. Throws `not_found` for `null` and `{data: null}`, `failed` for anything else.
 */
export function parseRecord(answer: WireResponse, request: WireRequest): RawJson {
  const { body } = answer;
  if (isEmptyBody(body)) {
    const { method, path } = request;
    throw new Failure('not_found', `The service has no record at ${path}.`, { method, path });
  }
  const isList = isObject(body) && Array.isArray(body.data) && !('id' in body);
  if (!isObject(body) || isList) throw notWanted(body, request, 'a record');
  const isWrapped = isObject(body.data) && !('id' in body);
  return (isWrapped ? rawMember(sentIn(answer), 'data') : undefined) ?? sentIn(answer);
}

function sentIn({ body, text }: WireResponse): RawJson {
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

function notWanted(body: unknown, request: WireRequest, wanted: string): Failure {
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
