import { createServer, type IncomingMessage } from 'node:http';
import { loadSqlite } from '../../src/sqlite/engine.ts';
import { createSearchContact, createSearchMeeting, createSearchRecording } from './search-corpus.ts';
import { createRecording } from './workspaces.ts';

/**
 * Services that do as little as possible, so that their client is measured, or a full service is compared with them:
 * `servers.ts KIND ARGUMENTS`. The address is printed on stderr.
 */
type Respond = (request: IncomingMessage) => string | Buffer;

const time = '2026-05-04T00:00:00.000Z';

/** Formats a page of `total` records. */
function formatPage(total: number, url: URL, createRecord: (index: number) => unknown): string {
  const after = Number(url.searchParams.get('after'));
  const end_cursor = Math.min(total, after + Number(url.searchParams.get('first')));
  const data = Array.from({ length: end_cursor - after }, (_, index) => createRecord(after + index));
  const pagination = { end_cursor, has_next_page: end_cursor < total, total_count: total };
  return JSON.stringify({ data, pagination });
}

const parseUrl = ({ url }: IncomingMessage) => new URL(url ?? '', 'http://localhost');

/** `fixed BODY` sends the same body for every request. */
function respondFixed(body: string): Respond {
  const bytes = Buffer.from(body);
  return () => bytes;
}

const createContact = (index: number) => ({
  id: `c${index}`,
  first_name: `First ${index}`,
  last_name: `Last ${index}`,
  emails: [`person.${index}@example.com`],
  phone_numbers: [`+1${2_012_000_000 + index}`],
  organization_id: null,
  custom_fields: { Region: 'EMEA', Score: index / 8 },
  created_at: time,
  updated_at: time,
});

/** `contacts COUNT` lists contacts. Each page is built once, so that later runs measure the client alone. */
function respondContacts(count: string): Respond {
  const pages = new Map<string, Buffer>();
  return (request) => {
    const url = parseUrl(request);
    const page = pages.get(url.search) ?? Buffer.from(formatPage(Number(count), url, createContact));
    pages.set(url.search, page);
    return page;
  };
}

const createOrganization = (index: number) => ({
  id: `o${index}`,
  name: `Organization ${index}`,
  domains: [`organization${index}.example`],
  custom_fields: {},
  created_at: time,
  updated_at: time,
});

/** `entries COUNT ORGANIZATIONS` lists entries of a process, whose organizations are spread over all of them. */
function respondEntries(count: string, organizations: string): Respond {
  const step = Math.floor(Number(organizations) / Number(count));
  const createEntry = (index: number) => ({
    ...{ id: `n${index}`, key: `DEAL-${index}`, list_id: 'l1', status: 'Open', assignee: null },
    ...{ entryable_id: `o${index * step}`, entryable_type: 'Organization', contact_id: null },
    ...{ one_time_value_cents: 125_000, recurring_value_cents: 4200, recurring_value_period: 'monthly' },
    ...{ list_fields: {}, closed_at: null, next_entry_id: null, created_at: time, updated_at: time },
  });
  return (request) => {
    const url = parseUrl(request);
    const id = /^\/v1\/organizations\/o(\d+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) return JSON.stringify(createOrganization(Number(id)));
    return url.pathname === '/v1/organizations'
      ? formatPage(Number(organizations), url, createOrganization)
      : formatPage(Number(count), url, createEntry);
  };
}

const createEvent = (index: number) => ({
  id: `e${index}`,
  title: `Meeting ${index}`,
  start_at: '2026-04-01T09:00:00.000+09:00',
  end_at: '2026-04-01T09:10:00.000+09:00',
  conference_link: null,
  conference_type: null,
  attendees: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }],
  recordings: [{ id: `r${index}`, status: 'done', started_at: time, ended_at: time, audio_duration: 600 }],
  created_at: time,
  updated_at: time,
});

/** `meetings COUNT UTTERANCES` lists meetings, and sends a recording with so long a transcript for each. */
function respondMeetings(count: string, utterances: string): Respond {
  // Sixteen different recordings are enough: only their ids differ from meeting to meeting.
  const recordings = Array.from({ length: 16 }, (_, seed) => {
    const { transcript, ...recording } = createRecording(seed);
    const part = transcript?.slice(0, Number(utterances));
    return JSON.stringify({ ...recording, transcript: part }).slice(1);
  });
  return (request) => {
    const url = parseUrl(request);
    const id = /^\/v1\/recordings\/r(\d+)$/.exec(url.pathname)?.[1];
    if (id === undefined) return formatPage(Number(count), url, createEvent);
    const ids = `"id":"r${id}","calendar_event_id":"e${id}"`;
    const rest = recordings[Number(id) % recordings.length];
    return `{"data":{${ids},"created_at":"${time}","updated_at":"${time}",${rest}}`;
  };
}

/** `workspace CONTACTS MEETINGS` serves contacts and meetings of ten minutes. No meeting is updated later. */
function respondWorkspace(contacts: string, meetings: string): Respond {
  const [respondToContacts, respondToMeetings] = [respondContacts(contacts), respondMeetings(meetings, '60')];
  return (request) => {
    const url = parseUrl(request);
    if (url.pathname === '/v1/contacts') return respondToContacts(request);
    const isListed = url.pathname === '/v1/calendar_events' && !url.searchParams.has('updated_after');
    return isListed || url.pathname.startsWith('/v1/recordings/')
      ? respondToMeetings(request)
      : formatPage(0, url, () => undefined);
  };
}

/** `search CONTACTS MEETINGS WORDS` serves a workspace with transcripts of so many words. No meeting is updated later. */
function respondSearch(contacts: string, meetings: string, words: string): Respond {
  return (request) => {
    const url = parseUrl(request);
    const row = /^\/v1\/recordings\/r(\d+)$/.exec(url.pathname)?.[1];
    if (row !== undefined) return JSON.stringify({ data: createSearchRecording(Number(row), Number(words)) });
    if (url.pathname === '/v1/contacts') return formatPage(Number(contacts), url, createSearchContact);
    const isMeetings = url.pathname === '/v1/calendar_events' && !url.searchParams.has('updated_after');
    return formatPage(isMeetings ? Number(meetings) : 0, url, createSearchMeeting);
  };
}

/**
 * `sqlite FILE` sends rows of the table of contacts: `/contacts/ROW` one, `/contacts?after=ROW` a hundred. It runs one
 * prepared statement for a request. It checks no key, and reads no emails, phone numbers or custom fields.
 */
function respondSqlite(file: string): Respond {
  const database = new (loadSqlite())(file, { readOnly: true });
  const prepared = {
    one: database.prepare('select * from contact where id = ?'),
    page: database.prepare('select * from contact where id > ? order by id limit 100'),
    database, // garbage collection would close it
  };
  return ({ url = '' }) => {
    const [row, after] = [/^\/contacts\/(\d+)$/.exec(url)?.[1], /\?after=(\d+)$/.exec(url)?.[1]];
    return JSON.stringify(row ? prepared.one.get(Number(row)) : { data: prepared.page.all(Number(after)) });
  };
}

const kinds: Readonly<Record<string, (...args: string[]) => Respond>> = {
  fixed: (body = '') => respondFixed(body),
  contacts: (count = '') => respondContacts(count),
  entries: (count = '', organizations = '') => respondEntries(count, organizations),
  meetings: (count = '', utterances = '') => respondMeetings(count, utterances),
  workspace: (contacts = '', meetings = '') => respondWorkspace(contacts, meetings),
  search: (contacts = '', meetings = '', words = '') => respondSearch(contacts, meetings, words),
  sqlite: (file = '') => respondSqlite(file),
};

const [kind = '', ...args] = process.argv.slice(2);
const respond = kinds[kind]?.(...args);
if (!respond) throw new Error(`Unknown server "${kind}". Available: ${Object.keys(kinds).join(', ')}`);
const server = createServer((request, response) => {
  const body = respond(request);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
