import { readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createRelatedReader } from '../../src/records/referrers.ts';
import {
  createContext,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
} from '../support/kith.ts';
import { createRecordingMachine, listLogs } from './recording-machine.ts';

/** Creates a client of a copy of the sample. */
async function createSampleClient(trace: (line: string) => void = () => {}) {
  const folder = createTemporaryFolder();
  const { services, runtime } = createContext(folder, {}, { out: '', err: '' });
  const transport = await (await services.workspace()).transport(createSampleWorkspace(folder));
  onTestFinished(() => transport.close());
  return services.createClient({
    transport,
    retryPolicy: { retries: 0, maxWait: 0 },
    signal: runtime.signal,
    getEndSignal: () => runtime.signal,
    trace,
  });
}

test.each([
  [{ noun: 'list', id: 'vy7gy3' }, 80, []],
  [{ noun: 'list', id: 'vy7gy3' }, 79, ['entries']],
  [{ noun: 'contact', id: '0rlnky' }, 162, []],
  [{ noun: 'contact', id: '0rlnky' }, 161, ['entries']], // of all lists together
  [{ noun: 'organization', id: 'rl16pk' }, 1000, []],
  [
    { noun: 'organization', id: 'rl16pk' },
    10,
    ['entries', 'notes', 'the organization fields of its contacts'],
  ],
  [{ noun: 'entry', list_id: 'vy7gy3', id: 'm7lwpy' }, 10, ['the deals of notes']],
] as const)('says what it did not read for %o with a limit of %i', async (path, limit, expected) => {
  const client = await createSampleClient();
  let count = 0;
  const missing = await createRelatedReader(client, { limit })(path, {}, (related) => {
    count += related.length;
  });
  expect(missing).toEqual(expected);
  if (expected.length === 0) expect(count).toBeGreaterThan(0);
});

test('reads lists that are too long once for several deletions', async () => {
  const lines: string[] = [];
  const read = createRelatedReader(await createSampleClient((line) => lines.push(line)), { limit: 10 });
  const readMissing = (id: string) => read({ noun: 'organization', id }, {}, () => {});
  const missing = await readMissing('rl16pk');
  const count = lines.length;
  expect(count).toBeGreaterThan(2);
  expect(await readMissing('5043ln')).toEqual(missing);
  expect(lines).toHaveLength(count);
});

/** Adds to the last log that some related records could not be read. */
function addMissing(folder: string, missing: readonly string[]): void {
  const log = listLogs(folder).at(-1) ?? '';
  const lines = readFileSync(log, 'utf8').split('\n');
  const edited = lines.map((line) =>
    line.includes('"action"') ? JSON.stringify({ ...JSON.parse(line), missing }) : line,
  );
  writeFileSync(log, edited.join('\n'));
}

test('does not undo the deletion of a list whose entries could not be read', async () => {
  const { kith, run, folder, dump } = await createRecordingMachine();
  await run('lists delete Newsletter --yes');
  addMissing(folder, ['entries']);
  const before = await dump();
  expect(await kith('undo --yes')).toEqual({
    code: 2,
    out: '',
    err: 'kith: `kith lists delete` cannot be undone: The list entries could not be recorded.\n',
  });
  expect(await dump()).toEqual(before);
});

test('says which records of a deleted contact are not restored', async () => {
  const { kith, run, folder } = await createRecordingMachine();
  await run('contacts delete 0rlnky --yes');
  addMissing(folder, ['entries']);
  expect((await kith('undo --dry-run')).out).toContain(
    'Not restored: entries. kith did not read all of them before the deletion.\n',
  );
});

test('records a script only if the setting is on, and a person always, with all records to restore', async () => {
  const { kith, run, folder, dumpContent } = await createRecordingMachine();
  const scripted = { env: { KITH_UNDO: '' } };
  await run('contacts delete e4yek8 --yes', scripted);
  await run('lists delete Newsletter --yes', scripted);
  expect(listLogs(folder)).toEqual([]);
  const undoDeletion = async (line: string, options: MachineOptions) => {
    const before = await dumpContent();
    await run(line, options);
    expect((await run('undo --yes')).err).not.toContain('Not restored');
    expect(await dumpContent()).toEqual(before);
  };
  await undoDeletion('contacts delete v49o47 --yes', { ...scripted, terminal: 80 });
  await run('config set undo on');
  await undoDeletion('organizations delete rl16pk --yes', scripted);
  await run('config set undo off');
  const count = listLogs(folder).length;
  await run('notes create --organization 5043ln --body Hi', { ...scripted, terminal: 80 });
  expect(listLogs(folder)).toHaveLength(count);
  expect((await kith('undo --dry-run')).code).toBe(3);
});
