import {
  type Behavior,
  findResponse,
  type ServiceRecords,
  sendJson,
  startTestService,
} from '../../client/loopback.ts';

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

export const acme = { id: 'o1', name: 'Acme', domains: ['acme.example'], custom_fields: {}, ...times };

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
  records: ServiceRecords,
  override: (path: string) => { status: number; body: unknown } | undefined = () => undefined,
  delay = 5,
) {
  let running = 0;
  const load = { most: 0 };
  const respond: Behavior = ({ url }, response) => {
    const { pathname } = new URL(url, 'http://service');
    running += 1;
    load.most = Math.max(load.most, running);
    setTimeout(() => {
      running -= 1;
      const special = override(pathname);
      if (typeof special?.body === 'string') response.end(special.body);
      else if (special) sendJson(response, special.status, special.body);
      else sendJson(response, ...findResponse(url, records));
    }, delay);
  };
  return { ...(await startTestService(respond)), load };
}

/** Records of a service with one organization and one contact. */
export const smallWorkspace: ServiceRecords = {
  '/v1/organizations': [acme],
  '/v1/contacts': [createContact(1)],
  '/v1/lists': [],
  '/v1/notes': [],
  '/v1/calendar_events': [],
  '/v1/recordings': [],
};
