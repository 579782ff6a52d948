import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import type { Client } from '../../src/client/client.ts';
import { type ExportOptions, exportMeetings } from '../../src/export/export.ts';
import type { ExportResult } from '../../src/export/export-result.ts';
import { toPermissions } from '../../src/files/permissions.ts';
import { createPage, createTestClient, sendJson, startTestService } from '../client/loopback.ts';
import { createEnv } from '../support/binary.ts';
import { createLockHolder, createMachine, createTemporaryFolder } from '../support/kith.ts';

/** A calendar event of the test service. */
export interface Meeting {
  readonly id?: string;
  readonly title: string;
  readonly start_at: string;
  readonly attendees: readonly { email: string }[];
  readonly recordings: readonly { id?: string; status: string }[];
  readonly updated_at: string;
}

/** Returns a meeting with one recording, or with none if the status is empty. */
export const createMeeting = (id: string, title: string, status = 'done', more: Partial<Meeting> = {}) => ({
  id,
  title,
  start_at: '2026-10-01T09:00:00.000+09:00',
  end_at: '2026-10-01T10:00:00.000+09:00',
  attendees: [{ email: 'a@x.org' }],
  recordings: status === '' ? [] : [{ id: `r-${id}`, status }],
  updated_at: '2026-10-01T02:00:00.000Z',
  ...more,
});

/** Returns a meeting that was updated at a given time. */
export const updatedMeeting = (id: string, title: string, updated_at: string, status?: string) =>
  createMeeting(id, title, status, { updated_at });

/** Returns a finished recording. */
export const createRecording = (id: string, more: Readonly<Record<string, unknown>> = {}) => ({
  id,
  status: 'done',
  summary: { summary: `Of ${id}.` },
  transcript: [
    { participant: { name: 'Ada' }, words: [{ text: 'Hello', start_timestamp: { relative: 1 } }] },
  ],
  updated_at: '2026-10-01T01:00:00.000Z',
  ...more,
});

/** The state of the test service. Tests change it between runs. */
interface HostState {
  meetings: Meeting[];
  /** The time in the `date` header of its responses. */
  clock: Date;
  /** Milliseconds before it returns a recording. */
  delay: number;
  /** Maximum number of meetings per page. */
  maxPageSize: number;
  /** Responses that replace the usual ones, by path. */
  readonly responses: Map<string, readonly [status: number, body: unknown] | ((to: ServerResponse) => void)>;
  /** Called after each response, for example to change the list while it is read. */
  onResponse: (url: string) => void;
}

const toSeconds = (time: string) => Date.parse(time) / 1000;

/** Starts a service over HTTP whose state a test can change, with an export folder. */
export async function startHost(meetings: readonly Meeting[]) {
  const service: HostState = {
    meetings: [...meetings],
    clock: new Date('2026-11-20T10:00:00Z'),
    delay: 0,
    maxPageSize: 100,
    responses: new Map(),
    onResponse: () => {},
  };
  const received: string[] = [];
  const { url, env, receiveRemaining } = await startTestService((request, response) => {
    received.push(request.url);
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    response.setHeader('date', service.clock.toUTCString());
    const replacement = service.responses.get(decodeURIComponent(pathname));
    if (typeof replacement === 'function') replacement(response);
    else {
      const sendUsual = () =>
        sendJson(response, ...(replacement ?? findUsualResponse(service, pathname, searchParams)));
      if (service.delay > 0 && pathname.includes('recordings')) setTimeout(sendUsual, service.delay);
      else sendUsual();
    }
    service.onResponse(request.url);
  });
  const { client } = createTestClient(url, 0);
  const folder = join(createTemporaryFolder(), 'out');
  return {
    service,
    client,
    url,
    folder,
    /** The environment of a process that exports from the service, on a machine without settings. */
    env: createEnv(dirname(folder), env),
    /** Runs a command in this process. */
    kith: (args: readonly string[]) => createMachine()(args, { env }),
    run: (options: RunOptions = {}) =>
      exportWithDefaults(client, folder, { clock: () => service.clock, ...options }),
    receiveRemaining,
    /** Returns the requests since the last call. */
    takeRequests: () => received.splice(0).map((url) => decodeURIComponent(url)),
  };
}

function findUsualResponse(
  { meetings, maxPageSize }: HostState,
  path: string,
  query: URLSearchParams,
): readonly [status: number, body: unknown] {
  const [, noun, id] = /^\/v1\/(\w+)(?:\/(.+))?$/.exec(path) ?? [];
  const recordId = id === undefined ? undefined : decodeURIComponent(id);
  if (noun === 'recordings' && recordId !== undefined) return [200, { data: createRecording(recordId) }];
  if (noun !== 'calendar_events') return [404, { error: 'No such thing.' }];
  if (recordId !== undefined) {
    const meeting = meetings.find(({ id }) => id === recordId);
    return meeting ? [200, meeting] : [404, { error: `No meeting ${recordId}.` }];
  }
  const since = query.get('updated_after');
  const startsAfter = query.get('starts_after');
  const contact = query.get('contact_id');
  const matches = meetings.filter(
    ({ updated_at, start_at, attendees }) =>
      (since === null || toSeconds(updated_at) > Number(since)) &&
      (startsAfter === null || toSeconds(start_at) >= Number(startsAfter)) &&
      (!contact || attendees.some(({ email }) => email === contact)),
  );
  const first = Math.min(maxPageSize, Number(query.get('first')));
  return [200, createPage(matches, `?first=${first}&after=${query.get('after')}`)];
}

/** Options of a run; `clock` is this machine's clock. */
type RunOptions = Partial<ExportOptions> & { readonly clock?: () => Date };

/** Exports with the command's default flags. */
export function exportWithDefaults(
  client: Client,
  folder: string,
  { clock = () => new Date('2026-11-20T10:00:00Z'), ...options }: RunOptions = {},
): Promise<ExportResult> {
  return exportMeetings({
    client,
    workspace: { place: 'https://crm.example.com/', key: 'key-for-tests' },
    adopt: false,
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
    holder: createLockHolder(process.pid, clock),
    onDamagedLedger: async () => {},
    onProgress: () => {},
    ...options,
  });
}

/** The initial time of a service, in seconds since 1970. */
export const startSeconds = Date.parse('2026-11-20T10:00:00Z') / 1000;

/** Returns the request for the first page of events updated after a time. */
export const listRequest = (after?: number) =>
  `/v1/calendar_events?${after === undefined ? '' : `updated_after=${after}&`}first=100&after=0`;

/** The default time of a meeting's last update, in seconds since 1970. */
export const updateTime = Date.parse('2026-10-01T02:00:00Z') / 1000;

/** Returns the list requests of a later run: events updated since the watermark, and recently started ones. */
export const laterRequests = (watermark: number, clock = startSeconds) => [
  listRequest(watermark - 3600),
  `/v1/calendar_events?starts_after=${clock - 3 * 86_400}&first=100&after=0`,
];

/** A meeting that moves the watermark, so that later runs do not list older meetings. */
export const newestMeeting = createMeeting('n', 'Newest', '', { updated_at: '2026-11-20T09:00:00.000Z' });
export const newestTime = startSeconds - 3600;

/** The result of a run that had nothing to do. */
export const emptyResult: ExportResult = {
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

/** Reads the exported files of a folder and its subfolders, by name. */
export function readTexts(folder: string): Record<string, string> {
  return Object.fromEntries(
    listFiles(folder)
      .filter((name) => name !== '.kith-export.jsonl')
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

/** Lists the files of a folder and its subfolders, sorted by name. */
export function listFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !statSync(join(folder, name)).isDirectory())
    .sort();
}

/** Parses the complete lines of a folder's ledger. */
export function readLedgerLines(folder: string): Record<string, unknown>[] {
  const path = join(folder, '.kith-export.jsonl');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
