import { backup, DatabaseSync } from '@photostructure/sqlite';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test as sqliteTest } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { openWorkspace } from '../../../src/service/db/open.ts';
import { createKey, revokeKey } from '../../../src/service/http/keys.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { test } from '../engines.ts';
import { exchangeRaw, formatHead } from '../raw.ts';
import { plainOptions } from '../server.ts';
import { openTestWorkspace, startTime } from '../service.ts';

/** Serves a workspace with a key and a contact. `openOther` opens the workspace as another process does. */
async function serveContact() {
  const { db, location, service, sendOk } = await openTestWorkspace();
  const now = new Date(startTime);
  const { key, id } = await createKey(db, { name: 'test', readOnly: false }, now);
  const log = (text: string) => {
    throw new Error(text);
  };
  const shell = { db, service, newId: () => 'id', log, version: '0.0.0' };
  const { url, stop } = await startServer(shell, plainOptions);
  onTestFinished(() => stop());
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  const path = `/v1/contacts/${contact.id}`;
  const send = (method: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const readName = async () => ((await (await send('GET')).json()) as Contact).first_name;
  const openOther = async () => {
    const other = await openWorkspace(location);
    onTestFinished(() => other.close());
    return other;
  };
  const headers = ['Host: a', `Authorization: Bearer ${key}`];
  return { db, location, id, now, send, readName, openOther, url, path, headers };
}

test('a read sees the changes that this process has made', async () => {
  const { send, readName } = await serveContact();
  expect(await readName()).toBe('Ada');
  await send('PATCH', { first_name: 'Grace' });
  expect(await readName()).toBe('Grace');
  await send('DELETE');
  expect((await send('GET')).status).toBe(404);
});

test('pipelined requests see the writes before them, but not the writes after them', async () => {
  const { url, path, headers } = await serveContact();
  const names = Array.from({ length: 10 }, (_, index) => `Ada ${index}`);
  const read = formatHead(`GET ${path} HTTP/1.1`, ...headers);
  const requests = names.map((name) => {
    const body = JSON.stringify({ first_name: name });
    const lines = [...headers, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    return formatHead(`PATCH ${path} HTTP/1.1`, ...lines) + body + read + read;
  });
  const last = formatHead(`GET ${path} HTTP/1.1`, ...headers, 'Connection: close');
  const responses = await exchangeRaw(url, [[read, ...requests, last].join('')]);
  const seen = responses.map(({ status, text }) => [status, JSON.parse(text).first_name]);
  const expected = ['Ada', ...names.flatMap((name) => [name, name, name]), names.at(-1)];
  expect(seen).toEqual(expected.map((name) => [200, name]));
});

test('a read sees the changes that another process has made, each time', async () => {
  const { readName, openOther } = await serveContact();
  const other = await openOther();
  for (const name of ['Grace', 'Edith', 'Grace']) {
    await other.run(sql`update contact set first_name = ${name}`);
    expect(await readName()).toBe(name);
  }
});

test('a write reads phone numbers in the region that another process has stored, each time', async () => {
  const { send, openOther } = await serveContact();
  const other = await openOther();
  for (const [region, number] of [
    ['KR', '+821055501234'],
    ['DE', '+491055501234'],
  ]) {
    await other.run(sql`update workspace set region = ${region}`);
    const response = await send('PATCH', { phone_numbers: ['010-5550-1234'] });
    expect(((await response.json()) as Contact).phone_numbers).toEqual([number]);
  }
});

sqliteTest(
  'a read sees a backup that another program restores into the file, and is not disturbed by VACUUM',
  async () => {
    const { location, readName, openOther } = await serveContact();
    const copy = `${location}.copy`;
    const other = await openOther();
    await other.run(sql`vacuum into ${copy}`);
    await other.run(sql`update contact set first_name = 'Grace'`);
    expect(await readName()).toBe('Grace');
    await other.run(sql`vacuum`);
    expect(await readName()).toBe('Grace');
    const source = new DatabaseSync(copy);
    onTestFinished(() => source.close());
    await backup(source, location);
    expect(await readName()).toBe('Ada');
  },
);

test.each(['this', 'another'])('refuses a key at once after %s process has revoked it', async (process) => {
  const { db, id, now, send, openOther } = await serveContact();
  expect((await send('GET')).status).toBe(200);
  await revokeKey(process === 'this' ? db : await openOther(), id, now);
  expect((await send('GET')).status).toBe(401);
});

test('a read does not see an open transaction, nor one that was rolled back', async () => {
  const { db, readName, openOther } = await serveContact();
  const rolledBack = db.transaction(async (part) => {
    await part.run(sql`update contact set first_name = 'Nobody'`);
    const during = readName();
    await new Promise((resolve) => setTimeout(resolve, 10));
    throw Object.assign(new Error('rolled back'), { during });
  });
  const { during } = await rolledBack.catch((error) => error);
  expect([await during, await readName()]).toEqual(['Ada', 'Ada']);
  const other = await openOther();
  await other.transaction(async (part) => {
    await part.run(sql`update contact set first_name = 'Grace'`);
    expect(await readName()).toBe('Ada');
  });
  expect(await readName()).toBe('Grace');
});
