import type { Route } from '../../../src/contract/grammar.ts';
import { contract } from '../../../src/contract/index.ts';
import { answer, loopback } from '../../client/loopback.ts';

/** Every route of the contract, with its name. */
export const routes = Object.entries(contract).flatMap(([noun, resource]) =>
  Object.entries<Route>(resource).map(([verb, route]) => ({ name: `${noun}.${verb}`, noun, route })),
);

/** The route that a request is for. */
export function routeOf(method: string, path: string) {
  const { pathname } = new URL(path, 'http://service');
  return routes.find(
    ({ route }) =>
      route.method === method && new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
}

const times = { created_at: '2026-01-02T03:04:05.000Z', updated_at: '2026-01-02T03:04:05.000Z' };

const field = (name: string, data_type: string, more: object = {}) => ({
  name,
  data_type,
  accepts_multiple_values: false,
  options: [],
  ...more,
});

/** The fields that the service has, one of each kind that is read in its own way. */
const fields = [
  field('Code', 'text'),
  field('Rooms', 'number'),
  field('Since', 'date'),
  field('Visit', 'datetime'),
  field('Tier', 'select', { options: ['Gold', 'Silver, old'] }),
  field('Topics', 'select', { accepts_multiple_values: true, options: ['Probes', 'Loggers'] }),
  field('Sizes', 'number', { accepts_multiple_values: true }),
  // The specification shows of a field its name and its data type, no more (2.1).
  { name: 'Bare', data_type: 'text' },
];

/** A record of each noun. */
const records: Readonly<Record<string, object>> = {
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
  customFields: { id: 'f1', model: 'contact', ...field('Code', 'text'), ...times },
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

/** The list of a noun where it is more than one record. */
const several: Readonly<Record<string, readonly object[]>> = {
  customFields: ['contact', 'organization'].flatMap((model) =>
    fields.map((definition, index) => ({ id: `${model}-${index}`, model, ...definition, ...times })),
  ),
};

/** A list with only the contacts that have an address, if it is looked up by one. */
function matching(body: unknown, email: string | null): unknown {
  const { data } = body as { data?: { emails: string[] }[] };
  return email === null || !data ? body : { data: data.filter(({ emails }) => emails.includes(email)) };
}

/** Whether a record has no start, or one within the times of a query. */
function startsWithin(record: object | undefined, query: URLSearchParams): boolean {
  const { start_at } = { start_at: '', ...record };
  const start = Date.parse(start_at) / 1000;
  return !(
    start < Number(query.get('starts_after') ?? 0) || start >= Number(query.get('starts_before') ?? Infinity)
  );
}

/** What a service answers at a path instead. */
export type Held = Readonly<Record<string, unknown>>;

/**
 * A hosted service on a loopback port that answers every route of the contract, and remembers what it was
 * asked. `held`: other bodies by path; undefined: there is nothing there. `env` leads a machine to it.
 */
export async function recordingService(held: Held = {}) {
  const { url, seen } = await loopback(({ method, url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const found = routeOf(method, pathname);
    if (!found || (Object.hasOwn(held, pathname) && held[pathname] === undefined)) {
      return answer(response, 404, { message: `There is nothing at ${pathname}.` });
    }
    if (found.route.output === null) return answer(response, 204);
    const email = searchParams.get('email');
    if (method === 'GET' && Object.hasOwn(held, pathname))
      return answer(response, 200, matching(held[pathname], email));
    const record = records[found.noun];
    if (!found.route.query) {
      return answer(response, found.route.status, found.noun === 'recordings' ? { data: record } : record);
    }
    const data = several[found.noun] ?? [record].filter((one) => startsWithin(one, searchParams));
    answer(response, 200, {
      data,
      pagination: { end_cursor: data.length, has_next_page: false, total_count: data.length },
    });
  });
  return {
    seen,
    env: { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' },
    /** The requests so far: method and path, and the body where there is one. */
    requests: () => seen.map(({ method, url, body }) => `${method} ${url}${body && ` ${body}`}`),
  };
}
