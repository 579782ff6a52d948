import { ids } from '../../src/service/db/ids.ts';
import { openWorkspace } from '../../src/service/db/open.ts';
import { createService } from '../../src/service/dispatch.ts';
import { getEmail, getPhone, time } from './workspaces.ts';

type Query = Readonly<Record<string, string | number>>;
type Method = 'GET' | 'POST' | 'PATCH';

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

/** Returns requests to a database with contacts and events, each time for another record or page. */
export async function openRequestKinds(location: string, records: number) {
  const { send, list, close } = await openService(location);
  const random = (limit: number) => Math.floor(Math.random() * limit);
  const randomRow = () => 1 + random(records);
  const page = { first: 100 };
  const readPage = (after: number) => list('/v1/contacts', { ...page, after }, 100);
  const readLastEvents = (filter: Query): RequestKind => ({
    times: 20,
    send: () => list('/v1/calendar_events', { ...page, ...filter, after: records - 100 }, 100),
  });
  const lookUp = (getFilter: () => Query): RequestKind => ({
    times: 200,
    send: () => list('/v1/contacts', getFilter(), 1),
  });
  const getContactPath = () => `/v1/contacts/${ids.contact.encode(randomRow())}`;
  let created = 0;
  const createContact = () => {
    created += 1;
    return send('POST', '/v1/contacts', { first_name: 'New', emails: [`new${created}@example.com`] });
  };
  const kinds: Readonly<Record<string, RequestKind>> = {
    'one contact': { times: 400, send: () => send('GET', getContactPath()) },
    'lookup by email': lookUp(() => ({ email: getEmail(randomRow()) })),
    'lookup by phone number': lookUp(() => ({ phone_number: getPhone(randomRow()) })),
    'first page of contacts': { times: 50, send: () => readPage(0) },
    'any page of contacts': { times: 50, send: () => readPage(random(records - 99)) },
    'last page of contacts': { times: 50, send: () => readPage(records - 100) },
    'any page of events': {
      times: 50,
      send: () => list('/v1/calendar_events', { ...page, after: random(records - 99) }, 100),
    },
    'last page of the events of a contact who attended all': readLastEvents({
      contact_id: ids.contact.encode(records + 1),
    }),
    'last page of the events updated after a day on which all were': readLastEvents({
      updated_after: time / 1000 - records - 1,
    }),
    'create a contact': { times: 10, send: createContact },
    'update a contact': { times: 10, send: () => send('PATCH', getContactPath(), { last_name: 'Changed' }) },
  };
  return { kinds, readPage, close };
}
