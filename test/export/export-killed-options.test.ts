import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import {
  createMeeting,
  type HostState,
  listFiles,
  readLedgerLines,
  readTexts,
  startHost,
} from './export-host.ts';

const kills = process.env.KITH_LONG === '1' ? 100 : 8;
const folders = 4;
const meetings = 12;

const at = (times: number) => new Date(Date.parse('2026-11-20T10:00:00Z') + times * 3_600_000);

/** Renames three of four meetings and moves them to another month. */
function changeService(service: HostState, times: number): void {
  service.clock = at(times);
  service.meetings = service.meetings.map((event, index) => {
    if ((index + times) % 4 === 0) return event;
    const month = String(1 + ((index + times) % 12)).padStart(2, '0');
    return createMeeting(`m${index}`, `Weekly ${times}`, 'done', {
      start_at: `2026-${month}-01T09:00:00.000+09:00`,
      updated_at: at(times).toISOString(),
    });
  });
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const maybe = (...words: string[]) => (Math.random() < 0.5 ? words : []);

const randomOptions = () => [
  '--layout',
  pick(['flat', 'by-month']),
  ...maybe('--with', 'json'),
  ...maybe('--with', 'txt'),
  ...maybe('--transcript'),
];

const exporting = (out: string, options: readonly string[]) => [
  'events',
  'export',
  '--out',
  out,
  '--retries',
  '0',
  '--json',
  '--quiet',
  ...options,
];

/** Returns all file names in the ledger, which a run wrote or was about to write. */
function namesInLedger(folder: string): Set<string> {
  const names = new Set(['.kith-export.jsonl']);
  JSON.stringify(readLedgerLines(folder), (key, value) => {
    if (key === 'name') names.add(value);
    return value;
  });
  return names;
}

const isKeptByKith = (name: string) => name.includes('.kith-export') || name.endsWith('.kith-tmp');

/** Returns the files in the folder that are neither temporary nor in the ledger. */
function unownedIn(folder: string): string[] {
  const names = namesInLedger(folder);
  return listFiles(folder).filter((name) => !names.has(name) && !isKeptByKith(name));
}

const entriesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

const timeless = (folder: string) =>
  JSON.parse(
    JSON.stringify(readLedgerLines(folder), (key, value) =>
      ['since', 'listed'].includes(key) ? undefined : value,
    ),
  );

/** Kills runs with random options in one folder, at random moments. `onEnd` receives the output of each run that is not killed. */
async function killRuns(wanted: number, onEnd: (out: string) => void, afterEach: (folder: string) => void) {
  const host = await startHost(
    Array.from({ length: meetings }, (_, index) => createMeeting(`m${index}`, 'Weekly')),
  );
  const { service, folder, env } = host;
  service.delay = 2;
  for (let killed = 0, times = 1; killed < wanted; times += 1) {
    let kill = () => {};
    let left = 1 + Math.random() * meetings;
    service.onResponse = () => {
      left -= 1;
      if (left > -1 && left <= 0) setTimeout(kill, Math.random() * 15);
    };
    const options = [...randomOptions(), ...maybe('--prune', '--yes')];
    const { code, err, out } = await runKith(exporting(folder, options), {
      env,
      onStart: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    if (code === -2) killed += 1;
    else {
      expect([code, code === 0 ? '' : err]).toEqual([0, '']);
      onEnd(out);
    }
    afterEach(folder);
    if (Math.random() < 0.5) changeService(service, times);
  }
  service.onResponse = () => {};
  service.delay = 0;
  return host;
}

const inFolders = (work: (kills: number) => Promise<void>) =>
  Promise.all(Array.from({ length: folders }, () => work(Math.ceil(kills / folders))));

test(`--prune leaves only the files of a clean export after ${kills} killed runs with different options`, async () => {
  const isUnedited = (out: string) => expect(JSON.parse(out).edited).toEqual([]);
  await inFolders(async (wanted) => {
    const { folder, env } = await killRuns(wanted, isUnedited, (one) => expect(unownedIn(one)).toEqual([]));
    const options = randomOptions();
    const last = await runKith(exporting(folder, [...options, '--prune', '--yes']), { env });
    expect([last.code, last.err, JSON.parse(last.out).edited]).toEqual([0, '', []]);
    const clean = join(createTemporaryFolder(), 'out');
    await runKith(exporting(clean, options), { env });
    expect(entriesIn(folder)).toEqual(entriesIn(clean));
    expect(readTexts(folder)).toEqual(readTexts(clean));
    expect(timeless(folder)).toEqual(timeless(clean));
  });
}, 600_000);

test(`keeps a person's edits during ${kills} killed runs with different options`, async () => {
  await inFolders(async (wanted) => {
    const lines: string[] = [];
    const checkAndEdit = (folder: string) => {
      const texts = readTexts(folder);
      const all = Object.values(texts).join('');
      expect(lines.filter((line) => !all.includes(line))).toEqual([]);
      expect(unownedIn(folder).filter((name) => !texts[name]?.includes('mine'))).toEqual([]);
      const name = pick([undefined, undefined, ...Object.keys(texts).filter((one) => !isKeptByKith(one))]);
      if (name === undefined) return;
      lines.push(`mine ${lines.length}.\n`);
      appendFileSync(join(folder, name), lines.at(-1) ?? '');
    };
    await killRuns(wanted, () => {}, checkAndEdit);
  });
}, 600_000);
