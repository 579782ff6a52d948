import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKith } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { countRounds, createRandom } from '../support/rounds.ts';
import {
  changeMeetings,
  createChangedMeeting,
  type HostState,
  listFiles,
  readLedgerLines,
  readTexts,
  readTimelessLedger,
  startHost,
} from './export-host.ts';

const random = createRandom(0);

/** The kills in each of the folders: by default, and with KITH_LONG=1. */
const killCounts = [3, 50] as const;
const folders = process.env.KITH_LONG === '1' ? 2 : 1;
const meetings = 24;

interface LedgerLine {
  readonly id: string;
  readonly updated_at: string;
  readonly files: readonly { readonly next?: unknown }[];
}

/** Returns the paths of the recordings that are up to date in the ledger. */
function readRecorded(folder: string, { meetings }: HostState): Set<string> {
  const lastLines = new Map(
    readLedgerLines(folder).flatMap(({ meeting }) =>
      meeting ? [[(meeting as LedgerLine).id, meeting as LedgerLine]] : [],
    ),
  );
  const current = meetings.filter(({ id = '', updated_at }) => {
    const line = lastLines.get(id);
    return line?.updated_at === updated_at && !line.files.some(({ next }) => next);
  });
  return new Set(current.flatMap(({ recordings }) => recordings.map(({ id }) => `/v1/recordings/${id}`)));
}

const buildExportArgs = (out: string) => [
  'events',
  'export',
  '--out',
  out,
  '--layout',
  'by-month',
  '--with',
  'txt',
  '--retries',
  '0',
];

/** Kills runs in one folder at random moments until enough were killed. Returns the recordings that were downloaded twice. */
async function exportWithKills() {
  const { service, folder, env, kith, takeRequests } = await startHost(
    Array.from({ length: meetings }, (_, index) => createChangedMeeting(index, 0)),
  );
  service.delay = 4;
  service.maxPageSize = 16;
  const repeated: string[] = [];
  const hits = { before: 0, during: 0 };
  const rounds = countRounds(...killCounts);
  // Kills before the first download show little, so the rounds go on until most kills came later.
  const needsMore = () => !rounds.next().done || hits.during <= hits.before;
  for (let isKilled = true, times = 0, run = 0; !isKilled || needsMore(); run += 1) {
    const recorded = readRecorded(folder, service);
    takeRequests();
    let kill = () => {};
    // Every fifth moment counts from the start of the process, the others from a random request.
    const isEarly = run % 5 === 4;
    let remaining = random() * 10;
    service.onResponse = () => {
      remaining -= 1;
      if (!isEarly && remaining > -1 && remaining <= 0) setTimeout(kill, random() * 20);
    };
    const { code, err } = await runKith(buildExportArgs(folder), {
      env,
      onStart: (child) => {
        kill = () => child.kill('SIGKILL');
        if (isEarly) setTimeout(kill, 60 + random() * 340);
      },
    });
    const fetched = takeRequests().filter((url) => url.includes('recordings'));
    repeated.push(...fetched.filter((url) => recorded.has(url)));
    isKilled = code === -2;
    if (isKilled) hits[fetched.length > 0 ? 'during' : 'before'] += 1;
    else expect([code, err]).toEqual([0, '']);
    // The partial work of a killed run must not look like edits, even if the next run writes something else.
    if (!isKilled || run % 2 === 0) {
      times += 1;
      changeMeetings(service, times);
    }
  }
  service.onResponse = () => {};
  service.delay = 0;
  const recorded = readRecorded(folder, service);
  takeRequests();
  const last = await runKith(buildExportArgs(folder), { env });
  repeated.push(...takeRequests().filter((url) => recorded.has(url)));
  expect({ ...last, out: '' }).toEqual({ code: 0, out: '', err: '' });
  const undisturbedFolder = join(createTemporaryFolder(), 'out');
  await kith(buildExportArgs(undisturbedFolder));
  expect(listFiles(folder)).toEqual(listFiles(undisturbedFolder));
  expect(readTexts(folder)).toEqual(readTexts(undisturbedFolder));
  expect(readTimelessLedger(folder)).toEqual(readTimelessLedger(undisturbedFolder));
  return repeated;
}

test(`produces the same folder after runs killed at random moments as after undisturbed runs`, async () => {
  const results = await Promise.all(Array.from({ length: folders }, exportWithKills));
  expect(results.flat()).toEqual([]);
}, 600_000);
