import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { type ExportOptions, exportMeetings } from '../../src/export/export.ts';
import type { ExportResult } from '../../src/export/export-result.ts';
import { toPermissions } from '../../src/files/permissions.ts';
import type { WorkspaceAccess } from '../../src/files/workspace-identity.ts';
import { answer, clientOf, loopback } from '../client/loopback.ts';
import { freshEnv } from '../support/binary.ts';
import { lockHolder, temporaryFolder } from '../support/kith.ts';

/** A calendar event as a test's service has it. */
export interface Meeting {
  readonly id?: string;
  readonly title: string;
  readonly start_at: string;
  readonly attendees: readonly { email: string }[];
  readonly recordings: readonly { id: string; status: string }[];
  readonly updated_at: string;
}

/** A meeting with one recording, or with none where the status is empty. */
export const meeting = (id: string, title: string, status = 'done', more: Partial<Meeting> = {}) => ({
  id,
  title,
  start_at: '2026-10-01T09:00:00.000+09:00',
  end_at: '2026-10-01T10:00:00.000+09:00',
  attendees: [{ email: 'a@x.org' }],
  recordings: status === '' ? [] : [{ id: `r-${id}`, status }],
  updated_at: '2026-10-01T02:00:00.000Z',
  ...more,
});

/** The same, changed by the service at a time. */
export const changed = (id: string, title: string, updated_at: string, status?: string) =>
  meeting(id, title, status, { updated_at });

/** A recording that is done. */
export const recorded = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  status: 'done',
  summary: { summary: `Of ${id}.` },
  transcript: [
    { participant: { name: 'Ada' }, words: [{ text: 'Hello', start_timestamp: { relative: 1 } }] },
  ],
  updated_at: '2026-10-01T01:00:00.000Z',
  ...more,
});

/** What a service has: a test changes it between the runs of an export. */
export interface Hosting {
  meetings: Meeting[];
  /** Its clock, which the answers tell. */
  clock: Date;
  /** Milliseconds before it answers for a recording. */
  delay: number;
  /** Meetings on a page at most, however many are asked for. */
  largestPage: number;
  /** Answers to paths that are not as usual; a function answers by itself. */
  readonly answers: Map<string, readonly [status: number, body: unknown] | ((to: ServerResponse) => void)>;
  /** What comes to mind after each answer: the list may change while it is read. */
  afterwards: (url: string) => void;
}

const seconds = (time: string) => Date.parse(time) / 1000;

/** A service over HTTP that a test changes as it goes, with a folder to export it to. */
export async function hosted(meetings: readonly Meeting[]) {
  const service: Hosting = {
    meetings: [...meetings],
    clock: new Date('2026-11-20T10:00:00Z'),
    delay: 0,
    largestPage: 100,
    answers: new Map(),
    afterwards: () => {},
  };
  const asked: string[] = [];
  const { url } = await loopback((request, response) => {
    asked.push(request.url);
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    response.setHeader('date', service.clock.toUTCString());
    const own = service.answers.get(decodeURIComponent(pathname));
    if (typeof own === 'function') own(response);
    else {
      const usually = () => answer(response, ...(own ?? usual(service, pathname, searchParams)));
      if (service.delay > 0 && pathname.includes('recordings')) setTimeout(usually, service.delay);
      else usually();
    }
    service.afterwards(request.url);
  });
  const { client } = clientOf(url, 0);
  const folder = join(temporaryFolder(), 'out');
  return {
    service,
    client,
    url,
    folder,
    /** What a program is given that exports from it, on a machine that nobody has set up. */
    env: freshEnv(dirname(folder), { KITH_API_KEY: 'key-for-tests', KITH_BASE_URL: url }),
    run: (options: Wanted = {}) => exported(client, folder, { clock: () => service.clock, ...options }),
    /** The requests since they were last looked at. */
    asked: () => asked.splice(0).map((url) => decodeURIComponent(url)),
  };
}

function usual(
  { meetings, largestPage }: Hosting,
  path: string,
  query: URLSearchParams,
): readonly [status: number, body: unknown] {
  const [, noun, id] = /^\/v1\/(\w+)(?:\/(.+))?$/.exec(path) ?? [];
  const named = id === undefined ? undefined : decodeURIComponent(id);
  if (noun === 'recordings' && named !== undefined) return [200, { data: recorded(named) }];
  if (noun !== 'calendar_events') return [404, { error: 'No such thing.' }];
  if (named !== undefined) {
    const found = meetings.find(({ id }) => id === named);
    return found ? [200, found] : [404, { error: `No meeting ${named}.` }];
  }
  const since = query.get('updated_after');
  const startsAfter = query.get('starts_after');
  const contact = query.get('contact_id');
  const listed = meetings.filter(
    ({ updated_at, start_at, attendees }) =>
      (since === null || seconds(updated_at) > Number(since)) &&
      (startsAfter === null || seconds(start_at) >= Number(startsAfter)) &&
      (!contact || attendees.some(({ email }) => email === contact)),
  );
  const after = Number(query.get('after'));
  const data = listed.slice(after, after + Math.min(largestPage, Number(query.get('first'))));
  const end_cursor = after + data.length;
  const pagination = { end_cursor, has_next_page: end_cursor < listed.length, total_count: listed.length };
  return [200, { data, pagination }];
}

/** What a test says of a run; `clock` is that of this machine. */
type Wanted = Partial<ExportOptions> & { readonly clock?: () => Date };

/** How a hosted workspace is reached. */
export const access = (place: string, key = 'key-for-tests'): WorkspaceAccess => ({
  kind: 'hosted',
  place,
  key,
});

/** Exports as the command does where no flag is given. */
export function exported(
  client: Client,
  folder: string,
  { clock = () => new Date('2026-11-20T10:00:00Z'), ...options }: Wanted = {},
): Promise<ExportResult> {
  return exportMeetings({
    client,
    workspace: access('https://crm.example.com/'),
    adopt: undefined,
    folder,
    permissions: toPermissions(0o600),
    contents: { transcript: false, with: [] },
    layout: 'flat',
    filter: {},
    since: undefined,
    full: false,
    prune: false,
    settle: 14,
    concurrency: 4,
    holder: lockHolder(process.pid, clock),
    onDamagedLedger: async () => {},
    onProgress: () => {},
    ...options,
  });
}

/** When a service starts, in seconds since 1970. */
export const atTen = Date.parse('2026-11-20T10:00:00Z') / 1000;

/** The request for the first page of events that were updated after a time. */
export const list = (after?: number) =>
  `/v1/calendar_events?${after === undefined ? '' : `updated_after=${after}&`}first=100&after=0`;

/** When meetings were updated of which a test does not say it, in seconds since 1970. */
export const longAgo = Date.parse('2026-10-01T02:00:00Z') / 1000;

/** The requests of a run that was preceded by one: for what was updated since its watermark, and for what started lately. */
export const incremental = (watermark: number, clock = atTen) => [
  list(watermark - 3600),
  `/v1/calendar_events?starts_after=${clock - 3 * 86_400}&first=100&after=0`,
];

/** A meeting that moves the watermark, so that later runs do not list older ones. */
export const newest = meeting('n', 'Newest', '', { updated_at: '2026-11-20T09:00:00.000Z' });
export const newestAt = atTen - 3600;

/** What a run says that had nothing to do. */
export const nothing: ExportResult = {
  new: 0,
  updated: 0,
  unchanged: 0,
  pending: 0,
  late: 0,
  deleted_upstream: 0,
  edited: [],
  skipped: [],
  unavailable: [],
  pruned: { files: 0, meetings: 0, unused: 0 },
  failed: [],
};

/** The files of a folder and of those in it, by name; without what the export keeps for itself. */
export function textsIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    filesIn(folder)
      .filter((name) => name !== '.kith-export.jsonl')
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

/** The names of all files in a folder and in those in it, sorted. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !statSync(join(folder, name)).isDirectory())
    .sort();
}

/** The whole lines of the ledger in a folder. */
export function ledgerIn(folder: string): Record<string, unknown>[] {
  const path = join(folder, '.kith-export.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
