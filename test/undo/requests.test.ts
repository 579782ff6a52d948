import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import { connectInProcess } from '../commands/mcp/agent.ts';
import { disturb, startControlledMachine } from '../import/controlled-service.ts';
import { listLogs } from './recording-machine.ts';

/** A machine with the setting `auto` on a service that counts its requests. */
async function createRecordedMachine(setting = 'auto') {
  const machine = await startControlledMachine({ KITH_UNDO: setting });
  const { sendOk } = machine;
  const readNames = async () => {
    const { data } = await sendOk<{ data: Record<string, string>[] }>('GET /v1/contacts');
    return data.map(({ first_name }) => first_name).sort();
  };
  return { ...machine, readNames };
}

test('a script sends one request for each write, and leaves no log', async () => {
  const { kith, folder, create, takeRequests } = await createRecordedMachine();
  const names = ['A', 'B', 'C', 'D'];
  const [a, b, c, d] = await Promise.all(names.map((first_name) => create('contacts', { first_name })));
  takeRequests();
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

test('the setting auto records the writes of an agent', async () => {
  const { kith, folder, create, readNames } = await createRecordedMachine();
  const id = await create('contacts', { first_name: 'Ada' });
  const { call } = await connectInProcess(kith, {}, '--allow-write');
  await call('contacts_write', { action: 'update', id, first_name: 'X' });
  expect(await readNames()).toEqual(['X']);
  expect(listLogs(folder)).toHaveLength(1);
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts update`: 1 change.\n');
  expect(await readNames()).toEqual(['Ada']);
});

test('neither kith api nor a request that failed is recorded', async () => {
  const { kith, folder, create, takeRequests } = await createRecordedMachine('on');
  const id = await create('contacts', { first_name: 'Ada' });
  const line = `api /v1/contacts/${id} -X PATCH -f first_name=X`;
  for (const terminal of [undefined, 80]) {
    expect((await kith(line, terminal === undefined ? {} : { terminal })).code).toBe(0);
    expect(takeRequests()).toEqual([`PATCH /v1/contacts/${id} {"first_name":"X"}`]);
  }
  expect((await kith(['contacts', 'update', id, '--email', 'not an address'])).code).not.toBe(0);
  expect(listLogs(folder)).toEqual([]);
  expect((await kith('undo --yes')).code).toBe(3);
});

test('names in a script, before the deletion, what undo cannot restore', async () => {
  const { kith, create, control, takeRequests } = await createRecordedMachine('on');
  const id = await create('organizations', { name: 'Large' });
  disturb(
    control,
    'before',
    ({ method, url }) => method === 'GET' && url.startsWith('/v1/contacts'),
    (response) => {
      const pagination = { end_cursor: 1, has_next_page: true, total_count: 10_001 };
      sendJson(response, 200, { data: [{ id: 'aaaaaa', emails: [] }], pagination });
    },
  );
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
