import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import { Failure } from '../../../src/contract/errors.ts';
import type { Service } from '../../../src/service/dispatch.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { test as contractTest } from '../../service/engines.ts';
import { startTestServer } from '../../service/server.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { editBy, readKeptFile, terminal } from './editor.ts';

const hosted = (url: string, key = 'key-for-tests') => ({
  ...terminal,
  env: { ...terminal.env, KITH_BASE_URL: url, KITH_API_KEY: key },
});

/** Starts a service with a contact that another person changes just before the first PATCH. */
async function startCrowdedServer() {
  let service: Service | undefined;
  let isFirst = true;
  const crowded: Service = async (request, caller) => {
    const send = service ?? expect.fail();
    const isCrossed = isFirst && request.method === 'PATCH';
    if (isCrossed) {
      isFirst = false;
      await send({ method: 'PATCH', path: request.path, query: [], body: { last_name: 'Theirs' } });
    }
    return send(request, caller);
  };
  const server = await startTestServer({ service: crowded });
  service = server.service;
  const contact = { first_name: 'Ada', last_name: 'Lovelace' };
  const { id } = await server.sendOk<Contact>('POST /v1/contacts', contact);
  const readNames = async () => {
    const { first_name, last_name } = await server.sendOk<Contact>(`GET /v1/contacts/${id}`);
    return { first_name, last_name };
  };
  return { id, readNames, options: hosted(server.url, server.keys.writing.key) };
}

const refusal =
  '#! The service refused the changes: someone else has just changed the record.\n' +
  '#! To send your changes to the new version, delete these lines and save.\n';

contractTest('opens the text again if someone else changes the record during the write', async () => {
  const { id, readNames, options } = await startCrowdedServer();
  let reopened = '';
  const { code, err } = await createMachine()(`contacts edit ${id} --yes`, {
    ...options,
    editorText: [
      editBy(['first_name: Ada', 'first_name: Mine']),
      (shown) => {
        reopened = shown;
        return shown.replace(/^(#!.*\n)+/, '');
      },
    ],
  });
  expect(reopened.slice(0, refusal.length)).toBe(refusal);
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('first_name: Ada -> Mine') });
  expect(await readNames()).toEqual({ first_name: 'Mine', last_name: 'Theirs' });
});

contractTest('keeps the text if it is saved unchanged after someone else changed the record', async () => {
  const { id, readNames, options } = await startCrowdedServer();
  const { code, err } = await createMachine()(`contacts edit ${id} --yes`, {
    ...options,
    editorText: [editBy(['first_name: Ada', 'first_name: Mine']), (shown) => shown],
  });
  const kept = readKeptFile(err);
  expect({ code, err }).toMatchObject({
    code: 5,
    err: expect.stringContaining(
      `kith: The record has changed since it was read.\nhint: Your text is saved in ${kept.file}.`,
    ),
  });
  expect(kept.text).toContain('first_name: Mine\n');
  expect(await readNames()).toEqual({ first_name: 'Ada', last_name: 'Theirs' });
});

test('--file sends nothing to a record that someone else changes during the question', async () => {
  const kith = createDemoMachine();
  const file = join(createTemporaryFolder(), 'contact.yaml');
  writeFileSync(file, 'first_name: Mine\n');
  const changeMeanwhile = async () => {
    await kith('contacts update 0rlnky --first-name Theirs');
    return true;
  };
  const command = `contacts edit 0rlnky --file ${file}`;
  const { code, err } = await kith(command, { ...terminal, answers: [changeMeanwhile] });
  expect({ code, err }).toMatchObject({
    code: 5,
    err: expect.stringContaining(
      'kith: The record has changed since it was read.\n' +
        'hint: Someone else has changed the record. Run the command again to read the new version.\n',
    ),
  });
  expect(JSON.parse((await kith('contacts get 0rlnky --json')).out).first_name).toBe('Theirs');
  expect((await kith(command, { ...terminal, answers: [true] })).code).toBe(0);
});

test.each([
  ['the tag of each version', ['"v1"', '"v2"'], true, ['"v1"', '"v2"']],
  ['no tag to a service that sends none', [], true, [undefined, undefined]],
  ['no old tag after a response without the record', ['"v1"', '"v2"'], false, ['"v1"', undefined]],
] as const)('sends %s', async (_, tags, hasRecord, sent) => {
  const contact = { id: 'c1', first_name: 'Ada', emails: ['a@x.example'] };
  let count = 0;
  const { url, requests } = await startTestService((request, response) => {
    if (request.url.startsWith('/v1/custom_fields')) return sendJson(response, 200, { data: [] });
    const etag = tags[count];
    count += 1;
    const isEmpty = request.method === 'PATCH' && !hasRecord;
    sendJson(
      response,
      isEmpty ? 204 : 200,
      isEmpty ? undefined : contact,
      etag === undefined ? {} : { etag },
    );
  });
  const file = join(createTemporaryFolder(), 'contact.yaml');
  writeFileSync(file, 'first_name: Mine\nemails: []\n');
  const { code } = await createMachine()(`contacts edit c1 --file ${file} --yes`, {
    env: { ...hosted(url).env, KITH_UNDO: 'off' },
  });
  const writes = requests.filter(({ method }) => method !== 'GET');
  expect({ code, writes: writes.map(({ method, headers }) => [method, headers['if-match']]) }).toEqual({
    code: 0,
    writes: [
      ['PATCH', sent[0]],
      ['DELETE', sent[1]],
    ],
  });
});

/** Starts a service with a contact, and runs an edit that adds a value and removes another one. */
async function editBoth(
  onWrite: (method: string, response: ServerResponse) => boolean,
  signal?: AbortSignal,
) {
  const contact = { id: 'c1', first_name: 'Ada', emails: ['a@x.example'] };
  const { url, requests } = await startTestService(({ method, url }, response) => {
    if (url.startsWith('/v1/custom_fields')) return sendJson(response, 200, { data: [] });
    if (method === 'PATCH') contact.first_name = 'Mine';
    if (method === 'DELETE') contact.emails = [];
    if (method === 'GET' || !onWrite(method, response)) sendJson(response, 200, contact);
  });
  const file = join(createTemporaryFolder(), 'contact.yaml');
  writeFileSync(file, 'first_name: Mine\nemails: []\n');
  const { code } = await createMachine()(`contacts edit c1 --file ${file} --yes --retries 0`, {
    env: { ...hosted(url).env, KITH_UNDO: 'off' },
    ...(signal && { signal }),
  });
  return { code, writes: requests.map(({ method }) => method).filter((method) => method !== 'GET') };
}

test.each(['PATCH', 'DELETE'])('continues if the response to the %s is lost', async (lost) => {
  const lose = (method: string, response: ServerResponse) => {
    if (method === lost) response.destroy();
    return method === lost;
  };
  expect(await editBoth(lose)).toEqual({ code: 0, writes: ['PATCH', 'DELETE'] });
});

test('after Ctrl-C, removes no value', async () => {
  const interrupt = new AbortController();
  const stop = () => {
    interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    return false;
  };
  expect(await editBoth(stop, interrupt.signal)).toEqual({ code: 130, writes: ['PATCH'] });
});
