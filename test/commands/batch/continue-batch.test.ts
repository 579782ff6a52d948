import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson } from '../../client/loopback.ts';
import { disturb } from '../../import/controlled-service.ts';
import { createControlledContacts } from '../bulk/bulk-machine.ts';

const toText = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join('\n');

const isCreate = (line: string) => line.startsWith('POST');

test('a line that deleted some of its records continues with the others', async () => {
  const { kith, control, ids, takeRequests, takeWrites } = await createControlledContacts(3);
  const stdin = toText([{ command: 'contacts delete', id: ids }]);
  control.before = ({ method, url }, response) => {
    if (method !== 'DELETE' || url.endsWith(ids[0] ?? '')) return false;
    sendJson(response, 422, { message: 'It is in use.' });
    return true;
  };
  expect((await kith('batch - --yes', { stdin })).code).toBe(6);
  control.before = () => false;
  takeRequests();
  const second = await kith('batch - --yes', { stdin });
  expect(second.code).toBe(0);
  expect(takeWrites()).toEqual([`DELETE /v1/contacts/${ids[1]}`, `DELETE /v1/contacts/${ids[2]}`]);
  expect(JSON.parse(second.out).data).toEqual(ids.map((id) => ({ id, deleted: true })));
  expect(await kith('undo --yes')).toMatchObject({ out: 'Undid `kith batch`: 3 changes.\n' });
});

test('equal creates whose responses were lost are neither dropped nor repeated', async () => {
  const { kith, control, takeRequests, takeWrites } = await createControlledContacts(0);
  const stdin = toText(Array(5).fill({ command: 'contacts create', first_name: '가' }));
  let writes = 0;
  const lose =
    (numbers: readonly number[]) => (request: { method: string }, response: { destroy(): unknown }) => {
      if (request.method !== 'POST' || !numbers.includes(writes)) return false;
      response.destroy();
      return true;
    };
  control.before = (request, response) => {
    if (request.method === 'POST') writes += 1;
    return lose([2])(request, response); // not carried out
  };
  control.after = lose([3, 4]); // carried out
  expect((await kith('batch - --retries 0', { stdin })).code).toBe(6);
  control.before = () => false;
  control.after = () => false;
  takeRequests();
  const second = await kith('batch -', { stdin });
  expect(second.code).toBe(0);
  expect(takeWrites().filter(isCreate)).toHaveLength(1);
  expect(await kith('contacts list --all --jq length')).toMatchObject({ out: '5\n' });
  expect(await kith('undo --yes')).toMatchObject({ out: 'Undid `kith batch`: 5 changes.\n' });
});

test('an undo reverts all lines although the first line was refused while others were waiting', async () => {
  const { kith, control, ids } = await createControlledContacts(10);
  const stdin = toText(ids.map((id) => ({ command: 'contacts update', id, last_name: 'Kim' })));
  let hasRefused = false;
  control.before = async ({ method, url }, response) => {
    const isFirst = url.endsWith(ids[0] ?? '');
    if (!isFirst) while (!hasRefused) await wait(5);
    if (!isFirst || method !== 'PATCH') return false;
    sendJson(response, 422, { message: 'It is locked.' });
    await wait(50);
    hasRefused = true;
    return true;
  };
  expect((await kith('batch - --parallel 4', { stdin })).code).toBe(6);
  control.before = () => false;
  expect(await kith('undo --yes')).toMatchObject({ code: 0, out: 'Undid `kith batch`: 9 changes.\n' });
  const { out } = await kith('contacts list --all --jq map(.last_name)');
  expect(JSON.parse(out)).toEqual(ids.map(() => null));
});

test('a continued batch sends a done update again if the record was changed', async () => {
  const { kith, control, ids, takeRequests, takeWrites } = await createControlledContacts(3);
  const updates = ids.map((id) => ({ command: 'contacts update', id, last_name: 'Kim' }));
  const stdin = toText([{ command: 'contacts create', first_name: 'Ada' }, ...updates]);
  disturb(
    control,
    'before',
    ({ method, url }) => method === 'PATCH' && url.endsWith(ids[2] ?? ''),
    (response) => sendJson(response, 401, { message: 'The key was revoked.' }),
  );
  expect((await kith('batch -', { stdin })).code).toBe(4);
  control.before = () => false;
  await kith(`contacts update ${ids[0]} --last-name Lee`);
  takeRequests();
  const { code, out } = await kith('batch -', { stdin });
  const results = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, results.map(({ status }) => status)]).toEqual([
    0,
    ['unchanged', 'done', 'unchanged', 'done'],
  ]);
  expect(results.map(({ data }) => data.last_name)).toEqual([null, 'Kim', 'Kim', 'Kim']);
  expect(takeWrites()).toEqual([ids[0], ids[2]].map((id) => `PATCH /v1/contacts/${id} {"last_name":"Kim"}`));
});

test('a line of which one id is always refused keeps the batch continued only once', async () => {
  const { kith, control, ids, takeRequests, takeWrites } = await createControlledContacts(2);
  const stdin = toText([
    { command: 'contacts create', first_name: 'Ada' },
    { command: 'contacts delete', id: ids },
  ]);
  disturb(
    control,
    'before',
    ({ method, url }) => method === 'DELETE' && url.endsWith(ids[0] ?? ''),
    (response) => sendJson(response, 422, { message: 'It is in use.' }),
  );
  const counts = [];
  for (let run = 0; run < 3; run += 1) {
    takeRequests();
    expect((await kith('batch - --yes', { stdin })).code).toBe(6);
    counts.push(takeWrites().filter(isCreate).length);
  }
  expect(counts).toEqual([1, 0, 1]);
});

test('a batch with a wrong line runs its other lines again', async () => {
  const { kith, ids } = await createControlledContacts(2);
  const lines = [...ids, 'none'].map((id) => ({ command: 'contacts update', id, last_name: 'Kim' }));
  const stdin = toText(lines);
  expect((await kith('batch -', { stdin })).code).toBe(6);
  await kith(`contacts update ${ids[0]} --last-name Lee`);
  expect(await kith('batch -', { stdin })).toMatchObject({
    code: 6,
    err: expect.stringContaining('Correct these lines, and run only them'),
  });
  expect(JSON.parse((await kith(`contacts get ${ids[0]} --json`)).out).last_name).toBe('Kim');
});
