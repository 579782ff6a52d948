import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toPermissions } from '../../src/files/permissions.ts';
import { createMachine } from '../support/kith.ts';
import { createMeeting, startHost } from './export-host.ts';

const ledger = '.kith-export.jsonl';
const file = '2026-10/2026-10-01-one-a.md';
const contents = { transcript: false, with: ['txt'] } as const;

/** Starts a service with one meeting. `modes` returns the permissions in its export folder. */
async function exportOneMeeting() {
  const host = await startHost([createMeeting('a', 'One')]);
  const readMode = (name: string) => (statSync(join(host.folder, name)).mode & 0o777).toString(8);
  const readModes = () => ['.', dirname(file), ledger, file].map(readMode);
  const run = (mode: number, more = {}) =>
    host.run({ permissions: toPermissions(mode), layout: 'by-month', ...more });
  return { ...host, readModes, readMode, run };
}

function setUmask(umask: number): void {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
}

test.skipIf(process.platform === 'win32').each([
  ['0600', ['700', '700', '600', '600']],
  ['0640', ['750', '750', '640', '640']],
  ['0664', ['775', '775', '664', '664']],
])('applies --mode %s to files, ledger and folders, regardless of the umask', async (mode, expected) => {
  for (const umask of [0o000, 0o022, 0o077]) {
    setUmask(umask);
    const { run, readModes } = await exportOneMeeting();
    await run(Number.parseInt(mode, 8));
    expect(readModes()).toEqual(expected);
  }
});

test.skipIf(process.platform === 'win32')(
  'keeps the permissions of an existing file until it is rewritten, and those of an existing folder',
  async () => {
    const { run, readModes, folder, service } = await exportOneMeeting();
    await run(0o600);
    chmodSync(folder, 0o755);
    chmodSync(join(folder, file), 0o644);
    chmodSync(join(folder, ledger), 0o644);
    await run(0o600);
    expect(readModes()).toEqual(['755', '700', '600', '644']);
    service.meetings = [
      createMeeting('a', 'One', 'done', { updated_at: '2026-11-20T10:00:00.000Z', attendees: [] }),
    ];
    await run(0o600);
    expect(readModes()).toEqual(['755', '700', '600', '600']);
  },
);

test.skipIf(process.platform === 'win32')(
  'creates the folder of a moved file with the permissions',
  async () => {
    const { run, readMode } = await exportOneMeeting();
    await run(0o640, { layout: 'flat', contents });
    await run(0o640, { contents });
    expect([readMode('2026-10'), readMode('2026-10/2026-10-01-one-a.txt')]).toEqual(['750', '640']);
  },
);

test.each([
  ['0999', '"0999" is not an octal file mode.'],
  ['rw', '"rw" is not an octal file mode.'],
  ['04755', '"04755" is not an octal file mode.'],
  ['0444', '"0444" does not let the owner read and write.'],
])('rejects --mode %s', async (mode, message) => {
  const { code, err } = await createMachine()(['events', 'export', '--out', 'x', '--mode', mode]);
  expect([code, err]).toEqual([
    2,
    `kith: --mode: ${message}\nhint: Use a mode such as 0600, 0640 or 0644.\n`,
  ]);
});

test.skipIf(process.platform === 'win32')('accepts --mode 640 and 0640', async () => {
  for (const mode of ['640', '0640']) {
    const { url, folder, readMode } = await exportOneMeeting();
    const env = { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url };
    await createMachine()(['events', 'export', '--out', folder, '--mode', mode], { env });
    expect([readMode('.'), readMode('2026-10-01-one-a.md')]).toEqual(['750', '640']);
  }
});

test.skipIf(process.platform === 'win32')('applies the mode to a renamed damaged ledger too', async () => {
  const { folder, run } = await exportOneMeeting();
  await run(0o600);
  writeFileSync(join(folder, ledger), 'null');
  chmodSync(join(folder, ledger), 0o644);
  const movedNames: string[] = [];
  await run(0o640, { full: true, onDamagedLedger: async (path: string) => void movedNames.push(path) });
  expect(movedNames.map((path) => statSync(path).mode & 0o777)).toEqual([0o640]);
});
