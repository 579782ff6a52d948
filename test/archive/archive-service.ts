import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { createPage, sendJson, startTestService } from '../client/loopback.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';

/** A record, or its JSON text. */
type TestRecord = string | (Readonly<Record<string, unknown>> & { readonly id: unknown });

const oldTime = '2026-01-02T03:04:05.000Z';
const times = { created_at: oldTime, updated_at: oldTime };

/** Returns a meeting with one recording. */
export const createMeeting = (index: number, status = 'done', updated_at = oldTime) => ({
  id: `m${index}`,
  title: `Meeting ${index}`,
  start_at: new Date(Date.UTC(2026, 5, 1) - index * 86_400_000).toISOString(),
  attendees: [],
  recordings: [{ id: `r${index}`, status }],
  created_at: oldTime,
  updated_at,
});

export const createRecording = (index: number, status = 'done') => ({
  id: `r${index}`,
  calendar_event_id: `m${index}`,
  status,
  summary: status === 'done' ? { summary: `Of ${index}.` } : null,
  transcript: null,
  ...times,
});

/** The records of a service. */
export const createRecords = (meetings = 3) => ({
  custom_fields: [{ id: 'f1', name: 'Role', model: 'contact', data_type: 'text', ...times }] as TestRecord[],
  organizations: [{ id: 'o1', name: '한빛물류', domains: [], ...times }] as TestRecord[],
  contacts: [
    { id: 'c1', first_name: 'Zoë', emails: [], organization_id: 'o1', ...times },
    { id: 'c2', first_name: 'أحمد', emails: [], organization_id: null, ...times },
  ] as TestRecord[],
  lists: [
    { id: 'l1', name: 'Sales', process: true, entry_type: 'Contact', ...times },
    { id: 'l2', name: 'Board', process: false, entry_type: 'Contact', ...times },
  ] as TestRecord[],
  entries: new Map<string, TestRecord[]>([
    ['l1', [{ id: 'e1', list_id: 'l1', entryable_id: 'c1', entryable_type: 'Contact', ...times }]],
    ['l2', [{ id: 'e2', list_id: 'l2', entryable_id: 'c2', entryable_type: 'Contact', ...times }]],
  ]),
  notes: [{ id: 'n1', organization_id: 'o1', body: 'Call in May.', ...times }] as TestRecord[],
  meetings: Array.from({ length: meetings }, (_, index) => createMeeting(index)),
  recordings: new Map<string, TestRecord>(
    Array.from({ length: meetings }, (_, index) => [`r${index}`, createRecording(index)]),
  ),
});

export type ServiceRecords = ReturnType<typeof createRecords>;

const toText = (record: TestRecord) => (typeof record === 'string' ? record : JSON.stringify(record));

function listRecords(
  records: ServiceRecords,
  path: string,
  query: URLSearchParams,
): readonly TestRecord[] | undefined {
  const since = Number(query.get('updated_after') ?? 0) * 1000;
  const [, list = ''] = /^\/v1\/lists\/(\w+)\/entries$/.exec(path) ?? [];
  const lists: Readonly<Record<string, readonly TestRecord[] | undefined>> = {
    '/v1/custom_fields': records.custom_fields,
    '/v1/organizations': records.organizations,
    '/v1/contacts': records.contacts,
    '/v1/notes': records.notes,
    '/v1/lists': records.lists,
    '/v1/calendar_events': records.meetings.filter(({ updated_at }) => Date.parse(updated_at) > since),
  };
  return list === '' ? lists[path] : records.entries.get(list);
}

/** Starts a service with records until the test ends. Tests change its records and its responses between runs. */
async function startArchiveService(records = createRecords()) {
  /** Statuses or responses that replace the usual ones, by the start of the path with its query. */
  const responses = new Map<string, number | ((to: ServerResponse, respond: () => void) => void)>();
  const { url, env, requests, receiveRemaining } = await startTestService((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    const respond = () => {
      const all = listRecords(records, pathname, searchParams);
      if (all) {
        const { data, pagination } = createPage(all, request.url);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"data":[${data.map(toText)}],"pagination":${JSON.stringify(pagination)}}`);
        return;
      }
      const recording = records.recordings.get(pathname.slice('/v1/recordings/'.length));
      if (!recording) return sendJson(response, 404, { error: 'not found' });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`{"data":${toText(recording)}}`);
    };
    const [, replacement] = [...responses].find(([start]) => request.url.startsWith(start)) ?? [];
    if (typeof replacement === 'number') sendJson(response, replacement, { error: 'refused' });
    else if (replacement) replacement(response, respond);
    else respond();
  });
  const takeRequests = () => requests.splice(0).map((request) => request.url);
  return { records, responses, url, env, receiveRemaining, takeRequests };
}

/** Starts a service, and returns it with a machine that uses it and the path of an archive folder. */
export async function startArchiveMachine(records?: ServiceRecords) {
  const service = await startArchiveService(records);
  const home = createTemporaryFolder();
  const run = createMachine(join(home, 'settings'));
  const kith = (line: string | readonly string[], more: Readonly<Record<string, string>> = {}) =>
    run(typeof line === 'string' ? `${line} --retries 0` : [...line, '--retries', '0'], {
      env: { ...service.env, HOME: home, ...more },
    });
  return { ...service, kith, run, home, archive: join(home, 'archive') };
}

/** Returns the lines of a file of an archive. */
export const readRecords = (folder: string, name: string): string[] =>
  readFileSync(join(folder, `${name}.ndjson`), 'utf8')
    .split('\n')
    .slice(0, -1);

/** Returns the ids of the records in a file of an archive. */
export const readIds = (folder: string, name: string): unknown[] =>
  readRecords(folder, name).map((line) => JSON.parse(line).id);

/** Returns the texts of the files of an archive by name, without the times and the version of the run. */
export function readArchive(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    names.sort().map((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const timeless = text.replace(
        /"(kith_version|started_at|completed_at|meetings_until)": [^,\n]+/g,
        '"$1": 0',
      );
      return [name, name === 'manifest.json' ? timeless : text];
    }),
  );
}
