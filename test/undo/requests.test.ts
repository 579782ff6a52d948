import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import { connectInProcess } from '../commands/mcp/agent.ts';
import { startControlledService } from '../import/controlled-service.ts';
import { createMachine, createTemporaryFolder, type MachineOptions } from '../support/kith.ts';
import { listLogs } from './recording-machine.ts';

/** A machine with the setting `auto` on a service that counts its requests. */
async function createAutoMachine(setting = 'auto') {
  const { sendOk, env, control, takeRequests } = await startControlledService();
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { ...options, env: { ...env, KITH_UNDO: setting, ...options.env } });
  const create = async (first_name: string) =>
    (await sendOk<{ id: string }>('POST /v1/contacts', { first_name })).id;
  const readNames = async () => {
    const { data } = await sendOk<{ data: Record<string, string>[] }>('GET /v1/contacts');
    return data.map(({ first_name }) => first_name).sort();
  };
  return { kith, folder, create, readNames, sendOk, control, takeRequests };
}

test('a script sends one request for each write, and leaves no log', async () => {
  const { kith, folder, create, takeRequests } = await createAutoMachine();
  const [a, b, c, d] = await Promise.all(['A', 'B', 'C', 'D'].map(create));
  const lines: [string, string[]][] = [
    ['contacts create --first-name Ada', ['POST /v1/contacts {"first_name":"Ada"}']],
    [`contacts update ${a} --first-name X`, [`PATCH /v1/contacts/${a} {"first_name":"X"}`]],
    [`contacts delete ${a} --yes`, [`DELETE /v1/contacts/${a}`]],
    [`contacts delete ${b} ${c} ${d} -y`, [b, c, d].map((id) => `DELETE /v1/contacts/${id}`)],
  ];
  for (const [line, requests] of lines) {
    expect((await kith(line)).code).toBe(0);
    expect(takeRequests()).toEqual(requests);
  }
  expect(listLogs(folder)).toEqual([]);
});

test.each(['a terminal', 'an agent'])('the setting auto records the writes of %s', async (place) => {
  const { kith, folder, create, readNames } = await createAutoMachine();
  const id = await create('Ada');
  if (place === 'a terminal') await kith(`contacts update ${id} --first-name X`, { terminal: 80 });
  else {
    const { call } = await connectInProcess(kith, {}, '--allow-write');
    await call('contacts_write', { action: 'update', id, first_name: 'X' });
  }
  expect(await readNames()).toEqual(['X']);
  expect(listLogs(folder)).toHaveLength(1);
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts update`: 1 change.\n');
  expect(await readNames()).toEqual(['Ada']);
});

test('kith api is never recorded', async () => {
  const { kith, folder, create, takeRequests } = await createAutoMachine('on');
  const id = await create('Ada');
  const line = `api /v1/contacts/${id} -X PATCH -f first_name=X`;
  for (const terminal of [undefined, 80]) {
    expect((await kith(line, terminal === undefined ? {} : { terminal })).code).toBe(0);
    expect(takeRequests()).toEqual([`PATCH /v1/contacts/${id} {"first_name":"X"}`]);
  }
  expect(listLogs(folder)).toEqual([]);
});

/** A service that has an organization, and says that it has more contacts than kith reads. */
async function createLargeMachine() {
  const machine = await createAutoMachine('on');
  const { id } = await machine.sendOk<{ id: string }>('POST /v1/organizations', { name: 'Large' });
  machine.control.before = ({ method, url }, response) => {
    if (method !== 'GET' || !url.startsWith('/v1/contacts')) return false;
    const pagination = { end_cursor: 1, has_next_page: true, total_count: 10_001 };
    sendJson(response, 200, { data: [{ id: 'aaaaaa', emails: [] }], pagination });
    return true;
  };
  return { ...machine, id };
}

test('names in a script, before the deletion, what undo cannot restore', async () => {
  const { kith, id, takeRequests } = await createLargeMachine();
  const sentence = 'Not restored: the organization fields of its contacts.';
  takeRequests();
  const stopped = await kith(['organizations', 'delete', id, '--yes'], { interruptAt: sentence });
  expect(stopped.code).not.toBe(0);
  expect(takeRequests().filter((line) => line.startsWith('DELETE'))).toEqual([]);
  const { code, err } = await kith(['organizations', 'delete', id, '--yes']);
  expect({ code, err }).toEqual({
    code: 0,
    err: `kith: ${sentence} kith did not read all of them before the deletion.\n`,
  });
  expect((await kith('undo --dry-run')).out).toContain(sentence);
});

test('names in the question before a deletion what undo cannot restore', async () => {
  const { kith, id, takeRequests } = await createLargeMachine();
  const { code, err } = await kith(['organizations', 'delete', id], { terminal: 80, answers: [false] });
  expect(code).toBe(1);
  expect(err.replaceAll(/\s+/g, ' ')).toContain(
    'kith did not read all records (at most 10,000 of each kind), so it cannot count or restore the organization fields of its contacts.',
  );
  expect(takeRequests().filter((line) => line.startsWith('DELETE'))).toEqual([]);
});
