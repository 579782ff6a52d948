import { expect, test } from 'vitest';
import { ClosedPipeError, Failure } from '../../../src/contract/errors.ts';
import { sendJson } from '../../client/loopback.ts';
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

test('waits for a service that limits the rate, and continues', async () => {
  const { kith, control } = await createControlledContacts(12);
  let count = 0;
  control.before = ({ method }, response) => {
    count += 1;
    if (method === 'GET' || count % 3 > 0) return false;
    const status = count % 2 === 0 ? 429 : 503;
    sendJson(response, status, { message: 'Slow down.' }, { 'retry-after': '0' });
    return true;
  };
  const { code, out } = await kith(update);
  expect({ code, statuses: new Set(readStatuses(out)) }).toEqual({ code: 0, statuses: new Set(['updated']) });
});

test('checks a write whose response was lost', async () => {
  const { kith, control, ids } = await createControlledContacts(6);
  control.after = ({ method, url }, response) => {
    if (method !== 'PATCH' || !url.endsWith(ids[2] ?? '')) return false;
    response.destroy();
    return true;
  };
  expect(readStatuses((await kith(update)).out)).toEqual(Array(6).fill('updated'));
});

test('a write that may be lost is unknown, and the next run sends only that write', async () => {
  const { kith, control, ids, takeRequests, takeWrites } = await createControlledContacts(6);
  control.before = ({ method, url }, response) => {
    if (method !== 'PATCH' || !url.endsWith(ids[2] ?? '')) return false;
    response.destroy();
    return true;
  };
  const first = await kith(update);
  expect(first.code).toBe(6);
  expect(parseLines(first.out)[2]).toMatchObject({ status: 'unknown', error: { code: 'unknown' } });
  control.before = () => false;
  takeRequests();
  const second = await kith(update);
  expect(takeWrites()).toEqual([`PATCH /v1/contacts/${ids[2]} {"last_name":"Kim"}`]);
  expect(second.code).toBe(0);
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

test('a deletion continues after it was stopped', async () => {
  const { kith, control, takeRequests, takeWrites, ids } = await createControlledContacts(10);
  let writes = 0;
  control.before = ({ method }, response) => {
    if (method === 'DELETE') writes += 1;
    if (writes !== 5) return false;
    sendJson(response, 403, { message: 'The key may only read.' });
    return true;
  };
  expect((await kith('contacts delete - --yes')).code).toBe(4);
  control.before = () => false;
  takeRequests();
  const { code, out } = await kith('contacts delete - --yes');
  const deletedAgain = takeWrites().length;
  expect(code).toBe(0);
  expect(readStatuses(out).filter((status) => status === 'deleted')).toHaveLength(deletedAgain);
  expect(readStatuses(out)).toHaveLength(ids.length);
  expect(deletedAgain).toBeLessThan(ids.length);
  expect(await kith('undo --yes')).toMatchObject({ out: 'Undid `kith contacts delete`: 10 changes.\n' });
});

test('without the change log, an update sends one request for each record', async () => {
  const { kith, takeRequests } = await createControlledContacts(5);
  takeRequests();
  await kith(update, { env: { KITH_UNDO: 'off' } });
  expect(countMethods(takeRequests())).toEqual({ PATCH: 5 });
  await kith('contacts update - --last-name Lee --yes');
  expect(countMethods(takeRequests())).toEqual({ GET: 5, PATCH: 5 });
});

test('a second run with the same records is refused while the first one is running', async () => {
  const { kith, control } = await createControlledContacts(4);
  control.delay = 30;
  const [first, second] = await Promise.all([kith(update), kith(update)]);
  expect([first.code, second.code].toSorted()).toEqual([0, 75]);
  expect(first.err + second.err).toContain('is running `kith contacts update` with the same input');
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
