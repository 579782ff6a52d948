import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changeActionLedger, describeDamagedLines, readActionLedger } from '../../src/actions/ledger.ts';
import type { ItemState } from '../../src/actions/ledger-format.ts';
import { createLockHolder, createTemporaryFolder } from '../support/kith.ts';

const header = '{"kith_actions":1}';

const createState = (id: string, state: 'open' | 'done' = 'done', at = '2026-11-20T10:00:00.000Z') => ({
  event_id: 'm1',
  id,
  state,
  at,
  text: `Item ${id}`,
});

const formatLine = (...parameters: Parameters<typeof createState>) =>
  JSON.stringify(createState(...parameters));

/** Creates a ledger with lines. */
function createLedger(...lines: readonly string[]) {
  const path = join(createTemporaryFolder(), 'actions.jsonl');
  if (lines.length > 0) writeFileSync(path, [header, ...lines, ''].join('\n'));
  const change = (...states: readonly ItemState[]) =>
    changeActionLedger(path, createLockHolder(), () => states);
  const readLines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return { path, change, readLines };
}

const readStates = (path: string) =>
  Object.fromEntries(Array.from(readActionLedger(path).listAll(), ({ id, state }) => [id, state]));

test('writes one line per item in a fixed order', async () => {
  const { path, change, readLines } = createLedger();
  await change(createState('b'), { ...createState('z'), event_id: 'm0' });
  await change(createState('a'), createState('b', 'open', '2026-11-21T10:00:00.000Z'));
  expect(readLines()).toEqual([
    header,
    JSON.stringify({ ...createState('z'), event_id: 'm0' }),
    formatLine('a'),
    formatLine('b', 'open', '2026-11-21T10:00:00.000Z'),
  ]);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
});

test('does not write the file if no state changes', async () => {
  const { path } = createLedger();
  await changeActionLedger(path, createLockHolder(), () => []);
  expect(existsSync(path)).toBe(false);
});

test('uses the later of two states of an item, in any order of the lines', async () => {
  const lines = [formatLine('a', 'done'), formatLine('a', 'open', '2026-11-20T11:00:00.000Z')];
  for (const order of [lines, lines.toReversed()])
    expect(readStates(createLedger(...order).path)).toEqual({ a: 'open' });
  const tie = [formatLine('a', 'done'), formatLine('a', 'open')];
  const [left, right] = [tie, tie.toReversed()].map((order) => readStates(createLedger(...order).path));
  expect(left).toEqual(right);
});

test('a new state is later than the earlier state, even if the clock is slow', async () => {
  const { change, readLines } = createLedger(formatLine('a', 'done', '2026-11-20T12:00:00.000Z'));
  await change(createState('a', 'open', '2026-11-20T11:00:00.000Z'));
  expect(readLines()[1]).toBe(formatLine('a', 'open', '2026-11-20T12:00:00.001Z'));
});

test('a Git merge combines the changes of two people', () => {
  const folder = createTemporaryFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@x.org', ...args], {
      cwd: folder,
      stdio: 'pipe',
    });
  const path = join(folder, 'actions.jsonl');
  const commit = (...lines: readonly string[]) => {
    writeFileSync(path, [header, ...lines, ''].join('\n'));
    git('add', '-A');
    git('commit', '-qm', 'x');
  };
  git('init', '-qb', 'main');
  writeFileSync(join(folder, '.gitattributes'), '*.jsonl merge=union\n');
  commit(formatLine('b'));
  git('checkout', '-qb', 'other');
  commit(formatLine('a'), formatLine('b', 'open', '2026-11-20T11:00:00.000Z'));
  git('checkout', '-q', 'main');
  commit(formatLine('b', 'done', '2026-11-20T12:00:00.000Z'), formatLine('c'));
  git('merge', '-q', 'other');
  expect(readStates(path)).toEqual({ a: 'done', b: 'done', c: 'done' });
});

test('keeps the changes of two writers at the same time', async () => {
  const { path } = createLedger();
  const ids = Array.from({ length: 20 }, (_, index) => `${index}`);
  await Promise.all(
    ids.map((id, index) => changeActionLedger(path, createLockHolder(1000 + index), () => [createState(id)])),
  );
  expect(Object.keys(readStates(path)).toSorted()).toEqual(ids.toSorted());
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test('keeps damaged lines and unknown members', async () => {
  const extended = JSON.stringify({ ...createState('b'), comment: 'by phone' });
  const { path, change, readLines } = createLedger('<<<<<<< HEAD', extended, '{"event_id":"m1"}\r');
  expect(describeDamagedLines(path, readActionLedger(path))).toBe(
    `Lines 2, 4 of ${path} cannot be read as the state of an action item. kith skips damaged lines and keeps them in the file.`,
  );
  await change(createState('a'));
  expect(readLines()).toEqual([header, formatLine('a'), extended, '<<<<<<< HEAD', '{"event_id":"m1"}']);
  expect(describeDamagedLines(path, readActionLedger(createLedger(formatLine('a')).path))).toBe(undefined);
});

test('reads a ledger with a byte order mark', () => {
  const { path } = createLedger(formatLine('a'));
  writeFileSync(path, `\ufeff${readFileSync(path, 'utf8')}`);
  const ledger = readActionLedger(path);
  expect([ledger.listStates('m1').length, ledger.damagedLines]).toEqual([1, []]);
});

test('refuses the ledger of a newer version, and a file that is not a ledger', async () => {
  const { path, change } = createLedger();
  writeFileSync(path, '{"kith_actions":2}\n');
  await expect(change(createState('a'))).rejects.toMatchObject({
    code: 'failed',
    message: `The action ledger ${path} was written by a newer version of kith.`,
  });
  writeFileSync(path, '# Notes\n');
  await expect(change(createState('a'))).rejects.toMatchObject({
    code: 'usage',
    message: `${path} is not an action ledger.`,
  });
  expect(readFileSync(path, 'utf8')).toBe('# Notes\n');
});

test.skipIf(process.getuid?.() === 0)('fails with the path of a read-only ledger', async () => {
  const { path, change } = createLedger(formatLine('a'));
  chmodSync(path, 0o400);
  await expect(change(createState('b'))).rejects.toMatchObject({
    code: 'failed',
    message: `Cannot write ${path}: permission denied.`,
  });
});

test('fails with the path of a ledger in a read-only folder', async () => {
  const path = '/proc/nowhere/actions.jsonl';
  const change = changeActionLedger(path, createLockHolder(), () => [createState('a')]);
  await expect(change).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining(`Cannot write ${path}: `),
  });
});

test('keeps the mode of an existing file and the link to it', async () => {
  const folder = createTemporaryFolder();
  mkdirSync(join(folder, 'shared'));
  const target = join(folder, 'shared', 'actions.jsonl');
  writeFileSync(target, `${header}\n`);
  chmodSync(target, 0o660);
  const link = join(folder, 'actions.jsonl');
  symlinkSync(target, link);
  await changeActionLedger(link, createLockHolder(), () => [createState('a')]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect((statSync(target).mode & 0o777).toString(8)).toBe('660');
  expect(readStates(target)).toEqual({ a: 'done' });
});

test('writes through a link to a file that does not exist yet, but creates no folder for it', async () => {
  const folder = createTemporaryFolder();
  const target = join(folder, 'share', 'actions.jsonl');
  const link = join(folder, 'actions.jsonl');
  symlinkSync(target, link);
  const change = () => changeActionLedger(link, createLockHolder(), () => [createState('a')]);
  await expect(change()).rejects.toThrow(`Cannot write ${link}`);
  expect(existsSync(join(folder, 'share'))).toBe(false);
  mkdirSync(join(folder, 'share'));
  await change();
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readStates(target)).toEqual({ a: 'done' });
});

test('stores the end of a snooze, and only the latest state of an organization', async () => {
  const { path, change, readLines } = createLedger(formatLine('a'));
  const until = '2026-12-04T00:00:00.000Z';
  const snoozed = { ...createState('o1'), event_id: 'organization', state: 'snoozed' as const, until };
  await change(snoozed);
  expect(readLines()).toEqual([header, formatLine('a'), JSON.stringify(snoozed)]);
  await change({ ...createState('o1', 'open', '2026-11-21T10:00:00.000Z'), event_id: 'organization' });
  expect(readActionLedger(path).find('organization', 'o1')).not.toHaveProperty('until');
  expect(readActionLedger(path).find('m1', 'a')).toMatchObject({ state: 'done' });
});
