import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import {
  changeMeetings,
  createMeeting,
  listFiles,
  readLedgerLines,
  readTexts,
  readTimelessLedger,
  startHost,
} from './export-host.ts';

const killCount = process.env.KITH_LONG === '1' ? 100 : 6;
const folders = 2;
const meetings = 12;

const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;
const pickSometimes = (...words: string[]) => (Math.random() < 0.5 ? words : []);

const createRandomOptions = () => [
  '--layout',
  pickRandom(['flat', 'by-month']),
  ...pickSometimes('--with', 'json'),
  ...pickSometimes('--with', 'txt'),
  ...pickSometimes('--transcript'),
];

const buildExportArgs = (out: string, options: readonly string[]) => [
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
function readLedgerNames(folder: string): Set<string> {
  const names = new Set(['.kith-export.jsonl']);
  JSON.stringify(readLedgerLines(folder), (key, value) => {
    if (key === 'name') names.add(value);
    return value;
  });
  return names;
}

const isKeptByKith = (name: string) => name.includes('.kith-export') || name.endsWith('.kith-tmp');

/** Returns the files in the folder that are neither temporary nor in the ledger. */
function findUnownedFiles(folder: string): string[] {
  const names = readLedgerNames(folder);
  return listFiles(folder).filter((name) => !names.has(name) && !isKeptByKith(name));
}

const listEntries = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

/** Kills runs with random options in one folder, at random moments. `onEnd` receives the output of each run that is not killed. */
async function killRuns(count: number, onEnd: (out: string) => void, afterEach: (folder: string) => void) {
  const host = await startHost(
    Array.from({ length: meetings }, (_, index) => createMeeting(`m${index}`, 'Weekly')),
  );
  const { service, folder, env } = host;
  service.delay = 2;
  for (let killed = 0, times = 1; killed < count; times += 1) {
    let kill = () => {};
    let remaining = 1 + Math.random() * meetings;
    service.onResponse = () => {
      remaining -= 1;
      if (remaining > -1 && remaining <= 0) setTimeout(kill, Math.random() * 15);
    };
    const options = [...createRandomOptions(), ...pickSometimes('--prune', '--yes')];
    const { code, err, out } = await runKith(buildExportArgs(folder, options), {
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
    if (Math.random() < 0.5) changeMeetings(service, times);
  }
  service.onResponse = () => {};
  service.delay = 0;
  return host;
}

const runInFolders = (task: (killCount: number) => Promise<void>) =>
  Promise.all(Array.from({ length: folders }, () => task(Math.ceil(killCount / folders))));

test(`--prune leaves only the files of a clean export after ${killCount} killed runs with different options`, async () => {
  const isUnedited = (out: string) => expect(JSON.parse(out).edited).toEqual([]);
  await runInFolders(async (count) => {
    const { folder, env } = await killRuns(count, isUnedited, (one) =>
      expect(findUnownedFiles(one)).toEqual([]),
    );
    const options = createRandomOptions();
    const last = await runKith(buildExportArgs(folder, [...options, '--prune', '--yes']), { env });
    expect([last.code, last.err, JSON.parse(last.out).edited]).toEqual([0, '', []]);
    const cleanFolder = join(createTemporaryFolder(), 'out');
    await runKith(buildExportArgs(cleanFolder, options), { env });
    expect(listEntries(folder)).toEqual(listEntries(cleanFolder));
    expect(readTexts(folder)).toEqual(readTexts(cleanFolder));
    expect(readTimelessLedger(folder)).toEqual(readTimelessLedger(cleanFolder));
  });
}, 600_000);

test(`keeps a person's edits during ${killCount} killed runs with different options`, async () => {
  await runInFolders(async (count) => {
    const lines: string[] = [];
    const checkAndEdit = (folder: string) => {
      const texts = readTexts(folder);
      const all = Object.values(texts).join('');
      expect(lines.filter((line) => !all.includes(line))).toEqual([]);
      expect(findUnownedFiles(folder).filter((name) => !texts[name]?.includes('mine'))).toEqual([]);
      const name = pickRandom([
        undefined,
        undefined,
        ...Object.keys(texts).filter((one) => !isKeptByKith(one)),
      ]);
      if (name === undefined) return;
      lines.push(`mine ${lines.length}.\n`);
      appendFileSync(join(folder, name), lines.at(-1) ?? '');
    };
    await killRuns(count, () => {}, checkAndEdit);
  });
}, 600_000);
