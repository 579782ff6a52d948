import { expect, test } from 'vitest';
import { startTestServer } from './server.ts';
import { openTestWorkspace } from './service.ts';

const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
const field = (name: string) => ({ name });
const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

// Cases from random requests: each caused a 5xx, a truncated text or a request that took minutes.
test.each([
  ['POST /v1/contacts', { first_name: 'a\0b' }, ['#/first_name value']],
  ['POST /v1/contacts', { first_name: 'A', emails: ['a\ud800@b.co', 'a\ud801@b.co'] }, 'both emails'],
  ['POST /v1/contacts', { first_name: 'A', '\ud800/~': 1 }, ['#/%EF%BF%BD~1~0 unknown']],
  ['POST /v1/contacts', JSON.parse('{"first_name":"A","__proto__":{"a":1}}'), ['#/__proto__ unknown']],
  ['POST /v1/contacts', { first_name: 'A', constructor: 1 }, ['#/constructor unknown']],
  [
    'POST /v1/lists',
    { name: 'L', process: false, entry_type: 'Contact', fields: [{ name: 'F', constructor: 1 }] },
    ['#/fields/0/constructor unknown'],
  ],
  [
    'POST /v1/lists',
    { name: 'L', process: false, entry_type: 'Contact', fields: [field('\ud800'), field('\ud801')] },
    ['#/fields/0/name value', '#/fields/1/name value'],
  ],
  ['POST /v1/contacts', { emails: many(1001, 'bad') }, ['#/emails value']],
  ['DELETE /v1/contacts/ID/emails', { emails: many(40_000, 'a@b.co') }, ['#/emails value']],
  ['POST /v1/contacts', { first_name: nested(40) }, ['#/first_name type']],
  ['POST /v1/contacts', { first_name: nested(1000) }, ['status 400']],
  ['POST /v1/contacts', { prototype: nested(1000) }, ['status 400']],
  ['POST /v1/contacts', { emails: [...many(1001, 'bad'), nested(1000)] }, ['status 400']],
])('%s rejects text that no workspace can store (%#)', async (line, body, expected) => {
  const { findFieldErrors, sendOk } = await openTestWorkspace();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { first_name: 'Ada' });
  const both = ['#/emails/0 value', '#/emails/1 value'];
  expect(await findFieldErrors(line.replace('ID', id), body)).toEqual(
    expected === 'both emails' ? both : expected,
  );
});

test('refuses a query with U+0000', async () => {
  const { call } = await openTestWorkspace();
  expect(await call('GET /v1/contacts?email=a@b.co%00')).toMatchObject({
    status: 400,
    body: { detail: 'Query parameter "email" must not contain U+0000 or unpaired surrogates.' },
  });
});

test.each([
  ['POST', '/v1/contacts', Buffer.from('{"first_name":"\xff"}', 'latin1'), 400, null],
  ['POST', '/healthz', '{}', 405, 'GET'],
  ['GET', '/healthz/', undefined, 404, null],
  ['POST', '/openapi.json/', '{}', 404, null],
  ['DELETE', '/openapi.json', undefined, 405, 'GET'],
])('%s %s with %j returns %i', async (method, path, body, status, allow) => {
  const { url, keys } = await startTestServer();
  const headers = { authorization: `Bearer ${keys.writing.key}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) });
  expect([response.status, response.headers.get('allow')]).toEqual([status, allow]);
});
