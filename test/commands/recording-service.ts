import type { Route } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { createPage, sendJson, startTestService } from '../client/loopback.ts';

/** The routes of the contract, by name. */
export const routes = Object.entries(contract).flatMap(([noun, resource]) =>
  Object.entries<Route>(resource).map(([verb, route]) => ({ name: `${noun}.${verb}`, noun, route })),
);

/** Returns the route of a request. */
export function findRoute(method: string, path: string) {
  const { pathname } = new URL(path, 'http://service');
  return routes.find(
    ({ route }) =>
      route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
}

const times = { created_at: '2026-01-02T03:04:05.000Z', updated_at: '2026-01-02T03:04:05.000Z' };

const createField = (name: string, data_type: string, more: object = {}) => ({
  name,
  data_type,
  accepts_multiple_values: false,
  options: [],
  ...more,
});

/** The fields of the service: one of each kind that has its own format. */
const fields = [
  createField('Code', 'text'),
  createField('Rooms', 'number'),
  createField('Since', 'date'),
  createField('Visit', 'datetime'),
  createField('Tier', 'select', { options: ['Gold', 'Silver, old'] }),
  createField('Topics', 'select', { accepts_multiple_values: true, options: ['Probes', 'Loggers'] }),
  createField('Sizes', 'number', { accepts_multiple_values: true }),
  // The specification (2.1) shows only the name and the data type of a field.
  { name: 'Bare', data_type: 'text' },
];

/** A record of each noun. */
const recordsByNoun: Readonly<Record<string, object>> = {
  contacts: {
    id: 'c1',
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@analytical.example', 'ada+crm@x.example'],
    phone_numbers: ['+821055501234'],
    organization_id: 'o1',
    custom_fields: { f1: { name: 'Code', data_type: 'text', value: '007' } },
    ...times,
  },
  organizations: { id: 'o1', name: 'Acme', domains: ['acme.example'], custom_fields: {}, ...times },
  notes: { id: 'n1', organization_id: 'o1', deal_id: null, body: 'Called.', ...times },
  customFields: { id: 'f1', model: 'contact', ...createField('Code', 'text'), ...times },
  lists: {
    id: 'l1',
    name: 'Deals',
    process: true,
    entry_type: 'Contact',
    fields,
    identifier: 'DEAL',
    duplicates_allowed: false,
    statuses: [{ name: 'Open', type: 'active' }],
    ...times,
    archived_at: null,
  },
  entries: {
    id: 'e1',
    key: 'DEAL-1',
    list_id: 'l1',
    entryable_id: 'c1',
    entryable_type: 'Contact',
    contact_id: null,
    list_fields: {},
    status: 'Open',
    assignee: null,
    one_time_value_cents: 120050,
    recurring_value_cents: 0,
    recurring_value_period: 'monthly',
    ...times,
  },
  calendarEvents: {
    id: 'm1',
    title: 'Kick-off',
    start_at: '2026-05-01T10:00:00.000+09:00',
    end_at: '2026-05-01T11:00:00.000+09:00',
    conference_link: 'https://meet.example/m1',
    conference_type: 'Meet',
    attendees: [{ email: 'ada@analytical.example' }],
    recordings: [
      {
        id: 'r1',
        status: 'done',
        started_at: times.created_at,
        ended_at: times.created_at,
        audio_duration: null,
      },
    ],
    ...times,
  },
  recordings: {
    id: 'r1',
    calendar_event_id: 'm1',
    status: 'done',
    started_at: times.created_at,
    ended_at: times.created_at,
    audio_duration: null,
    summary: { summary: 'They met.', topics: [], action_items: [], detected_language: 'en' },
    transcript: [],
    ...times,
  },
};

/** The lists with more than one record, by noun. */
const longerLists: Readonly<Record<string, readonly object[]>> = {
  customFields: ['contact', 'organization'].flatMap((model) =>
    fields.map((definition, index) => ({ id: `${model}-${index}`, model, ...definition, ...times })),
  ),
};

/** Filters a list of contacts by an email address, if there is one. */
function filterByEmail(body: unknown, email: string | null): unknown {
  const { data } = body as { data?: { emails: string[] }[] };
  return email === null || !data ? body : { data: data.filter(({ emails }) => emails.includes(email)) };
}

/** Returns whether a record has no start, or a start in the range of a query. */
function startsInRange(record: object | undefined, query: URLSearchParams): boolean {
  const { start_at } = { start_at: '', ...record };
  const start = Date.parse(start_at) / 1000;
  return !(
    start < Number(query.get('starts_after') ?? 0) || start >= Number(query.get('starts_before') ?? Infinity)
  );
}

/** Response bodies that replace the usual ones, by path; undefined: not found. */
export type ResponseOverrides = Readonly<Record<string, unknown>>;

/**
 * Starts a hosted service on a loopback port that implements every route of the contract and records its requests.
 * `env` has its URL and a key.
 */
export async function startRecordingService(overrides: ResponseOverrides = {}) {
  const { env, requests } = await startTestService(({ method, url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const match = findRoute(method, pathname);
    if (!match || (Object.hasOwn(overrides, pathname) && overrides[pathname] === undefined)) {
      return sendJson(response, 404, { message: `Not found: ${pathname}.` });
    }
    if (match.route.output === null) return sendJson(response, 204);
    const email = searchParams.get('email');
    if (method === 'GET' && Object.hasOwn(overrides, pathname))
      return sendJson(response, 200, filterByEmail(overrides[pathname], email));
    const record = recordsByNoun[match.noun];
    if (!match.route.query) {
      return sendJson(response, match.route.status, match.noun === 'recordings' ? { data: record } : record);
    }
    const data = longerLists[match.noun] ?? [record].filter((one) => startsInRange(one, searchParams));
    sendJson(response, 200, createPage(data));
  });
  return {
    requests,
    env,
    /** Returns the requests so far as lines: method, path and body. */
    listRequests: () => requests.map(({ method, url, body }) => `${method} ${url}${body && ` ${body}`}`),
  };
}
