import { expect, onTestFinished } from 'vitest';
import { contacts } from '../../src/contract/contacts.ts';
import type { WireRequest, WireResponse } from '../../src/contract/grammar.ts';
import { createEmbeddedTransport } from '../../src/service/workspace.ts';
import { createClientOver } from '../client/loopback.ts';
import { countRounds } from '../support/rounds.ts';
import { test } from './engines.ts';
import { type Noun, nouns, openWithRecord } from './nouns.ts';
import { startTestServer } from './server.ts';
import { openTestWorkspace, unknownId } from './service.ts';

type Send = (request: WireRequest) => Promise<WireResponse>;

/** Sends a request such as `DELETE /v1/contacts/c1`. */
async function sendLine(send: Send, line: string, body?: unknown, ifMatch?: string, ifNoneMatch?: string) {
  const [method = '', path = ''] = line.split(' ');
  const response = await send({ method, path, query: [], body, ifMatch, ifNoneMatch });
  return { status: response.status, etag: response.headers.etag, body: response.body };
}

/** Two changes of a record of each noun. */
const changes: Readonly<Record<Noun, readonly [object, object]>> = {
  contact: [{ last_name: 'A' }, { last_name: 'B' }],
  organization: [{ name: 'A' }, { name: 'B' }],
  note: [{ body: 'A' }, { body: 'B' }],
  'custom field': [{ name: 'A' }, { name: 'B' }],
  list: [{ name: 'A' }, { name: 'B' }],
  process: [{ name: 'A' }, { name: 'B' }],
  entry: [{ assignee_email: 'a@x.example' }, { assignee_email: 'b@x.example' }],
  deal: [{ status: 'Trial' }, { status: 'Signed' }],
};

const changed = {
  status: 412,
  etag: undefined,
  body: {
    type: 'about:blank',
    title: 'Precondition Failed',
    status: 412,
    code: 'changed',
    detail: 'The record has changed since it was read.',
  },
};

test.each(nouns)('a %s has a tag, which a PATCH and a DELETE can require', async (noun) => {
  const { service, path } = await openWithRecord(noun);
  const [one, other] = changes[noun];
  const read = await sendLine(service, `GET ${path}`);
  expect(read.etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  const first = await sendLine(service, `PATCH ${path}`, one, read.etag);
  expect(first.status).toBe(200);
  expect(first.etag).not.toBe(read.etag);
  expect(await sendLine(service, `GET ${path}`)).toEqual(first);
  // The second body differs from the record, but the tag is that of the version before the first.
  expect(await sendLine(service, `PATCH ${path}`, other, read.etag)).toEqual(changed);
  expect(await sendLine(service, `DELETE ${path}`, undefined, read.etag)).toEqual(changed);
  expect(await sendLine(service, `GET ${path}`)).toEqual(first);
  expect(await sendLine(service, `PATCH ${path}`, one, first.etag)).toEqual(first);
  expect((await sendLine(service, `DELETE ${path}`, undefined, first.etag)).status).toBe(204);
});

test('the response to a create has the tag of the record; a list and a deletion have none', async () => {
  const { service, send, sendOk, url, keys } = await startTestServer();
  const created = await sendLine(service, 'POST /v1/contacts', { emails: ['ada@x.example'] });
  const { id } = created.body as { id: string };
  const path = `/v1/contacts/${id}`;
  expect(await sendLine(service, `GET ${path}`)).toMatchObject({ status: 200, etag: created.etag });
  const headers = { authorization: `Bearer ${keys.reading.key}` };
  for (const method of ['GET', 'HEAD'])
    expect((await fetch(url + path, { method, headers })).headers.get('etag')).toBe(created.etag);
  expect((await sendLine(service, 'GET /v1/contacts')).etag).toBeUndefined();
  expect((await send(`GET ${path}`)).body).toEqual(await sendOk(`GET ${path}`));
  expect((await sendLine(service, `DELETE ${path}`)).etag).toBeUndefined();
});

test('fields of other records change the tag of a record, but not the part that If-Match compares', async () => {
  const { service, sendOk } = await openTestWorkspace();
  const create = async (path: string, body: object) =>
    `${path}/${(await sendOk<{ id: string }>(`POST ${path}`, body)).id}`;
  const field = await create('/v1/custom_fields', { name: 'Tier', model: 'contact' });
  const values = [{ name: 'Tier', value: 'A' }];
  const contact = await create('/v1/contacts', { first_name: 'Ada', custom_fields: values });
  const list = await create('/v1/lists', {
    name: 'News',
    process: false,
    entry_type: 'Contact',
    fields: [{ name: 'Since', data_type: 'text' }],
  });
  const entry = await create(`${list}/entries`, {
    entryable_type: 'Contact',
    entryable_id: contact.split('/').at(-1),
  });
  const changes = [
    ['a renamed field', `PATCH ${field}`, { name: 'Level' }],
    ['a new field', 'POST /v1/custom_fields', { name: 'Size', model: 'contact' }],
    ['a new field of the list', `PATCH ${list}`, { fields: [{ name: 'Until', data_type: 'text' }] }],
  ] as const;
  const seen: Record<string, unknown> = {};
  for (const [title, line, body] of changes) {
    const path = line.includes('lists') ? entry : contact;
    const { etag: old = '' } = await sendLine(service, `GET ${path}`);
    await sendOk(line, body);
    const { etag = '' } = await sendLine(service, `GET ${path}`);
    const unchanged = await sendLine(service, `GET ${path}`, undefined, undefined, old);
    const update = await sendLine(service, `PATCH ${path}`, {}, old);
    seen[title] = [etag === old, unchanged.status, update.status, update.etag === etag];
  }
  const expected = [false, 200, 200, true];
  expect(seen).toEqual(Object.fromEntries(changes.map(([title]) => [title, expected])));
  // The deletion of a field deletes the stored value.
  const { etag } = await sendLine(service, `GET ${contact}`);
  await sendOk(`DELETE ${field}`);
  expect(await sendLine(service, `DELETE ${contact}`, undefined, etag)).toEqual(changed);
});

test.each([
  ['emails', '/v1/contacts', { first_name: 'Ada', emails: ['a@x.example'] }, { emails: ['a@x.example'] }],
  ['domains', '/v1/organizations', { name: 'Acme', domains: ['x.example'] }, { domains: ['x.example'] }],
])('the removal of %s can require a tag', async (name, collection, body, removed) => {
  const { service } = await openTestWorkspace();
  const { body: record, etag } = await sendLine(service, `POST ${collection}`, body);
  const path = `${collection}/${(record as { id: string }).id}`;
  expect(await sendLine(service, `DELETE ${path}/${name}`, removed, '"other"')).toEqual(changed);
  const result = await sendLine(service, `DELETE ${path}/${name}`, removed, etag);
  expect(result).toEqual(await sendLine(service, `GET ${path}`));
  expect(result.body).toMatchObject({ [name]: [] });
});

/** Forms of If-Match and If-None-Match, with the status of a write that requires them, and of a read and a write without. */
const forms: readonly (readonly [(tag: string) => string, { match: number; read: number; write: number }])[] =
  [
    [() => ' * ', { match: 200, read: 304, write: 412 }],
    [(tag) => ` ${tag} `, { match: 200, read: 304, write: 412 }],
    [(tag) => `"a,b",W/"c" ,, ${tag}, ""`, { match: 200, read: 304, write: 412 }],
    [(tag) => tag.replace(/"$/, '-gzip"'), { match: 200, read: 304, write: 412 }], // of its compressed form
    [(tag) => `W/${tag}`, { match: 412, read: 304, write: 412 }],
    [() => '"a", W/"b"', { match: 412, read: 200, write: 200 }],
    [() => '', { match: 412, read: 200, write: 200 }],
    [(tag) => tag.replaceAll('"', ''), { match: 400, read: 400, write: 400 }],
    [(tag) => `*, ${tag}`, { match: 400, read: 400, write: 400 }],
    [(tag) => `${tag}, "a`, { match: 400, read: 400, write: 400 }],
  ];

test('a request can require its tag in any form, or another tag', async () => {
  const { service, url, keys } = await startTestServer();
  const authorization = `Bearer ${keys.writing.key}`;
  for (const [format, expected] of forms) {
    const { body, etag = '' } = await sendLine(service, 'POST /v1/contacts', { first_name: 'Ada' });
    const path = `/v1/contacts/${(body as { id: string }).id}`;
    const form = format(etag);
    const fetchStatus = async (method: string, header: string) => {
      const headers = { authorization, [header]: form, 'content-type': 'application/json' };
      const response = await fetch(url + path, {
        method,
        headers,
        ...(method === 'PATCH' && { body: '{}' }),
      });
      const text = await response.text();
      const { status } = response;
      if (method !== 'PATCH')
        expect([status, text === '']).toEqual([status, status === 304 || method === 'HEAD']);
      if (status === 304)
        expect(['etag', 'content-type'].map((name) => response.headers.get(name))).toEqual([
          form.includes('gzip') ? form : etag,
          null,
        ]);
      return status;
    };
    const seen = {
      match: await fetchStatus('GET', 'if-match'),
      read: await fetchStatus('GET', 'if-none-match'),
      write: await fetchStatus('PATCH', 'if-none-match'),
    };
    expect([form, seen]).toEqual([form, expected]);
    expect(await fetchStatus('PATCH', 'if-match')).toBe(expected.match);
    expect(await fetchStatus('HEAD', 'if-none-match')).toBe(expected.read);
    const { status } = await sendLine(service, `DELETE ${path}`, undefined, undefined, form);
    expect(status).toBe(expected.write === 200 ? 204 : expected.write);
    // The create of another record has no version to protect.
    const create = await sendLine(service, 'POST /v1/contacts', { first_name: 'B' }, form, form);
    expect(create.status).toBe(201);
  }
});

test('reports a missing record first, then another version, then errors in the body', async () => {
  const { service, send } = await startTestServer();
  const { body } = await sendLine(service, 'POST /v1/contacts', { first_name: 'Ada' });
  const path = `/v1/contacts/${(body as { id: string }).id}`;
  const invalid = { emails: ['nobody'], unknown: 1 };
  for (const ifMatch of ['*', '"other"']) {
    const missing = await sendLine(service, `DELETE /v1/contacts/${unknownId}`, undefined, ifMatch);
    expect(missing.status).toBe(404);
  }
  expect((await sendLine(service, `PATCH ${path}`, invalid, '"other"')).status).toBe(412);
  expect((await sendLine(service, `PATCH ${path}`, invalid, '*')).status).toBe(422);
  const headers = { 'if-match': '"other"' };
  expect(await send(`PATCH ${path}`, { body: '{}', headers })).toMatchObject({
    status: 412,
    headers: { 'content-type': 'application/problem+json' },
    body: { ...changed.body, request_id: 'made-here' },
  });
});

/** Ways to send two requests at the same time. */
const ways: Readonly<Record<string, () => Promise<readonly [Send, Send]>>> = {
  'one service': async () => {
    const { service } = await openTestWorkspace();
    return [service, service];
  },
  'two open workspaces': async () => {
    const { location } = await openTestWorkspace();
    const open = async (): Promise<Send> => {
      const transport = await createEmbeddedTransport(location, () => new Date());
      onTestFinished(transport.close);
      return (request) => transport.send(request, new AbortController().signal);
    };
    return [await open(), await open()];
  },
};

test.each(Object.keys(ways))('one of two writers with the same tag wins: %s', async (way) => {
  const [one = expect.fail(), other] = (await ways[way]?.()) ?? [];
  for (const _ of countRounds(3, 10)) {
    const { body, etag } = await sendLine(one, 'POST /v1/contacts', { first_name: 'Ada' });
    const path = `/v1/contacts/${(body as { id: string }).id}`;
    const updates = await Promise.all([
      sendLine(one, `PATCH ${path}`, { first_name: 'One' }, etag),
      sendLine(other ?? one, `PATCH ${path}`, { first_name: 'Other' }, etag),
    ]);
    expect(updates.map(({ status }) => status).sort()).toEqual([200, 412]);
    const winner = updates.find(({ status }) => status === 200);
    expect(await sendLine(one, `GET ${path}`)).toEqual(winner);
    const [update, deletion] = await Promise.all([
      sendLine(one, `PATCH ${path}`, { first_name: 'Last' }, winner?.etag),
      sendLine(other ?? one, `DELETE ${path}`, undefined, winner?.etag),
    ]);
    expect([
      [200, 412],
      [404, 204],
    ]).toContainEqual([update.status, deletion.status]);
  }
});

test('the client in this process sends the tag of a record', async () => {
  const { location } = await openTestWorkspace();
  const transport = await createEmbeddedTransport(location, () => new Date());
  onTestFinished(transport.close);
  const { client } = createClientOver(transport);
  const created = await client.record(contacts.create, { first_name: 'Ada' });
  const path = { contact_id: created.value?.id ?? '' };
  const read = await client.record(contacts.get, path);
  expect(read).toEqual(created);
  const { etag: ifMatch } = read;
  const update = await client.record(contacts.update, { ...path, last_name: 'L' }, { ifMatch });
  expect(update).toEqual(await client.record(contacts.get, path));
  await expect(client.record(contacts.delete, path, { ifMatch })).rejects.toMatchObject({
    code: 'changed',
    message: changed.body.detail,
    detail: { status: 412 },
  });
  const removal = await client.record(contacts.delete, path, { ifMatch: update.etag });
  expect(removal.value).toBeNull();
});
