import fs, { appendFileSync, cpSync, readdirSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { formatContentKey } from '../../src/export/meeting-files.ts';
import { runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { countRounds, createRandom, shuffle, takeRounds } from '../support/rounds.ts';
import { createMeeting, type Meeting, readLedgerLines, readTexts, startHost } from './export-host.ts';

const random = createRandom(0);
const pickRandom = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const createRandomOptions = () => ({
  layout: pickRandom(['flat', 'by-month'] as const),
  contents: {
    transcript: pickRandom([true, false]),
    with: pickRandom([[], ['json'], ['txt'], ['json', 'txt']] as const),
  },
});
type Options = ReturnType<typeof createRandomOptions>;

const buildExportArgs = (out: string, { layout, contents }: Options, prune: boolean) => [
  ...['events', 'export', '--out', out, '--retries', '0', '--json', '--quiet', '--layout', layout],
  ...contents.with.flatMap((kind) => ['--with', kind]),
  ...(contents.transcript ? ['--transcript'] : []),
  ...(prune ? ['--prune', '--yes'] : []),
];

/** Returns a meeting after a number of changes of its title and month. Some recordings stay unfinished. */
const createChangedMeeting = (index: number, changes: number) =>
  createMeeting(`m${index}`, `Weekly ${changes}`, index === 7 ? 'processing' : 'done', {
    start_at: `2026-${String(1 + ((index + changes) % 12)).padStart(2, '0')}-01T09:00:00.000+09:00`,
    updated_at: new Date(Date.parse('2026-11-20T10:00:00Z') + changes * 3_600_000).toISOString(),
  });

interface LedgerLine {
  readonly id: string;
  readonly updated_at: string;
  readonly made: string;
  readonly files: readonly { readonly next?: unknown }[];
}

/** Returns the paths of the recordings that the ledger has in their current version, with the contents of a run. */
function readRecorded(folder: string, meetings: readonly Meeting[], { contents }: Options): Set<string> {
  const lines = readLedgerLines(folder).flatMap(({ meeting }) => (meeting as LedgerLine | undefined) ?? []);
  const lastLines = new Map(lines.map((line) => [line.id, line]));
  const current = meetings.filter(({ id = '', updated_at }) => {
    const line = lastLines.get(id);
    const isCurrent = line?.updated_at === updated_at && line.made === formatContentKey(contents);
    return isCurrent && !line.files.some(({ next }) => next);
  });
  return new Set(current.flatMap(({ recordings }) => recordings.map(({ id }) => `/v1/recordings/${id}`)));
}

const isKeptByKith = (name: string) => name.includes('.kith-export') || name.endsWith('.kith-tmp');

/** Returns the files of a folder that neither the ledger names nor a person edited. */
function findUnownedFiles(folder: string): string[] {
  const names = new Set<unknown>();
  JSON.stringify(readLedgerLines(folder), (key, value) => {
    if (key === 'name') names.add(value);
    return value;
  });
  const isOwned = (name: string, text: string) =>
    names.has(name) || isKeptByKith(name) || text.includes('mine');
  return Object.entries(readTexts(folder)).flatMap(([name, text]) => (isOwned(name, text) ? [] : [name]));
}

const readFolder = (folder: string) => ({
  entries: readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(),
  texts: readTexts(folder),
  // Without the times on this machine's clock.
  lines: JSON.stringify(readLedgerLines(folder), (name, value) =>
    ['since', 'listed'].includes(name) ? undefined : value,
  ),
});

test('runs killed at random moments leave the folder of an undisturbed run, and lose no edits of a person', async () => {
  const host = await startHost(Array.from({ length: 12 }, (_, index) => createChangedMeeting(index, 0)));
  const { service, folder, env } = host;
  service.delay = 3;
  service.maxPageSize = 8;
  const runExport = async (options: Options, prune: boolean, onStart: (kill: () => void) => void) => {
    const recorded = readRecorded(folder, service.meetings, options);
    host.takeRequests();
    const { code, out, err } = await runKith(buildExportArgs(folder, options, prune), {
      env,
      onStart: (child) => onStart(() => child.kill('SIGKILL')),
    });
    await host.receiveRemaining();
    // No recording that the ledger has is downloaded again, and no file is forgotten.
    expect(host.takeRequests().filter((url) => recorded.has(url))).toEqual([]);
    expect(findUnownedFiles(folder)).toEqual([]);
    if (code !== -2) expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    return code === -2 ? undefined : JSON.parse(out);
  };
  let changes = 0;
  /** Runs exports and kills them, until enough were killed. `check` receives the result of a run that was not. */
  const killRuns = async (rounds: Generator<number>, check: (result?: { edited: unknown }) => void) => {
    for (let isKilled = true; !isKilled || !rounds.next().done; ) {
      let kill = () => {};
      let remaining = random() * 12;
      service.onResponse = () => {
        remaining -= 1;
        if (remaining > -1 && remaining <= 0) setTimeout(kill, random() * 15);
      };
      const result = await runExport(createRandomOptions(), random() < 0.5, (stop) => {
        kill = stop;
      });
      isKilled = result === undefined;
      check(result);
      if (random() < 0.5) continue;
      // Three of four meetings get another title and month.
      changes += 1;
      service.clock = new Date(service.clock.getTime() + 3_600_000);
      service.meetings = service.meetings.map((meeting, index) =>
        (index + changes) % 4 === 0 ? meeting : createChangedMeeting(index, changes),
      );
    }
    service.onResponse = () => {};
  };

  await killRuns(countRounds(4, 70), (result) => expect(result?.edited ?? []).toEqual([]));
  const last = createRandomOptions();
  expect(await runExport(last, true, () => {})).toMatchObject({ edited: [], failed: [] });
  const undisturbed = join(createTemporaryFolder(), 'out');
  await host.kith(buildExportArgs(undisturbed, last, false));
  expect(readFolder(folder)).toEqual(readFolder(undisturbed));

  const lines: string[] = [];
  await killRuns(countRounds(2, 30), () => {
    const texts = readTexts(folder);
    const all = Object.values(texts).join('');
    expect(lines.filter((line) => !all.includes(line))).toEqual([]);
    lines.push(`mine ${lines.length}.\n`);
    const names = Object.keys(texts).filter((name) => !isKeptByKith(name));
    appendFileSync(join(folder, pickRandom(names)), lines.at(-1) ?? '');
  });
}, 600_000);

/** The functions by which an export changes its folder, except for the content of its files. */
const functions = ['appendFileSync', 'mkdirSync', 'renameSync', 'rmSync', 'rmdirSync'] as const;
const originals = functions.map((name) => [name, fs[name] as (...args: unknown[]) => unknown] as const);

/** The changes before the rest fails. */
let remaining = Number.POSITIVE_INFINITY;

beforeAll(() => {
  for (const [name, change] of originals) {
    const changeOrFail = (path: unknown, ...args: unknown[]) => {
      if (!String(path).endsWith('.lock')) remaining -= 1;
      if (remaining < 0) throw Object.assign(new Error('killed'), { code: 'EIO' });
      return change(path, ...args);
    };
    Object.assign(fs, { [name]: changeOrFail });
  }
  syncBuiltinESMExports();
});

afterAll(() => {
  Object.assign(fs, Object.fromEntries(originals));
  syncBuiltinESMExports();
});

/** Lets all changes of an export after the first `count` fail: as if it was killed there. Returns the changes that it made. */
async function stopAfter(count: number, run: () => Promise<unknown>): Promise<number> {
  remaining = count;
  try {
    await run();
  } catch (error) {
    if (remaining >= 0) throw error;
  }
  const changes = count - remaining;
  remaining = Number.POSITIVE_INFINITY;
  return changes;
}

const listUpTo = (count: number) => Array.from({ length: count + 1 }, (_, index) => index);

test('--prune leaves only the files of a clean export after two runs that were killed at any step', async () => {
  const { service, run } = await startHost([]);
  const setTitle = (title: string, month: number) => {
    const updated_at = `2026-11-20T09:0${month}:00.000Z`;
    const start_at = `2026-0${month}-01T09:00:00.000Z`;
    service.meetings = [createMeeting('a', title, 'done', { start_at, updated_at })];
  };
  const root = createTemporaryFolder();
  const copyFolder = (from: string, name: string) => {
    const to = join(root, name);
    cpSync(from, to, { recursive: true });
    return to;
  };
  const readMeetings = (folder: string) => ({
    ...readFolder(folder),
    lines: readLedgerLines(folder).filter(({ meeting }) => meeting),
  });
  const folder = join(root, 'out');
  setTitle('One', 1);
  await run({ folder });
  const second = { layout: 'by-month', contents: { transcript: false, with: ['txt'] } } as const;
  const third = { layout: 'by-month', contents: { transcript: true, with: ['json'] } } as const;
  setTitle('Three', 3);
  await run({ ...third, folder: join(root, 'clean') });
  const expected = readMeetings(join(root, 'clean'));
  const runSecond = (folder: string) => run({ ...second, folder });
  const runThird = (folder: string) => run({ ...third, folder, prune: 'all' });
  setTitle('Two', 2);
  const complete = copyFolder(folder, 'complete');
  const changes = await stopAfter(1000, () => runSecond(complete));
  for (const count of takeRounds(shuffle(listUpTo(changes)), 4)) {
    const once = copyFolder(folder, `${count}`);
    setTitle('Two', 2);
    await stopAfter(count, () => runSecond(once));
    setTitle('Three', 3);
    const completed = copyFolder(once, `${count}-complete`);
    const laterChanges = await stopAfter(1000, () => runThird(completed));
    for (const laterCount of listUpTo(laterChanges)) {
      const twice = copyFolder(once, `${count}-${laterCount}`);
      await stopAfter(laterCount, () => runThird(twice));
      expect(await runThird(twice)).toMatchObject({ edited: [], failed: [] });
      expect(readMeetings(twice)).toEqual(expected);
    }
  }
});
