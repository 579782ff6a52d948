import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import {
  disturb,
  funnel,
  loseConnection,
  restoreConnection,
  startControlledMachine,
} from '../import/controlled-service.ts';
import { startTime } from '../service/service.ts';
import { listLogs } from './recording-machine.ts';

/** A machine that records its writes to a service whose responses a test can drop. */
async function createControlledMachine() {
  const service = await startControlledMachine({ KITH_UNDO: 'on' });
  const { folder } = service;
  const kith = (line: string | readonly string[]) =>
    service.kith(typeof line === 'string' ? `${line} --retries 0` : [...line, '--retries', '0'], {
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
  return { ...service, kith, send, list, loseResponse, dropLines };
}

const names = (records: readonly Record<string, unknown>[]) => records.map(({ first_name }) => first_name);

const lostWrites = [
  ['POST', 'contacts create --first-name Ada --phone +821055509876'],
  ['PATCH', 'contacts update ID --first-name Ada --email C@b.example --phone "+82 10-5550-9876"'],
  ['PATCH', 'contacts update ID --email z@b.example'],
  ['DELETE', 'contacts remove-emails ID a@b.example d@b.example --yes'],
  ['DELETE', 'contacts delete ID --yes'],
] as const;
const lostCases = lostWrites.flatMap(([method, line]) =>
  [true, false].map((isDone) => [method, line, isDone] as const),
);

test.each(lostCases)(
  'finds out whether a %s with a lost response succeeded: %s (%s)',
  async (method, line, isDone) => {
    const { kith, send, list, loseResponse } = await createControlledMachine();
    const emails = ['a@b.example', 'c@b.example', 'd@b.example'];
    const { id } = await send('POST /v1/contacts', { first_name: '지우', emails });
    const readContacts = async () =>
      (await list('contacts')).map(({ first_name, emails, phone_numbers }) => ({
        first_name,
        emails: [emails].flat().toSorted(),
        phone_numbers,
      }));
    const before = await readContacts();
    loseResponse(method, isDone);
    const isFound = line.startsWith('contacts delete') && isDone;
    expect((await kith(line.replace('ID', id))).code).toBe(isFound ? 0 : 7);
    if (isDone) expect(await readContacts()).not.toEqual(before);
    else expect(await readContacts()).toEqual(before);
    expect((await kith('undo --yes')).code).toBe(isDone ? 0 : 3);
    expect(await readContacts()).toEqual(before);
  },
);

test('a command that changed nothing can be undone once by its number', async () => {
  const { kith, send, loseResponse } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  loseResponse('PATCH', false);
  await kith(['contacts', 'update', id, '--first-name', 'Ada']);
  expect((await kith('undo 1 --yes')).out).toBe('Undid `kith contacts update`: 0 changes.\n');
  expect((await kith('undo 1 --yes')).err).toContain('cannot revert command 1 (undone).');
});

test('a preview of an undo says that it continues an interrupted one', async () => {
  const { kith, send, control } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  await kith(['contacts', 'delete', id, '--yes']);
  loseConnection(control, ({ method }) => method === 'POST');
  expect((await kith('undo --yes')).code).toBe(7);
  restoreConnection(control);
  expect((await kith('undo --dry-run')).out).toContain('Continue the interrupted undo of');
});

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

test('a write succeeds if the record cannot be read before it, but cannot be undone', async () => {
  const { kith, send, list, control } = await createControlledMachine();
  const { id } = await send('POST /v1/contacts', { first_name: '지우' });
  disturb(
    control,
    'before',
    ({ method, url }) => method === 'GET' && url === `/v1/contacts/${id}`,
    (response) => response.writeHead(403).end(),
  );
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
  disturb(control, 'before', ({ url }) => url.startsWith('/v1/lists'));
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
  disturb(
    control,
    'before',
    ({ method }) => method === 'POST',
    (response) => sendJson(response, 200, other),
  );
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
