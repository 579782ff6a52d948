import { expect, test } from 'vitest';
import { ClosedPipeError, Failure } from '../../../src/contract/errors.ts';
import { sendJson } from '../../client/loopback.ts';
import { disturb } from '../../import/controlled-service.ts';
import { createControlledContacts, parseLines, readStatuses } from './bulk-machine.ts';

const update = 'contacts update - --last-name Kim --yes';

/** Returns the numbers of responses with each method. */
const countMethods = (requests: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const line of requests) {
    const [method = ''] = line.split(' ');
    counts[method] = (counts[method] ?? 0) + 1;
  }
  return counts;
};

test('a write that may be lost is unknown, and the next run sends only that write', async () => {
  const { kith, control, ids, takeRequests, takeWrites } = await createControlledContacts(6);
  disturb(control, 'before', ({ method, url }) => method === 'PATCH' && url.endsWith(ids[2] ?? ''));
  const first = await kith(update);
  expect(first.code).toBe(6);
  expect(parseLines(first.out)[2]).toMatchObject({ status: 'unknown', error: { code: 'unknown' } });
  control.before = () => false;
  takeRequests();
  const second = await kith(update);
  expect(takeWrites()).toEqual([`PATCH /v1/contacts/${ids[2]} {"last_name":"Kim"}`]);
  expect(second.code).toBe(0);
  const unchanged = ids.map((_, index) => (index === 2 ? 'updated' : 'unchanged'));
  expect(readStatuses(second.out)).toEqual(unchanged);
  expect(second.err).toContain('kith: Continuing the interrupted `kith contacts update`: ');
  expect(await kith('undo --yes')).toMatchObject({ out: 'Undid `kith contacts update`: 6 changes.\n' });
});

test('a key that is refused stops the run, and the message says how to continue', async () => {
  const { kith, control, takeRequests, takeWrites } = await createControlledContacts(20);
  let writes = 0;
  control.before = ({ method }, response) => {
    if (method === 'PATCH') writes += 1;
    if (writes <= 8) return false;
    sendJson(response, 401, { message: 'The key was revoked.' });
    return true;
  };
  takeRequests();
  const first = await kith(update);
  expect(first.code).toBe(4);
  expect(first.err).toMatch(/The key was revoked\. Updated 8 of 20; \d failed; \d+ not done\./);
  expect(first.err).toContain('run the same command with the same input again');
  expect(countMethods(takeRequests()).PATCH).toBeLessThanOrEqual(12);
  control.before = () => false;
  const second = await kith(update);
  expect(second.code).toBe(0);
  expect(takeWrites()).toHaveLength(12);
});

test('without the change log, an update sends one request for each record', async () => {
  const { kith, takeRequests } = await createControlledContacts(5);
  takeRequests();
  await kith(update, { env: { KITH_UNDO: 'off' } });
  expect(countMethods(takeRequests())).toEqual({ PATCH: 5 });
  await kith('contacts update - --last-name Lee --yes');
  expect(countMethods(takeRequests())).toEqual({ GET: 5, PATCH: 5 });
});

test('Ctrl-C lets the requests in flight finish, and reports what is done', async () => {
  const { kith, control, takeWrites } = await createControlledContacts(30);
  const interrupt = new AbortController();
  control.after = ({ method }) => {
    if (method === 'PATCH') interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    return false;
  };
  takeWrites();
  const { code, out, err } = await kith(update, { signal: interrupt.signal });
  expect(code).toBe(130);
  const done = takeWrites().length;
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(30);
  expect(readStatuses(out)).toEqual(Array(done).fill('updated'));
  expect(err).toContain(`kith: Interrupted. Updated ${done} of 30; ${30 - done} not done.`);
});

test('Ctrl-C before the first write sends nothing', async () => {
  const { kith, control, takeWrites } = await createControlledContacts(3);
  takeWrites();
  const interrupt = new AbortController();
  control.after = ({ method, url }) => {
    if (method === 'GET' && url.startsWith('/v1/contacts/'))
      interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    return false;
  };
  expect((await kith(update, { signal: interrupt.signal })).code).toBe(130);
  expect(takeWrites()).toEqual([]);
});

test('a command with many records is undone only after it has ended', async () => {
  const { kith, control, ids } = await createControlledContacts(2);
  let undo: ReturnType<typeof kith> | undefined;
  control.after = async ({ method, url }) => {
    if (method !== 'PATCH' || !url.endsWith(ids[1] ?? '') || undo) return false;
    undo = kith('undo --yes');
    await undo;
    return false;
  };
  expect((await kith(update)).code).toBe(0);
  const err = expect.stringContaining('Another run is still running `kith contacts update`');
  expect(await undo).toMatchObject({ code: 75, err });
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts update`: 2 changes.\n');
});

test.each(['contacts update - --last-name Kim --yes', 'batch - --parallel 4'])(
  'if the output is closed, the message of %s counts the requests that were in flight',
  async (command) => {
    const { kith, ids, takeRequests, takeWrites } = await createControlledContacts(30);
    const lines = ids.map((id) => JSON.stringify({ command: 'contacts update', id, last_name: 'Kim' }));
    const onOut = () => {
      throw new ClosedPipeError();
    };
    takeRequests();
    const stdin = (command.startsWith('batch') ? lines : ids).join('\n');
    const { code, err } = await kith(command, { stdin, onOut });
    const done = takeWrites().length;
    expect(done).toBeLessThan(30);
    expect({ code, err }).toEqual({
      code: 6,
      err: expect.stringMatching(
        `The output was closed. (Updated|Done) ${done} of 30; ${30 - done} not done.`,
      ),
    });
  },
);
