import fc from 'fast-check';
import type { Route } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { ids } from '../../src/service/db/ids.ts';
import { anyCharacter } from '../support/any-text.ts';
import {
  bodies,
  contactId,
  email,
  idOf,
  listId,
  mostly,
  of,
  organizationId,
  phone,
  webPath,
} from './http/request-bodies.ts';
import { mutated, nasty, wireText } from './mutations.ts';

/** Whose key a request sends, or the header as it stands. */
type Authorization = 'full' | 'read-only' | 'revoked' | { readonly header: string | undefined };

/** A request as fast-check prints it. */
export interface Asked {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly authorization: Authorization;
  readonly headers: Readonly<Record<string, string>>;
  /** undefined: none. */
  readonly body: string | undefined;
}

/** Values for a parameter of a path; the rows are those of the sample. */
const params: Readonly<Record<string, fc.Arbitrary<string>>> = {
  contact_id: contactId,
  organization_id: organizationId,
  note_id: idOf('note', 8),
  custom_field_id: idOf('customField', 21),
  list_id: listId,
};

/** `:id` is that of the noun before it; the entries are some of each list. */
const idParams: Readonly<Record<string, fc.Arbitrary<string>>> = {
  entries: mostly(of(1, 2, 31, 32, 43, 44, 123, 124).map(ids.entry.encode), contactId),
  calendar_events: idOf('calendarEvent', 37),
  recordings: idOf('recording', 38),
};

const strangeSegment = fc.oneof(
  of(
    '%',
    '%00',
    '%E0%A4%A',
    '%2F',
    '..',
    '.',
    '',
    '0',
    'zzzzzz',
    '__proto__',
    'constructor',
    'a'.repeat(5000),
  ),
  fc.string({ unit: 'grapheme' }).map(encodeURIComponent),
);

const unixTime = fc.integer({ min: 1_770_000_000, max: 1_790_000_000 }).map(String);
const queries: Readonly<Record<string, fc.Arbitrary<string>>> = {
  first: mostly(fc.nat(501).map(String), fc.double().map(String)),
  after: mostly(fc.nat(200).map(String), fc.maxSafeNat().map(String)),
  email,
  phone_number: phone,
  updated_after: unixTime,
  starts_after: unixTime,
  starts_before: unixTime,
  contact_id: contactId,
  organization_id: organizationId,
};
const strangeQuery = of(
  'first',
  'after',
  'email',
  'starts_after',
  'page',
  '__proto__',
  'constructor',
  '',
  'a=b&c',
);
const strangeText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  nasty.map((value) => JSON.stringify(value)),
  of('1e3', '+1', '９', '-1', '0x10'),
);

const queryOf = (route: Route): fc.Arbitrary<string> => {
  const own = Object.keys(route.query ?? {});
  const pair = (names: readonly string[]) =>
    of(...names).chain((name) => fc.tuple(of(name), mostly(queries[name] ?? strangeText, strangeText)));
  const strange = fc.tuple(strangeQuery, strangeText);
  const usual = own.length > 0 ? fc.array(pair(own), { maxLength: 2 }) : of<[string, string][]>([]);
  return mostly(usual, fc.array(strange, { maxLength: 2 })).map((pairs) =>
    pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '',
  );
};

const pathOf = (route: Route): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...route.path.split('/').map((step, index, steps) => {
        if (!step.startsWith(':')) return of(step);
        const usual = params[step.slice(1)] ?? idParams[steps[index - 1] ?? ''];
        return mostly(usual ?? strangeSegment, strangeSegment);
      }),
    )
    .map((steps) => steps.join('/'));

const headerText = fc
  .array(fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f))
  .map((codes) => String.fromCharCode(...codes).trim());

const authorization: fc.Arbitrary<Authorization> = fc.oneof(
  { weight: 30, arbitrary: of<Authorization>('full') },
  of<Authorization>('read-only', 'revoked', { header: undefined }),
  headerText.map((header) => ({ header })),
  headerText.map((header) => ({ header: `Bearer ${header}` })),
);

const contentType = fc.oneof(
  { weight: 20, arbitrary: of('application/json') },
  of(
    'application/json; charset=utf-8',
    'application/merge-patch+json',
    'text/plain',
    'application/jsonp',
    '',
  ),
  headerText,
);
const otherHeaders = fc.dictionary(
  of('accept', 'x-request-id', 'if-match', 'accept-encoding', 'x-http-method-override', 'transfer-encoding'),
  headerText,
  { maxKeys: 1 },
);

const rawBody = fc.oneof(
  of(
    '',
    ' ',
    '{',
    '[]',
    'null',
    '1',
    '"x"',
    '{}{}',
    '{"emails":[],"emails":5}',
    '\ufeff{}',
    '{"name":"\u0000"}',
  ),
  of(
    '['.repeat(100_000),
    `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    '"\\ud800"',
    'x'.repeat(1_100_000),
  ),
  fc.string({ unit: anyCharacter }),
  fc.json(),
);

const bodyOf = (operation: string): fc.Arbitrary<string | undefined> => {
  const fields = bodies[operation];
  if (!fields) return mostly<string | undefined>(of(undefined), rawBody);
  // Whole bodies pass more rules, parts of them find more defaults.
  const right = fc.oneof(fc.record(fields), fc.record(fields, { requiredKeys: [] }));
  return mostly(fc.oneof(right, mutated(right)).map(wireText), rawBody);
};

const methods = of('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'get');

const operations = Object.entries(contract).flatMap(([noun, resource]) =>
  Object.entries<Route>(resource).map(([verb, route]) =>
    fc.record({
      method: fc.oneof({ weight: 15, arbitrary: of<string>(route.method) }, methods),
      path: fc.tuple(pathOf(route), queryOf(route)).map((parts) => parts.join('')),
      authorization,
      headers: fc
        .tuple(contentType, otherHeaders)
        .map(([type, others]) => ({ 'content-type': type, ...others })),
      body: bodyOf(`${noun}.${verb}`),
    }),
  ),
);

const elsewhere = fc.record({
  method: methods,
  path: fc.oneof(
    of(
      '/',
      '/v1',
      '/v1/',
      '//v1/contacts',
      '/v1/contacts/',
      '/v2/contacts',
      '/healthz',
      '/openapi.json',
      '/%',
    ),
    webPath.map((path) => `/${path}`),
  ),
  authorization,
  headers: otherHeaders,
  body: mostly<string | undefined>(of(undefined), rawBody),
});

/** A request to the service: of any operation and well formed, or with anything about it changed. */
export const anyRequest: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 3 * operations.length, arbitrary: fc.oneof(...operations) },
  { weight: 2, arbitrary: elsewhere },
);
