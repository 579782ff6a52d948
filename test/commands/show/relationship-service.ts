import { type Behavior, sendJson, startTestService } from '../../client/loopback.ts';

/** The records of a service by the paths of their lists; the recordings by id. */
interface Records {
  readonly [path: string]: readonly object[];
}

const times = { created_at: '2026-01-02T03:04:05.000Z', updated_at: '2026-01-02T03:04:05.000Z' };

/** Returns a contact; a number gives it an id, a name and an email address. */
export const createContact = (number: number, fields: object = {}) => ({
  id: `c${number}`,
  first_name: 'Person',
  last_name: String(number),
  emails: [`person${number}@acme.example`],
  phone_numbers: [],
  organization_id: 'o1',
  custom_fields: {},
  ...times,
  ...fields,
});

const acme = { id: 'o1', name: 'Acme', domains: ['acme.example'], custom_fields: {}, ...times };

/** Returns a note about Acme. */
export const createNote = (id: string, created_at: string, fields: object = {}) => ({
  id,
  organization_id: 'o1',
  deal_id: null,
  body: `Note ${id}.`,
  ...times,
  created_at,
  ...fields,
});

/** Returns a meeting that a person attends, with a recording of the same number. */
export const createMeeting = (number: number, start_at: string, email = 'person1@acme.example') => ({
  id: `m${number}`,
  title: `Meeting ${number}`,
  start_at,
  end_at: start_at,
  attendees: [{ email }],
  recordings: [{ id: `r${number}`, status: 'done' }],
  ...times,
});

/** Starts a service with pages of lists. It ignores filters. `override` may respond first, also with a JSON text; `delay` is in milliseconds. */
export async function startRelationshipService(
  records: Records,
  override: (path: string) => { status: number; body: unknown } | undefined = () => undefined,
  delay = 5,
) {
  let running = 0;
  const load = { most: 0 };
  const respond: Behavior = ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    running += 1;
    load.most = Math.max(load.most, running);
    const send = (status: number, body: unknown) => {
      running -= 1;
      if (typeof body === 'string') response.end(body);
      else sendJson(response, status, body);
    };
    const answer = () => {
      const special = override(pathname);
      if (special) return send(special.status, special.body);
      const list = records[pathname];
      if (list) {
        const [after, first] = ['after', 'first'].map((name) => Number(searchParams.get(name) ?? 25));
        const data = list.slice(after, (after ?? 0) + (first ?? 0));
        const end_cursor = (after ?? 0) + data.length;
        const has_next_page = end_cursor < list.length;
        return send(200, { data, pagination: { end_cursor, has_next_page, total_count: list.length } });
      }
      const [, parent = '', id] = /^(.*)\/([^/]+)$/.exec(pathname) ?? [];
      const record = records[parent]?.find((one) => 'id' in one && one.id === id);
      send(record ? 200 : 404, record ?? { message: `Not found: ${pathname}.` });
    };
    setTimeout(answer, delay);
  };
  const { url, requests } = await startTestService(respond);
  return { requests, load, env: { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' } };
}

/** Records of a service with one organization and one contact. */
export const smallWorkspace: Records = {
  '/v1/organizations': [acme],
  '/v1/contacts': [createContact(1)],
  '/v1/lists': [],
  '/v1/notes': [],
  '/v1/calendar_events': [],
  '/v1/recordings': [],
};
