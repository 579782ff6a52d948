import { appendFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { countRounds, createRandom } from '../support/rounds.ts';
import {
  changeMeetings,
  createMeeting,
  listFiles,
  readLedgerLines,
  readTexts,
  readTimelessLedger,
  startHost,
} from './export-host.ts';

/** The kills in each of the folders: by default, and with KITH_LONG=1. */
const killCounts = [3, 50] as const;
const folders = process.env.KITH_LONG === '1' ? 2 : 1;
const meetings = 12;

const random = createRandom(0);

const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const pickSometimes = (...words: string[]) => (random() < 0.5 ? words : []);

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
async function killRuns(onEnd: (out: string) => void, afterEach: (folder: string) => void) {
  const host = await startHost(
    Array.from({ length: meetings }, (_, index) => createMeeting(`m${index}`, 'Weekly')),
  );
  const { service, folder, env } = host;
  service.delay = 2;
  const rounds = countRounds(...killCounts);
  for (let isKilled = true, times = 1; !isKilled || !rounds.next().done; times += 1) {
    let kill = () => {};
    let remaining = 1 + random() * meetings;
    service.onResponse = () => {
      remaining -= 1;
      if (remaining > -1 && remaining <= 0) setTimeout(kill, random() * 15);
    };
    const options = [...createRandomOptions(), ...pickSometimes('--prune', '--yes')];
    const { code, err, out } = await runKith(buildExportArgs(folder, options), {
      env,
      onStart: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    isKilled = code === -2;
    if (!isKilled) {
      expect([code, code === 0 ? '' : err]).toEqual([0, '']);
      onEnd(out);
    }
    afterEach(folder);
    if (random() < 0.5) changeMeetings(service, times);
  }
  service.onResponse = () => {};
  service.delay = 0;
  return host;
}

const runInFolders = (task: () => Promise<void>) => Promise.all(Array.from({ length: folders }, task));

test(`--prune leaves only the files of a clean export after killed runs with different options`, async () => {
  const isUnedited = (out: string) => expect(JSON.parse(out).edited).toEqual([]);
  await runInFolders(async () => {
    const { folder, env, kith } = await killRuns(isUnedited, (one) =>
      expect(findUnownedFiles(one)).toEqual([]),
    );
    const options = createRandomOptions();
    const last = await runKith(buildExportArgs(folder, [...options, '--prune', '--yes']), { env });
    expect([last.code, last.err, JSON.parse(last.out).edited]).toEqual([0, '', []]);
    const cleanFolder = join(createTemporaryFolder(), 'out');
    await kith(buildExportArgs(cleanFolder, options));
    expect(listEntries(folder)).toEqual(listEntries(cleanFolder));
    expect(readTexts(folder)).toEqual(readTexts(cleanFolder));
    expect(readTimelessLedger(folder)).toEqual(readTimelessLedger(cleanFolder));
  });
}, 600_000);

test(`keeps a person's edits during killed runs with different options`, async () => {
  await runInFolders(async () => {
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
    await killRuns(() => {}, checkAndEdit);
  });
}, 600_000);
