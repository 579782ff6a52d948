import fc from 'fast-check';
import type { CalendarEvent } from '../../src/contract/calendar-events.ts';
import type { Contact } from '../../src/contract/contacts.ts';
import type { Page, Route, WireRequest, WireResponse } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { ids } from '../../src/service/db/ids.ts';
import { createRandom } from '../../src/values/random.ts';
import { bodies } from './http/request-bodies.ts';
import { edgeValues, formatWireText, mutate } from './mutations.ts';

/** Requests that create what the bodies of `request-bodies.ts` refer to: fields, lists and processes. */
export const firstRequests: readonly WireRequest[] = [
  ...[
    ...['Industry', 'City'].map((name) => ({ name, model: 'organization' })),
    { name: 'Keeps cold', model: 'organization', data_type: 'text', accepts_multiple_values: true },
    { name: 'Cold rooms', model: 'organization', data_type: 'number' },
    { name: 'Role', model: 'contact', data_type: 'textarea' },
    { name: 'Language', model: 'contact', data_type: 'select', options: ['Korean', 'German'] },
    { name: 'Birthday', model: 'contact', data_type: 'date' },
    { name: 'Met by', model: 'contact', data_type: 'user', accepts_multiple_values: true },
  ].map((body) => createRequest('POST', '/v1/custom_fields', body)),
  ...['Contact', 'Organization', 'Contact', 'Organization', 'Contact'].map((entry_type, index) =>
    createRequest('POST', '/v1/lists', {
      name: `List ${index}`,
      entry_type,
      process: index > 1,
      ...(index > 1 && {
        identifier: 'DEAL',
        duplicates_allowed: index === 2,
        statuses: ['Lead', 'Invited', 'Won', 'Lost', 'Certified'].map((name) => ({
          name,
          type: name === 'Won' || name === 'Lost' ? name.toLowerCase() : 'active',
        })),
      }),
      fields: [
        ...['Edition', 'Next step', 'Tier', 'Territory'].map((name) => ({ name })),
        ...['Guests', 'Rooms'].map((name) => ({ name, data_type: 'number' })),
      ],
    }),
  ),
];

function createRequest(method: string, path: string, body?: unknown): WireRequest {
  return { method, path, query: [], ...(body !== undefined && { body }) };
}

const contactId = ids.contact.encode(1);
const organizationId = ids.organization.encode(1);

/** Bodies of creates that are valid, unless a text in them is taken. */
const validBodies: Readonly<Record<string, readonly object[]>> = {
  'contacts.create': [{ first_name: 'Ada' }, { emails: ['a1@example1.com'] }],
  'organizations.create': [{ name: '한빛물류' }, { domains: ['d1.example'] }],
  'notes.create': [{ organization_id: organizationId, body: 'Called.' }],
  'customFields.create': [
    { name: 'Field', model: 'contact', accepts_multiple_values: false },
    { name: 'Field', model: 'organization', data_type: 'number', accepts_multiple_values: true },
  ],
  'lists.create': [
    { name: '명단', process: false, entry_type: 'Contact', fields: [{ name: 'Next step' }] },
    { name: 'Deals', process: true, entry_type: 'Organization', identifier: 'S', duplicates_allowed: true },
  ],
  'entries.create': [
    { entryable_id: contactId, entryable_type: 'Contact' },
    { entryable_id: organizationId, entryable_type: 'Organization' },
  ],
};

/** How often each verb is sent. */
const weights: Readonly<Record<string, number>> = { create: 10, update: 6, list: 6, get: 3, delete: 1 };

/** The ids that the bodies of `request-bodies.ts` contain, with the collection of their records. */
const bodyIds = new Map([
  ...Array.from({ length: 8 }, (_, index) => [ids.contact.encode(index + 1), '/v1/contacts'] as const),
  ...Array.from(
    { length: 6 },
    (_, index) => [ids.organization.encode(index + 1), '/v1/organizations'] as const,
  ),
]);

/** Bodies of an operation: three of five valid, as far as their texts are, the others changed. */
function sampleBodies(operation: string, seed: number): unknown[] {
  const fields = bodies[operation];
  if (!fields) return [];
  const required = fc.constantFrom(...(validBodies[operation] ?? [{}]));
  const some = fc
    .subarray(Object.keys(fields), { maxLength: Math.min(2, Object.keys(fields).length) })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, fields[name] ?? fc.anything()]))),
    );
  const valid = fc.tuple(some, required).map(([values, others]) => ({ ...values, ...others }));
  const any = fc.oneof(
    { arbitrary: valid, weight: 6 },
    fc.record(fields),
    mutate(valid),
    mutate(valid),
    edgeValues,
  );
  const texts = fc.sample(any, { seed, numRuns: 400 }).map((body) => formatWireText(body) || 'null');
  // The HTTP server refuses deeper ones before the service gets them.
  return texts.filter((text) => !/(\[|\{"a":){100}/.test(text)).map((text) => JSON.parse(text));
}

/**
 * Creates a sequence of random requests, which depends on the seed only and on the responses: most requests refer to
 * records that exist.
 */
export function createRandomSequence(seed: number) {
  const random = createRandom(seed);
  const pick = (limit: number) => Math.floor(random() * limit);
  const pickFrom = <T>(items: readonly T[]): T | undefined => items[pick(Math.max(items.length, 1))];
  const isOneIn = (limit: number) => pick(limit) === 0;
  const operations = Object.entries(contract).flatMap(([noun, resource]) =>
    Object.entries<Route>(resource).flatMap(([verb, route]) => {
      const operation = { route, noun, samples: sampleBodies(`${noun}.${verb}`, seed) };
      return Array.from({ length: weights[verb] ?? 2 }, () => operation);
    }),
  );
  /** The paths of the records by the path of their collection. */
  const paths = new Map<string, string[]>();
  const pathsOf = (collection: string) => paths.get(collection) ?? [];
  const addPath = (collectionPath: string, path: string) => {
    const collection = toCollection(collectionPath);
    const known = pathsOf(collection);
    if (!known.includes(path)) paths.set(collection, [...known, path]);
  };

  /** The addresses and numbers of contacts, for lookups. */
  const known: Readonly<Record<'email' | 'phone_number', string[]>> = { email: [], phone_number: [] };
  const pickKnown = (name: keyof typeof known) => (isOneIn(3) ? undefined : pickFrom(known[name]));

  /** Replaces the parameters of a path by ids of records. */
  const fillPath = (path: string): string => {
    const [, collection = '', parent = '', rest = ''] =
      /^(\/v1\/lists\/:\w+\/entries|\/v1\/\w+)(\/:\w+)?(.*)$/.exec(path) ?? [];
    if (parent === '') return collection.replace(/\/v1\/lists\/:\w+/, pickPath('/v1/lists'));
    return pickPath(collection.replace(/:\w+/, ':')) + rest;
  };
  const pickPath = (collection: string) =>
    (isOneIn(30) ? undefined : pickFrom(pathsOf(collection))) ??
    `${collection.replace(':', 'zzzzzz')}/zzzzzz`;

  /** Returns a text that does not fit into an index of PostgreSQL, even compressed. */
  const createLongText = () => {
    const length = 3000 + pick(isOneIn(10) ? 60_000 : 3000);
    let text = '';
    while (text.length < length) text += isOneIn(9) ? '한글 é😀' : pick(0x7fffffff).toString(36);
    return text;
  };
  const changeText = (text: string): string => {
    const collection = bodyIds.get(text);
    if (collection !== undefined && !isOneIn(20))
      return (pickFrom(pathsOf(collection)) ?? text).replace(/.*\//, '');
    if (isOneIn(25)) return createLongText() + text;
    return text
      .replace(/^a\d+@/, () => `a${pick(2000)}@`)
      .replace(/^Field$/, () => `Field ${pick(500)}`)
      .replace(/^d\d+\.example$/, () => `d${pick(1000)}.example`)
      .replace(/^\+14155550100$/, () => `+1415555${1000 + pick(200)}`);
  };
  const changeTexts = (value: unknown, depth = 0): unknown => {
    if (typeof value === 'string') return changeText(value);
    if (typeof value !== 'object' || value === null || depth > 50) return value;
    if (Array.isArray(value)) return value.map((item) => changeTexts(item, depth + 1));
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, changeTexts(part, depth + 1)]),
    );
  };

  const createQuery = (route: Route): [string, string][] => {
    const names = Object.keys(route.query ?? {}).filter(() => isOneIn(3));
    const time = () => String(1_777_800_000 + pick(1_000_000));
    const values: Readonly<Record<string, () => string>> = {
      first: () => String(isOneIn(8) ? pick(502) : pick(30)),
      after: () => String(isOneIn(3) ? pick(20) : pick(2000)),
      email: () => pickKnown('email')?.toUpperCase() ?? `A${pick(2000)}@example${pick(3)}.com`,
      phone_number: () =>
        (pickKnown('phone_number') ?? `+1415555${1000 + pick(200)}`).slice(isOneIn(2) ? 0 : 2),
      contact_id: () => changeText(contactId),
      organization_id: () => changeText(organizationId),
    };
    return names.map((name) => [
      isOneIn(100) ? 'x' : name,
      (isOneIn(40) ? createLongText : (values[name] ?? time))(),
    ]);
  };

  return {
    next(): WireRequest {
      const { route, samples } = pickFrom(operations) ?? { route: contract.contacts.list, samples: [] };
      const hasBody = samples.length > 0;
      return {
        ...createRequest(
          route.method,
          fillPath(route.path),
          hasBody ? changeTexts(pickFrom(samples)) : undefined,
        ),
        query: createQuery(route),
      };
    },
    /** Notes which records exist after a response. */
    learn({ method, path }: WireRequest, { status, body }: WireResponse): void {
      if (status < 300 && method !== 'GET' && path.startsWith('/v1/contacts')) {
        const { emails = [], phone_numbers = [] }: Partial<Contact> = body ?? {};
        known.email.push(...emails);
        known.phone_number.push(...phone_numbers);
      }
      if (status === 201) addPath(path, `${path}/${(body as { id: string }).id}`);
      if (status === 204) {
        const collection = toCollection(path.replace(/\/\w+$/, ''));
        const remaining = pathsOf(collection).filter((one) => one !== path);
        paths.set(collection, remaining);
      }
      if (status === 200 && path === '/v1/calendar_events' && method === 'GET') {
        for (const { id, recordings } of (body as Page<CalendarEvent>).data) {
          addPath(path, `${path}/${id}`);
          for (const recording of recordings) addPath('/v1/recordings', `/v1/recordings/${recording.id}`);
        }
      }
    },
  };
}

/** Returns the key of a collection: one for the entries of all lists. */
const toCollection = (path: string) => path.replace(/^\/v1\/lists\/\w+\/entries/, '/v1/lists/:/entries');
