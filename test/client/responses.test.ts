import { expect, test } from 'vitest';
import { parseFailure, parseMatches, parsePage, parseRecord } from '../../src/client/responses.ts';
import type { FailureCode } from '../../src/contract/errors.ts';
import { parseRawJson } from '../../src/values/raw-json.ts';

/** Leaves the shape of records as it is. */
const keepValue = (value: unknown) => value;

const request = { method: 'GET', path: '/v1/contacts', query: [] };
const [ada, alan] = [
  { id: 'a', name: 'Ada' },
  { id: 'b', name: 'Alan' },
];

/** Returns a response as it arrives over HTTP, and as an embedded workspace returns it. */
function createResponses(body: unknown) {
  const response = { status: 200, headers: {}, body };
  return [response, { ...response, text: JSON.stringify(body) ?? '' }];
}

const noPagination = { end: undefined, hasMore: undefined, total: undefined };

test.each([
  ['a bare array', [ada, alan], { data: [ada, alan], ...noPagination }],
  ['an empty array', [], { data: [], ...noPagination }],
  ['{data}', { data: [ada] }, { data: [ada], ...noPagination }],
  ['{data} and pagination of null', { data: [], pagination: null }, { data: [], ...noPagination }],
  [
    '{data, pagination}',
    { data: [ada], pagination: { end_cursor: 1, has_next_page: true, total_count: 7 } },
    { data: [ada], end: 1, hasMore: true, total: 7 },
  ],
  [
    'a part of pagination',
    { data: [ada], pagination: { has_next_page: false } },
    { data: [ada], ...noPagination, hasMore: false },
  ],
  [
    'pagination of other types',
    { data: [ada], pagination: { end_cursor: 'YTox', has_next_page: 'yes', total_count: 1.5 } },
    { data: [ada], ...noPagination },
  ],
])('parses a list: %s', (_, body, page) => {
  for (const response of createResponses(body)) {
    const { data, ...rest } = parsePage(response, request, keepValue);
    expect({ data: data.map(({ value }) => value), ...rest }).toEqual(page);
    expect(data.map(({ text }) => text)).toEqual(page.data.map((record) => JSON.stringify(record)));
  }
});

test.each([
  ['bare', ada, ada],
  ['as {data: record}', { data: ada }, ada],
  ['with a field named data', { id: 'x', data: { id: 'y' } }, { id: 'x', data: { id: 'y' } }],
  [
    'with fields that nobody knows',
    { data: { zeta: 1, id: 'a', alpha: [null] } },
    { zeta: 1, id: 'a', alpha: [null] },
  ],
  ['empty', {}, {}],
])('parses a record: %s', (_, body, record) => {
  for (const response of createResponses(body)) {
    const { text, value } = parseRecord(response, request, keepValue);
    expect({ text, value: JSON.stringify(value) }).toEqual({
      text: JSON.stringify(record),
      value: JSON.stringify(record),
    });
  }
});

test.each([
  ['a list', { data: [ada, alan], pagination: { total_count: 2 } }, [ada, alan]],
  ['an empty list', { data: [] }, []],
  ['a bare array', [ada], [ada]],
  ['a bare record', ada, [ada]],
  ['{data: record}', { data: ada }, [ada]],
  ['a record with a field named data', { id: 'x', data: null }, [{ id: 'x', data: null }]],
  ['{data: null}', { data: null }, []],
  ['null', null, []],
])('parses the response to a lookup: %s', (_, body, records) => {
  for (const response of createResponses(body)) {
    const { data } = parseMatches(response, request, keepValue);
    expect(data.map(({ value }) => value)).toEqual(records);
    expect(data.map(({ text }) => text)).toEqual(records.map((record) => JSON.stringify(record)));
  }
});

test('reports an HTML response to a write as unknown', () => {
  const response = { status: 200, headers: {}, body: '<html>Welcome</html>', text: '<html>Welcome</html>' };
  expect(() => parseRecord(response, { ...request, method: 'POST' }, keepValue)).toThrow(
    expect.objectContaining({
      code: 'unknown',
      message: 'The response is an HTML page, not a record. The POST may have been processed.',
    }),
  );
});

test('keeps the text of each record as sent', () => {
  const text = '{"data": [ {"id":"a","n":1.10}, {"2":0,"1":12345678901234567890} ],"pagination":{}}';
  const { data } = parsePage(
    { status: 200, headers: {}, body: parseRawJson(text).value, text },
    request,
    keepValue,
  );
  expect(data.map(({ text }) => text)).toEqual(['{"id":"a","n":1.10}', '{"2":0,"1":12345678901234567890}']);
});

test.each([
  ['a list', parsePage, undefined, 'empty'],
  ['a list', parsePage, null, 'JSON, but not a list of records'],
  ['a list', parsePage, ' <html>Welcome</html>', 'an HTML page, not a list of records'],
  ['a list', parsePage, '{"data": [{"id": "a"', 'damaged or truncated JSON'],
  ['a list', parsePage, '[1,]', 'damaged or truncated JSON'],
  ['a list', parsePage, ada, 'JSON, but not a list of records'],
  ['a list', parsePage, { data: ada }, 'JSON, but not a list of records'],
  ['a list', parsePage, { data: null, pagination: {} }, 'JSON, but not a list of records'],
  ['a list', parseMatches, {}, 'JSON, but not a list of records'],
  ['a list', parseMatches, { message: 'ok' }, 'JSON, but not a list of records'],
  ['a record', parseRecord, undefined, 'empty'],
  ['a record', parseRecord, { data: [ada] }, 'JSON, but not a record'],
  ['a record', parseRecord, [ada], 'JSON, but not a record'],
  ['a record', parseRecord, 'ok', 'not JSON'],
  ['a record', parseRecord, 5, 'JSON, but not a record'],
])('fails for a response that is not %s', (_, read, body, message) => {
  expect(() => read({ status: 200, headers: {}, body }, request, keepValue)).toThrow(
    expect.objectContaining({
      code: 'failed',
      message: `The response is ${message}.`,
      detail: {
        method: 'GET',
        path: '/v1/contacts',
        hint: 'Check the base URL: kith auth status',
      },
    }),
  );
});

const createPage = (title: string) =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>x</h1></body></html>`;

test.each([
  [
    'problem+json',
    { type: 'about:blank', title: 'Bad', status: 422, detail: 'No such thing.' },
    'No such thing.',
  ],
  ['problem+json without a detail', { type: 'about:blank', title: 'Bad', status: 422 }, 'Bad'],
  ['{error}', { error: 'No such thing.' }, 'No such thing.'],
  ['{error: {message}}', { error: { code: 12, message: 'No such thing.' } }, 'No such thing.'],
  ['{error: {code}} and a message', { error: { code: 12 }, message: 'No such thing.' }, 'No such thing.'],
  ['{errors: [text]}', { errors: ['is bad', 'is worse'] }, 'is bad; is worse'],
  ['{errors: [{message}]}', { errors: [{ message: 'is bad' }, { message: 'is worse' }] }, 'is bad; is worse'],
  ['{errors: [{detail}]}', { errors: [{ title: 'Bad', detail: 'is bad' }] }, 'is bad'],
  ['{errors: [{title}]}', { errors: [{ title: 'Bad' }] }, 'Bad'],
  ['{errors: [unreadable]}', { errors: [{}, null, 7] }, 'The service responded with 422.'],
  ['{errors: []}', { errors: [] }, 'The service responded with 422.'],
  [
    '{errors: {field: [text]}}',
    { errors: { name: ['is bad', 'is worse'], emails: ['are none'] } },
    'name is bad, is worse; emails are none',
  ],
  ['{errors: {field: text}}', { errors: { name: 'is bad' } }, 'name is bad'],
  ['{errors: {field: [{message}]}}', { errors: { name: [{ message: 'is bad' }] } }, 'name is bad'],
  ['{errors: {field: unreadable}}', { errors: { name: [{}], email: null } }, 'name; email'],
  ['{errors} and a message', { message: 'Invalid.', errors: { name: ['is bad'] } }, 'name is bad'],
  ['{message}', { message: 'No such thing.' }, 'No such thing.'],
  ['{message} with space around', { message: '  No such thing.\n' }, 'No such thing.'],
  ['values of other types', { error: 5, message: null, detail: ['x'] }, 'The service responded with 422.'],
  ['blank values', { error: '', message: '  ' }, 'The service responded with 422.'],
  ['text', 'No such thing.\nsecond line', 'No such thing.'],
  ['long text', 'x'.repeat(5000), 'x'.repeat(200)],
  ['HTML with a title', createPage(' No such\n thing. '), 'No such thing.'],
  ['HTML without a title', '<html><body>No such thing.</body></html>', 'The service responded with 422.'],
  ['HTML with an empty title', createPage(''), 'The service responded with 422.'],
  ['nothing', undefined, 'The service responded with 422.'],
  ['null', null, 'The service responded with 422.'],
  ['an array', [ada], 'The service responded with 422.'],
  ['a number', 7, 'The service responded with 422.'],
])('reads the message of an error: %s', (_, body, message) => {
  const failure = parseFailure({ status: 422, headers: {}, body }, request);
  expect({ code: failure.code, message: failure.message }).toEqual({ code: 'invalid', message });
});

test.each<[number, string, FailureCode]>([
  [302, 'GET', 'failed'],
  [400, 'GET', 'malformed'],
  [401, 'GET', 'unauthorized'],
  [402, 'GET', 'refused'],
  [403, 'POST', 'forbidden'],
  [404, 'GET', 'not_found'],
  [405, 'PATCH', 'method_not_allowed'],
  [409, 'POST', 'refused'],
  [413, 'POST', 'too_large'],
  [415, 'POST', 'unsupported_media_type'],
  [418, 'DELETE', 'refused'],
  [422, 'PATCH', 'invalid'],
  [429, 'POST', 'rate_limited'],
  [500, 'GET', 'unavailable'],
  [500, 'POST', 'unknown'],
  [501, 'POST', 'unavailable'],
  [502, 'GET', 'unavailable'],
  [502, 'PATCH', 'unknown'],
  [503, 'GET', 'unavailable'],
  [503, 'POST', 'unavailable'],
  [504, 'GET', 'unavailable'],
  [504, 'DELETE', 'unknown'],
  [505, 'POST', 'unavailable'],
  [507, 'POST', 'storage'],
  [520, 'POST', 'unknown'],
  [599, 'GET', 'unavailable'],
])('reports %i for a %s as %s', (status, method, code) => {
  const { code: read, status: keptStatus } = parseFailure(
    { status, headers: {}, body: {} },
    { ...request, method },
  );
  expect({ read, kept: keptStatus }).toEqual({ read: code, kept: status });
});

test('reports a 503 with the code unknown as unknown after a write', () => {
  const response = { status: 503, headers: {}, body: { code: 'unknown' } };
  const codes = ['GET', 'POST'].map((method) => parseFailure(response, { ...request, method }).code);
  expect(codes).toEqual(['unavailable', 'unknown']);
});

test('returns the details of a failure', () => {
  const fieldErrors = [{ pointer: '#/emails/0', code: 'invalid', message: 'Invalid email address.' }];
  const headers = { 'x-request-id': 'from-header', allow: 'GET' };
  const body = {
    detail: 'Invalid.',
    request_id: 'from-body',
    errors: [...fieldErrors, { message: 'no pointer' }],
  };
  const write = { ...request, method: 'POST' };
  expect(parseFailure({ status: 422, headers, body }, write).detail).toEqual({
    status: 422,
    method: 'POST',
    path: '/v1/contacts',
    request_id: 'from-body',
    fieldErrors,
    headers,
  });
  expect(parseFailure({ status: 401, headers, body: undefined }, write).detail).toEqual({
    status: 401,
    method: 'POST',
    path: '/v1/contacts',
    request_id: 'from-header',
    hint: 'See kith auth status, then kith auth login.',
    headers,
  });
});

test('says that a write may have been processed', () => {
  const { message, detail } = parseFailure(
    { status: 502, headers: {}, body: createPage('Bad Gateway') },
    { ...request, method: 'PATCH' },
  );
  expect([message, detail.hint]).toEqual([
    'Bad Gateway The PATCH may have been processed.',
    'Check whether the change was made before you run the command again.',
  ]);
});

test.each([null, { data: null }, { data: null, status: 'ok' }])(
  'reports a record as not found if the response is %j',
  (body) => {
    expect(() => parseRecord({ status: 200, headers: {}, body }, request, keepValue)).toThrow(
      expect.objectContaining({ code: 'not_found', message: 'The service has no record at /v1/contacts.' }),
    );
  },
);

test.each([
  ['is an array', (deep: string) => deep],
  ['has an array for a name', (deep: string) => `{"id":"a","first_name":${deep}}`],
  [
    'has an unknown object',
    (deep: string) => `{"id":"a","x":${deep.replaceAll('[', '{"y":[').replaceAll(']', ']}')}}`,
  ],
])('refuses a record that %s 200,000 levels deep', (_, formatRecord) => {
  const problem = 'The response is JSON, but nested more than 500 levels deep.';
  const record = formatRecord(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  const toResponse = (text: string) => ({ status: 200, headers: {}, text, body: JSON.parse(text) });
  const list = toResponse(`{"data":[${record}]}`);
  expect(() => parsePage(list, request, keepValue)).toThrow(problem);
  expect(() => parsePage({ ...list, body: undefined }, request, keepValue)).toThrow(problem);
  expect(() => parseMatches(list, request, keepValue)).toThrow(problem);
  const write = { ...request, method: 'PATCH' };
  expect(() => parseRecord(toResponse(record), write, keepValue)).toThrow(
    `${problem} The PATCH may have been processed.`,
  );
});
