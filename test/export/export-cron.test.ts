import type { ChildProcess } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import { runKith, runShell } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  createRecording,
  exportWithDefaults,
  listFiles,
  readTexts,
  startHost,
} from './export-host.ts';

const createWeeklyMeetings = (count: number) =>
  Array.from({ length: count }, (_, n) => createMeeting(`m${n}`, 'Weekly'));
const buildExportArgs = (folder: string, ...more: string[]) => [
  'events',
  'export',
  '--out',
  folder,
  '--retries',
  '0',
  ...more,
];

type Host = Awaited<ReturnType<typeof startHost>>;

/** Returns the files of an undisturbed run in this process. */
async function exportUndisturbed({ client }: Host) {
  const folder = join(createTemporaryFolder(), 'out');
  await exportWithDefaults(client, folder);
  return readTexts(folder);
}

/** Resolves once the service has received a number of requests. */
const hasRequests = ({ service }: Host, times: number) =>
  new Promise<void>((resolve) => {
    let remaining = times;
    service.onResponse = () => {
      remaining -= 1;
      if (remaining === 0) resolve();
    };
  });

test('exports with only a base URL and a key in the environment, and writes only to the folder', async () => {
  const { env, folder } = await startHost(createWeeklyMeetings(3));
  const { PATH, KITH_API_KEY, KITH_BASE_URL } = env;
  const line = (counts: string) => ({ code: 0, out: `${folder}: ${counts}, 0 pending, 0 failed\n`, err: '' });
  const cronOptions = { env: { PATH, KITH_API_KEY, KITH_BASE_URL }, stdin: '' };
  expect(await runKith(buildExportArgs(folder), cronOptions)).toEqual(line('3 new, 0 updated, 0 unchanged'));
  expect(await runKith(buildExportArgs(folder, '--quiet'), cronOptions)).toEqual({
    code: 0,
    out: '',
    err: '',
  });
  expect(await runKith(buildExportArgs(folder), { env })).toEqual(line('0 new, 0 updated, 3 unchanged'));
  expect(readdirSync(dirname(folder))).toEqual(['out']);
});

test('a second run at the same time exits with 75 and one line, and does not disturb the first', async () => {
  const host = await startHost(createWeeklyMeetings(20));
  const heldResponses: (() => void)[] = [];
  host.service.responses.set('/v1/recordings/r-m3', (to) => {
    heldResponses.push(() => sendJson(to, 200, { data: createRecording('r-m3') }));
  });
  const isRunning = hasRequests(host, 5);
  let first: ChildProcess | undefined;
  const one = runKith(buildExportArgs(host.folder), {
    env: host.env,
    onStart: (child) => {
      first = child;
    },
  });
  await isRunning;
  const { code, out, err } = await runKith(buildExportArgs(host.folder, '--quiet'), { env: host.env });
  host.service.responses.clear();
  for (const release of heldResponses) release();
  const since = /since (.*)\.\n$/.exec(err)?.[1];
  const message = `kith: Another run is exporting to ${host.folder}: process ${first?.pid}, since ${since}.\n`;
  expect({ code, out, err }).toEqual({ code: 75, out: '', err: message });
  expect((await one).code).toBe(0);
  expect(readTexts(host.folder)).toEqual(await exportUndisturbed(host));
});

test.each([
  ['SIGINT', 130, 'Interrupted'],
  ['SIGTERM', 143, 'Terminated'],
] as const)(
  '%s with exit code %i leaves nothing half written, and the next run continues',
  async (signal, code, word) => {
    const host = await startHost(createWeeklyMeetings(60));
    host.service.delay = 10;
    const isRunning = hasRequests(host, 20);
    let stop = () => {};
    const exportRun = runKith(buildExportArgs(host.folder), {
      env: host.env,
      onStart: (child) => {
        stop = () => child.kill(signal);
      },
    });
    await isRunning;
    stop();
    expect(await exportRun).toEqual({ code, out: '', err: `kith: ${word}.\n` });
    const remainingFiles = listFiles(host.folder);
    expect(
      remainingFiles.filter((name) => !/^(?:\.kith-export\.jsonl|2026-10-01-weekly-m\d+\.md)$/.test(name)),
    ).toEqual([]);
    host.service.delay = 0;
    host.takeRequests();
    expect((await host.kith(buildExportArgs(host.folder))).code).toBe(0);
    expect(host.takeRequests().filter((url) => url.includes('recordings')).length).toBe(
      60 - (remainingFiles.length - 1),
    );
    expect(readTexts(host.folder)).toEqual(await exportUndisturbed(host));
  },
);

test.each([
  ['its lock', 0, 'short', '.kith-export.lock'],
  ['the ledger', 4, 'short', '.kith-export.jsonl'],
  ['a meeting', 4, 'long '.repeat(1000), '2026-10-01-weekly-m0.md'],
])('names %s if the disk is full, and continues on the next run', async (_, blocks, summary, name) => {
  const host = await startHost(createWeeklyMeetings(20));
  host.service.responses.set('/v1/recordings/r-m0', [200, createRecording('r-m0', { summary: { summary } })]);
  const kith = `kith ${buildExportArgs(host.folder).join(' ')}`;
  const reason = 'file size limit exceeded';
  expect(await runShell(`ulimit -f ${blocks}; ${kith}`, { env: host.env })).toEqual({
    code: 1,
    out: '',
    err: `kith: Cannot write ${join(host.folder, name)}: ${reason}.\n`,
  });
  expect(listFiles(host.folder).filter((one) => one.includes('lock') || one.includes('tmp'))).toEqual([]);
  expect((await host.kith(buildExportArgs(host.folder))).code).toBe(0);
  expect(readTexts(host.folder)).toEqual(await exportUndisturbed(host));
});

/** Whether this machine allows unprivileged mounts. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

test.runIf(canMount)('reports a full disk, and continues on the next run once there is space', async () => {
  const host = await startHost(createWeeklyMeetings(60));
  const disk = createTemporaryFolder();
  mkdirSync(host.folder);
  const kith = `"${process.execPath}" bin/kith.js ${buildExportArgs(join(disk, 'out')).join(' ')}`;
  const script = [
    `mount -t tmpfs -o size=128k none ${disk}`,
    `${kith}; echo "code $?"; find ${disk} -name '*lock*' -o -name '*tmp*'`,
    `mount -o remount,size=8m ${disk}; ${kith} --quiet; echo "code $?"`,
    `cp -r ${disk}/out/. ${host.folder}`,
  ].join('; ');
  const { out, err } = await runShell(`unshare -rm bash -c '${script}'`, { env: host.env });
  expect(out).toBe('code 1\ncode 0\n');
  expect(err).toMatch(/^kith: Cannot write .*: no space left on the disk\.\n$/);
  expect(readTexts(host.folder)).toEqual(await exportUndisturbed(host));
});

test.runIf(existsSync('/proc/self/status'))('holds only a small part of an export in memory', async () => {
  const { env, folder, service } = await startHost(createWeeklyMeetings(150));
  const words = Array.from({ length: 100 }, (_, n) => ({
    text: `${'word '.repeat(1000)}${n}`,
    start_timestamp: { relative: n },
  }));
  const body = JSON.stringify(
    createRecording('r', { transcript: [{ participant: { name: 'Ada' }, words }] }),
  );
  for (const { recordings } of service.meetings) {
    service.responses.set(`/v1/recordings/${recordings[0]?.id}`, (to) => void to.writeHead(200).end(body));
  }
  let peak = 0;
  let memoryTimer: NodeJS.Timeout | undefined;
  const { code } = await runKith(buildExportArgs(folder), {
    env,
    onStart: ({ pid }) => {
      memoryTimer = setInterval(() => {
        const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
        peak = Math.max(peak, Number(/VmHWM:\s*(\d+)/.exec(status)?.[1] ?? 0));
      }, 20);
    },
  });
  clearInterval(memoryTimer);
  expect(code).toBe(0);
  expect(body.length * 150).toBeGreaterThan(75e6);
  expect(peak / 1024).toBeGreaterThan(40);
  expect(peak / 1024).toBeLessThan(200);
});
