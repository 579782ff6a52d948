import { openDatabase } from '../../src/service/db/database.ts';
import { ids } from '../../src/service/db/ids.ts';
import { createService } from '../../src/service/dispatch.ts';
import { emailOf, phoneOf, startOf, time } from './grown.ts';

type Query = Readonly<Record<string, string | number>>;
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A kind of request, and how often it is sent in one go: so often that the clock can tell. */
export interface Kind {
  readonly times: number;
  readonly ask: () => Promise<unknown>;
}

/** The service on a file, where every answer must be a good one. */
function serviceOn(file: string) {
  const db = openDatabase(file);
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now: () => new Date(time), log });
  const send = async (method: Method, path: string, body?: unknown, asked: Query = {}) => {
    const query = Object.entries(asked).map(([name, value]) => [name, String(value)] as const);
    const answer = await service({ method, path, query, body });
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer.body as { id: string; data: unknown[] }; // a record, or the page of a list
  };
  const list = async (path: string, asked: Query, expected: number) => {
    const { data } = await send('GET', path, undefined, asked);
    if (data.length !== expected) throw new Error(`${path} ${JSON.stringify(asked)} gave ${data.length}.`);
  };
  return { send, list, close: () => db.close() };
}

/** Each kind of request to a workspace file that `grow` has made, each time for another record or page. */
export function kindsOn(file: string, records: number) {
  const { send, list, close } = serviceOn(file);
  const below = (limit: number) => Math.floor(Math.random() * limit);
  const anyone = () => 1 + below(records);
  const page = { first: 100 };
  const pageFrom = (after: number) => list('/v1/contacts', { ...page, after }, 100);
  const anywhere = (path: string): Kind => ({
    times: 50,
    ask: () => list(path, { ...page, after: below(records - 99) }, 100),
  });
  const events = (asked: () => Query, expected: number, times: number): Kind => ({
    times,
    ask: () => list('/v1/calendar_events', { ...page, ...asked() }, expected),
  });
  const lookUp = (asked: () => Query, expected: number): Kind => ({
    times: 200,
    ask: () => list('/v1/contacts', asked(), expected),
  });
  const entries = `/v1/lists/${ids.list.encode(1)}/entries`;
  let made = 0;
  const newContact = () => {
    made += 1;
    return send('POST', '/v1/contacts', { first_name: 'New', emails: [`new${made}@example.com`] });
  };
  const newNote = () =>
    send('POST', '/v1/notes', { organization_id: ids.organization.encode(anyone()), body: 'New' });
  const newEntry = async () => {
    const { id } = await newContact();
    return send('POST', entries, { entryable_id: id, entryable_type: 'Contact' });
  };
  const change = () =>
    send('PATCH', `/v1/contacts/${ids.contact.encode(anyone())}`, { last_name: 'Changed' });
  const madeAndDeleted = async () => send('DELETE', `/v1/contacts/${(await newContact()).id}`);
  const kinds = {
    'one contact': { times: 400, ask: () => send('GET', `/v1/contacts/${ids.contact.encode(anyone())}`) },
    'a look-up by email': lookUp(() => ({ email: emailOf(anyone()) }), 1),
    'a look-up by phone': lookUp(() => ({ phone_number: phoneOf(anyone()) }), 1),
    'a look-up of a number that nobody has': lookUp(() => ({ phone_number: 700_000_000 + anyone() }), 0),
    'the first page of contacts': { times: 50, ask: () => pageFrom(0) },
    'a page of contacts anywhere': anywhere('/v1/contacts'),
    'a page of organizations anywhere': anywhere('/v1/organizations'),
    'a page of notes anywhere': anywhere('/v1/notes'),
    'a page of lists anywhere': anywhere('/v1/lists'),
    'a page of entries anywhere': anywhere(entries),
    'a page of events anywhere': anywhere('/v1/calendar_events'),
    'events that start before any time': events(
      () => ({ starts_before: Math.floor(startOf(below(records - 100), records) / 1000) }),
      100,
      50,
    ),
    'events changed lately, 100 of them': events(() => ({ updated_after: time / 1000 - 101 }), 100, 50),
    'events of one contact': events(() => ({ contact_id: ids.contact.encode(anyone()) }), 1, 200),
    'events of one organization': events(
      () => ({ organization_id: ids.organization.encode(anyone()) }),
      1,
      200,
    ),
    'a durable create of a contact': { times: 10, ask: newContact },
    'a durable create of a note': { times: 10, ask: newNote },
    'the same of a contact and its entry': { times: 10, ask: newEntry },
    'a durable change of a contact': { times: 10, ask: change },
    'a contact made and deleted': { times: 10, ask: madeAndDeleted },
  } satisfies Readonly<Record<string, Kind>>;
  return { kinds, page: pageFrom, close };
}
