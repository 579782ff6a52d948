import { ids } from '../../src/service/db/ids.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { createService } from '../../src/service/dispatch.ts';
import { getEmail, getPhone, getStart, time } from './workspaces.ts';

type Query = Readonly<Record<string, string | number>>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A kind of request. It is sent `times` times per round, because one is too short to measure. */
export interface RequestKind {
  readonly times: number;
  readonly send: () => Promise<unknown>;
}

/** Opens the service on a workspace in this process. Every response must be successful. */
async function openService(location: string) {
  const db = await openWorkspace(location);
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now: () => new Date(time), log });
  const send = async (method: Method, path: string, body?: unknown, parameters: Query = {}) => {
    const query = Object.entries(parameters).map(([name, value]) => [name, String(value)] as const);
    const response = await service({ method, path, query, body });
    if (response.status > 299) throw new Error(`${method} ${path}: status ${response.status}`);
    return response.body as { id: string; data: unknown[] }; // a record or a page
  };
  const list = async (path: string, parameters: Query, expected: number) => {
    const { data } = await send('GET', path, undefined, parameters);
    if (data.length !== expected) {
      throw new Error(`${path} ${JSON.stringify(parameters)}: ${data.length} records, not ${expected}`);
    }
  };
  return { send, list, close: () => db.close() };
}

/** The kinds of requests by name. */
export type RequestKinds = Awaited<ReturnType<typeof openRequestKinds>>['kinds'];

/** Returns requests to a workspace that `fillWorkspace` filled, each time for another record or page. */
export async function openRequestKinds(location: string, records: number) {
  const { send, list, close } = await openService(location);
  const random = (limit: number) => Math.floor(Math.random() * limit);
  const randomRow = () => 1 + random(records);
  const page = { first: 100 };
  const readPage = (after: number) => list('/v1/contacts', { ...page, after }, 100);
  const readAnyPage = (path: string): RequestKind => ({
    times: 50,
    send: () => list(path, { ...page, after: random(records - 99) }, 100),
  });
  const listEvents = (getFilter: () => Query, expected: number, times: number): RequestKind => ({
    times,
    send: () => list('/v1/calendar_events', { ...page, ...getFilter() }, expected),
  });
  const lookup = (getFilter: () => Query, expected: number): RequestKind => ({
    times: 200,
    send: () => list('/v1/contacts', getFilter(), expected),
  });
  const entries = `/v1/lists/${ids.list.encode(1)}/entries`;
  const getContactPath = () => `/v1/contacts/${ids.contact.encode(randomRow())}`;
  let created = 0;
  const createContact = () => {
    created += 1;
    return send('POST', '/v1/contacts', { first_name: 'New', emails: [`new${created}@example.com`] });
  };
  const createNote = () =>
    send('POST', '/v1/notes', { organization_id: ids.organization.encode(randomRow()), body: 'New' });
  const createEntry = async () => {
    const { id } = await createContact();
    return send('POST', entries, { entryable_id: id, entryable_type: 'Contact' });
  };
  const updateContact = () => send('PATCH', getContactPath(), { last_name: 'Changed' });
  const createAndDelete = async () => send('DELETE', `/v1/contacts/${(await createContact()).id}`);
  const kinds = {
    'one contact': { times: 400, send: () => send('GET', getContactPath()) },
    'lookup by email': lookup(() => ({ email: getEmail(randomRow()) }), 1),
    'lookup by phone number': lookup(() => ({ phone_number: getPhone(randomRow()) }), 1),
    'lookup of an unknown phone number': lookup(() => ({ phone_number: 700_000_000 + randomRow() }), 0),
    'first page of contacts': { times: 50, send: () => readPage(0) },
    'last page of contacts': { times: 50, send: () => readPage(records - 100) },
    'any page of contacts': readAnyPage('/v1/contacts'),
    'any page of organizations': readAnyPage('/v1/organizations'),
    'any page of notes': readAnyPage('/v1/notes'),
    'any page of lists': readAnyPage('/v1/lists'),
    'any page of entries': readAnyPage(entries),
    'any page of events': readAnyPage('/v1/calendar_events'),
    'events that start before a time': listEvents(
      () => ({ starts_before: Math.floor(getStart(random(records - 100), records) / 1000) }),
      100,
      50,
    ),
    'the 100 events updated last': listEvents(() => ({ updated_after: time / 1000 - 101 }), 100, 50),
    'events of one contact': listEvents(() => ({ contact_id: ids.contact.encode(randomRow()) }), 1, 200),
    'events of one organization': listEvents(
      () => ({ organization_id: ids.organization.encode(randomRow()) }),
      1,
      200,
    ),
    'last page of the events of a contact who attended all': listEvents(
      () => ({ contact_id: ids.contact.encode(records + 1), after: records - 100 }),
      100,
      20,
    ),
    'last page of the events updated after a day on which all were': listEvents(
      () => ({ updated_after: time / 1000 - records - 1, after: records - 100 }),
      100,
      20,
    ),
    'create a contact': { times: 10, send: createContact },
    'create a note': { times: 10, send: createNote },
    'create a contact and its entry': { times: 10, send: createEntry },
    'update a contact': { times: 10, send: updateContact },
    'create and delete a contact': { times: 10, send: createAndDelete },
  } satisfies Readonly<Record<string, RequestKind>>;
  return { kinds, readPage, close };
}
