import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { sendJson } from '../client/loopback.ts';
import {
  funnel,
  loseConnection,
  restoreConnection,
  startControlledService,
} from '../import/controlled-service.ts';
import { startTime } from '../service/service.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { listLogs } from './recording-machine.ts';

/** A machine that records its writes to a service whose responses a test can drop. */
async function createControlledMachine() {
  const service = await startControlledService();
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  const kith = (line: string | readonly string[]) =>
    machine(typeof line === 'string' ? `${line} --retries 0` : [...line, '--retries', '0'], {
      env: { ...service.env, KITH_UNDO: 'on' },
      now: new Date(startTime), // as the service
    });
  const send = async (route: string, body?: object) =>
    (await service.sendOk(route, body)) as { id: string; data: Record<string, unknown>[] };
  const list = async (path: string) => (await send(`GET /v1/${path}`)).data;
  /** Loses the response to the next write of a method; `isDone`: after the service has processed it. */
  const loseResponse = (method: string, isDone: boolean, skipped = 0) => {
    let left = skipped;
    service.control[isDone ? 'after' : 'before'] = ({ method: sent }, response) => {
      if (sent !== method || left-- > 0) return false;
      service.control.before = () => false;
      service.control.after = () => false;
      response.destroy();
      return true;
    };
  };
  /** Removes the last lines of the last log, as if the command had been killed before them. */
  const dropLines = (count: number) => {
    const log = listLogs(folder).at(-1) ?? '';
    const lines = readFileSync(log, 'utf8').split('\n');
    writeFileSync(log, `${lines.slice(0, -count - 1).join('\n')}\n`);
    return lines;
  };
  return { ...service, folder, kith, send, list, loseResponse, dropLines };
}

const names = (records: readonly Record<string, unknown>[]) => records.map(({ first_name }) => first_name);

test.each([true, false])('finds out whether a create with a lost response succeeded: %s', async (isDone) => {
  const { kith, send, list, loseResponse } = await createControlledMachine();
  await send('POST /v1/contacts', { first_name: '지우' });
  loseResponse('POST', isDone);
  expect((await kith('contacts create --first-name Ada --phone +821055509876')).code).toBe(7);
  expect(names(await list('contacts'))).toEqual(isDone ? ['지우', 'Ada'] : ['지우']);
  expect((await kith('undo --yes')).code).toBe(isDone ? 0 : 3);
  expect(names(await list('contacts'))).toEqual(['지우']);
});

test.each([true, false])('finds out whether an update with a lost response succeeded: %s', async (isDone) => {
  const { kith, send, list, loseResponse } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우', emails: ['a@b.example'] });
  loseResponse('PATCH', isDone);
  const flags = ['--first-name', 'Ada', '--email', 'C@b.example', '--phone', '+82 10-5550-9876'];
  expect((await kith(['contacts', 'update', id, ...flags])).code).toBe(7);
  expect((await kith('undo --yes')).code).toBe(isDone ? 0 : 3);
  if (!isDone) expect((await kith('undo 1 --yes')).out).toBe('Undid `kith contacts update`: 0 changes.\n');
  expect((await kith('undo 1 --yes')).err).toContain('cannot revert command 1 (undone).');
  const expected = { first_name: '지우', emails: ['a@b.example'], phone_numbers: [] };
  expect(await list('contacts')).toMatchObject([expected]);
});

test.each([true, false])(
  'finds out whether a deletion with a lost response succeeded: %s',
  async (isDone) => {
    const { kith, send, list, loseResponse } = await createControlledMachine();
    const { id } = await send('POST /v1/contacts', { first_name: '지우' });
    loseResponse('DELETE', isDone);
    expect((await kith(['contacts', 'delete', id, '--yes'])).code).toBe(isDone ? 0 : 7);
    expect((await kith('undo --yes')).code).toBe(isDone ? 0 : 3);
    expect(names(await list('contacts'))).toEqual(['지우']);
  },
);

test('refuses if a record has changed since an update with a lost response', async () => {
  const { kith, send, list, loseResponse } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  loseResponse('PATCH', true);
  await kith(['contacts', 'update', id, '--first-name', 'Ada']);
  await send(`PATCH /v1/contacts/${id}`, { first_name: 'Grace' });
  const { code, err } = await kith('undo --yes');
  expect({ code, err }).toEqual({
    code: 2,
    err:
      `kith: Contact ${id} has changed (first_name) since \`kith contacts update\`.\n` +
      'hint: Nothing was written. To undo the command, first revert these changes by hand.\n',
  });
  expect(names(await list('contacts'))).toEqual(['Grace']);
});

test('undoes a write whose process was killed before its journal had the response', async () => {
  const { kith, send, list, dropLines } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  await kith(['contacts', 'update', id, '--first-name', 'Ada']);
  dropLines(1);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(names(await list('contacts'))).toEqual(['지우']);
});

/** Deletes a list with two entries, and loses a response while the list is restored. */
async function interruptUndo(isDone: boolean, skipped: number) {
  const machine = await createControlledMachine();
  const { kith, send, list, loseResponse, control } = machine;
  const { id: list_id } = await send('POST /v1/lists', {
    name: '소식지',
    process: false,
    entry_type: 'Contact',
  });
  for (const first_name of ['지우', 'Ada']) {
    const { id } = await send('POST /v1/contacts', { first_name });
    await send(`POST /v1/lists/${list_id}/entries`, { entryable_id: id, entryable_type: 'Contact' });
  }
  expect((await kith(['lists', 'delete', list_id, '--yes'])).code).toBe(0);
  // If the connection is not lost too, the undo looks up the write.
  let left = skipped;
  if (isDone) loseConnection(control, ({ method }) => method === 'POST' && left-- === 0);
  else loseResponse('POST', false, skipped);
  expect((await kith('undo --yes')).code).toBe(7);
  restoreConnection(control);
  const readEntries = async () => {
    const lists = await list('lists');
    expect(lists).toHaveLength(1);
    return list(`lists/${lists[0]?.id}/entries`);
  };
  return { ...machine, readEntries };
}

test.each([
  [true, 0],
  [true, 1],
  [false, 0],
  [false, 1],
  [false, 2],
  [true, 2],
])('continues an interrupted undo (write succeeded: %s, earlier writes: %i)', async (isDone, skipped) => {
  const { kith, list, readEntries } = await interruptUndo(isDone, skipped);
  expect((await kith('undo --dry-run')).out).toContain('Continue the interrupted undo of');
  expect((await kith('undo --yes')).code).toBe(0);
  expect(await readEntries()).toHaveLength(2);
  expect((await kith('redo --yes')).code).toBe(0);
  expect(await list('lists')).toEqual([]);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(await readEntries()).toHaveLength(2);
});

test.each([0, 1, 2])(
  'an undo looks up a write whose response was lost (earlier writes: %i)',
  async (skipped) => {
    const { kith, send, list, loseResponse } = await createControlledMachine();
    const { id: list_id } = await send('POST /v1/lists', {
      name: 'A',
      process: false,
      entry_type: 'Contact',
    });
    for (const first_name of ['지우', 'Ada']) {
      const { id } = await send('POST /v1/contacts', { first_name });
      await send(`POST /v1/lists/${list_id}/entries`, { entryable_id: id, entryable_type: 'Contact' });
    }
    await kith(['lists', 'delete', list_id, '--yes']);
    loseResponse('POST', true, skipped);
    expect((await kith('undo --yes')).code).toBe(0);
    const [restored, ...others] = await list('lists');
    expect(others).toEqual([]);
    expect(await list(`lists/${restored?.id}/entries`)).toHaveLength(2);
    expect((await kith('redo --yes')).code).toBe(0);
    expect(await list('lists')).toEqual([]);
  },
);

test('Ctrl-C lets the write of an undo in flight finish, and the next undo continues', async () => {
  const { send, list, kith, env, folder, control } = await createControlledMachine();
  const contacts = [await send('POST /v1/contacts', { first_name: 'Ada' })];
  contacts.push(await send('POST /v1/contacts', { first_name: 'Bo' }));
  await kith(['contacts', 'delete', ...contacts.map(({ id }) => id), '--yes']);
  const interrupt = new AbortController();
  control.after = ({ method }) => {
    if (method === 'POST') interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    return false;
  };
  const options = { env: { ...env, KITH_UNDO: 'on' }, now: new Date(startTime), signal: interrupt.signal };
  expect(await createMachine(folder)('undo --yes -q', options)).toMatchObject({ code: 130 });
  control.after = () => false;
  expect(await list('contacts')).toHaveLength(1);
  const log = readFileSync(listLogs(folder).at(-1) ?? '', 'utf8');
  expect(log.match(/"after":/g)).toHaveLength(1);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(names(await list('contacts')).toSorted()).toEqual(['Ada', 'Bo']);
});

test('a redo reverts the undo, and another undo the redo', async () => {
  const { kith, send, list } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우', emails: ['a@b.example'] });
  await kith(['contacts', 'delete', id, '--yes']);
  for (const [verb, expected] of [
    ['undo', ['지우']],
    ['redo', []],
    ['undo', ['지우']],
    ['redo', []],
  ] as const) {
    expect((await kith(`${verb} --yes`)).code).toBe(0);
    expect(names(await list('contacts'))).toEqual(expected);
  }
  expect(await kith('redo --yes')).toMatchObject({ code: 3 });
});

test('a write succeeds if the record cannot be read before it, but cannot be undone', async () => {
  const { kith, send, list, control } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  control.before = ({ method, url }, response) => {
    if (method !== 'GET' || url !== `/v1/contacts/${id}`) return false;
    response.writeHead(403).end();
    return true;
  };
  expect(await kith(['contacts', 'update', id, '--first-name', 'Ada'])).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^kith: This command is not recorded for `kith undo`: .*403/),
  });
  control.before = () => false;
  expect(names(await list('contacts'))).toEqual(['Ada']);
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(2);
  expect(err).toContain('`kith contacts update` cannot be undone: ');
  expect(err).toContain('kith could not read the record before the change.');
});

test('a deletion goes on if a list cannot be read before it', async () => {
  const { kith, send, list, control } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  control.before = ({ url }, response) => {
    if (!url.startsWith('/v1/lists')) return false;
    response.destroy();
    return true;
  };
  const { code, err } = await kith(['contacts', 'delete', id, '--yes']);
  expect(code).toBe(0);
  expect(err).toContain('kith: This command is not recorded for `kith undo`: ');
  expect(await list('contacts')).toEqual([]);
  expect((await kith('undo --yes')).code).toBe(2);
});

test('an entry is not restored if the service returns another one instead', async () => {
  const { kith, send, control } = await createControlledMachine();
  const { id } = await send('POST /v1/lists', funnel);
  const { id: entryable_id } = await send('POST /v1/contacts', { first_name: '지우' });
  const body = { entryable_id, entryable_type: 'Contact', status: 'Lead' };
  const entry = await send(`POST /v1/lists/${id}/entries`, { ...body, one_time_value_cents: 5 });
  await kith(['entries', 'delete', id, entry.id, '--yes']);
  const other = await send(`POST /v1/lists/${id}/entries`, body);
  control.before = ({ method }, response) => {
    if (method === 'POST') sendJson(response, 200, other);
    return method === 'POST';
  };
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(5);
  expect(err).toContain(`kith: The entry is not restored: its list already has entry ${other.id}.\n`);
});

test('a create that was killed before its request is not taken for an earlier one with the same values', async () => {
  const { kith, send, list, dropLines } = await createControlledMachine();
  await kith('contacts create --first-name Ada');
  await kith('contacts create --first-name Ada');
  const [, { id } = {}] = await list('contacts');
  await send(`DELETE /v1/contacts/${id}`);
  dropLines(1);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(await list('contacts')).toEqual([]); // the first command is undone
});

test('continues an undo that restores two equal records', async () => {
  const { kith, send, list, loseResponse } = await createControlledMachine();
  const contacts = [await send('POST /v1/contacts', { first_name: 'Ada' })];
  contacts.push(await send('POST /v1/contacts', { first_name: 'Ada' }));
  await kith(['contacts', 'delete', ...contacts.map(({ id }) => id), '--yes']);
  loseResponse('POST', false, 1);
  expect((await kith('undo --yes')).code).toBe(7);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(names(await list('contacts'))).toEqual(['Ada', 'Ada']);
});

test.each([
  ['remove-emails', 'DELETE', true],
  ['remove-emails', 'DELETE', false],
  ['update', 'PATCH', true],
])('undoes contacts %s whose response to %s was lost (carried out: %s)', async (verb, method, isDone) => {
  const { kith, send, list, loseResponse } = await createControlledMachine();
  const emails = ['a@b.example', 'c@b.example', 'd@b.example'];
  const { id } = await send('POST /v1/contacts', { first_name: '지우', emails });
  loseResponse(method, isDone);
  const change = verb === 'update' ? ['--email', 'z@b.example'] : ['a@b.example', 'd@b.example', '--yes'];
  expect((await kith(['contacts', verb, id, ...change])).code).toBe(7);
  const count = { update: 4, 'remove-emails': isDone ? 1 : 3 }[verb];
  expect((await list('contacts'))[0]?.emails).toHaveLength(count ?? 0);
  expect((await kith('undo --yes')).code).toBe(isDone ? 0 : 3);
  const [contact] = await list('contacts');
  expect([contact?.emails].flat().sort()).toEqual(emails);
});

test.each(['undo', 'redo'])('if an undo and a %s run at once, the second exits with 75', async (verb) => {
  const { kith, send, list, control } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  await kith(['contacts', 'update', id, '--first-name', 'Ada']);
  await kith(['contacts', 'update', id, '--first-name', 'Bo']);
  await kith('undo --yes');
  let second: Awaited<ReturnType<typeof kith>> | undefined;
  control.before = async ({ method }) => {
    if (method === 'PATCH') second ??= await kith(`${verb} --yes`);
    return false;
  };
  expect((await kith('undo --yes')).code).toBe(0);
  expect(second).toMatchObject({ code: 75, out: '', err: expect.stringContaining('is reverting a command') });
  expect(names(await list('contacts'))).toEqual(['지우']);
  await kith('redo --yes');
  expect(names(await list('contacts'))).toEqual(['Ada']);
});
