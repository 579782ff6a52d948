import fc from 'fast-check';
import type { Route } from '../../src/contract/grammar.ts';
import { contract } from '../../src/contract/index.ts';
import { ids } from '../../src/service/db/ids.ts';
import { anyCharacter } from '../support/any-text.ts';
import {
  bodies,
  contactId,
  createIdArbitrary,
  email,
  listId,
  oneOf,
  organizationId,
  phone,
  requiredFields,
  usually,
  webPath,
} from './http/request-bodies.ts';
import { edgeValues, formatWireText, mutate } from './mutations.ts';

/** The kind of key that a request sends, or its whole header. */
type Authorization = 'full' | 'read-only' | 'revoked' | { readonly header: string | undefined };

/** A request as fast-check prints it. */
export interface GeneratedRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly authorization: Authorization;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if there is none. */
  readonly body: string | undefined;
}

/** Values of the path parameters: ids of the sample. */
const params: Readonly<Record<string, fc.Arbitrary<string>>> = {
  contact_id: contactId,
  organization_id: organizationId,
  note_id: createIdArbitrary('note', 8),
  custom_field_id: createIdArbitrary('customField', 21),
  list_id: listId,
};

/** Values of `:id` by the preceding path segment. */
const idParams: Readonly<Record<string, fc.Arbitrary<string>>> = {
  entries: usually(oneOf(1, 2, 31, 32, 43, 44, 123, 124).map(ids.entry.encode), contactId),
  calendar_events: createIdArbitrary('calendarEvent', 37),
  recordings: createIdArbitrary('recording', 38),
};

const strangeSegment = fc.oneof(
  oneOf(
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
  first: usually(fc.nat(501).map(String), fc.double().map(String)),
  after: usually(fc.nat(200).map(String), fc.maxSafeNat().map(String)),
  email,
  phone_number: phone,
  updated_after: unixTime,
  starts_after: unixTime,
  starts_before: unixTime,
  contact_id: contactId,
  organization_id: organizationId,
};
const strangeQuery = oneOf(
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
  edgeValues.map((value) => JSON.stringify(value)),
  oneOf('1e3', '+1', '９', '-1', '0x10'),
);

const createQuery = (route: Route): fc.Arbitrary<string> => {
  const parameterNames = Object.keys(route.query ?? {});
  const createPair = (names: readonly string[]) =>
    oneOf(...names).chain((name) =>
      fc.tuple(oneOf(name), usually(queries[name] ?? strangeText, strangeText)),
    );
  const unknownPairs = fc.tuple(strangeQuery, strangeText);
  const validPairs =
    parameterNames.length > 0
      ? fc.array(createPair(parameterNames), { maxLength: 2 })
      : oneOf<[string, string][]>([]);
  return usually(validPairs, fc.array(unknownPairs, { maxLength: 2 })).map((pairs) =>
    pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '',
  );
};

const createPath = (route: Route): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...route.path.split('/').map((step, index, steps) => {
        if (!step.startsWith(':')) return oneOf(step);
        const validPairs = params[step.slice(1)] ?? idParams[steps[index - 1] ?? ''];
        return usually(validPairs ?? strangeSegment, strangeSegment);
      }),
    )
    .map((steps) => steps.join('/'));

const headerText = fc
  .array(fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f))
  .map((codes) => String.fromCharCode(...codes).trim());

const authorization: fc.Arbitrary<Authorization> = fc.oneof(
  { weight: 30, arbitrary: oneOf<Authorization>('full') },
  oneOf<Authorization>('read-only', 'revoked', { header: undefined }),
  headerText.map((header) => ({ header })),
  headerText.map((header) => ({ header: `Bearer ${header}` })),
);

const contentType = fc.oneof(
  { weight: 20, arbitrary: oneOf('application/json') },
  oneOf(
    'application/json; charset=utf-8',
    'application/merge-patch+json',
    'text/plain',
    'application/jsonp',
    '',
  ),
  headerText,
);
const otherHeaders = fc.dictionary(
  oneOf(
    'accept',
    'x-request-id',
    'if-match',
    'accept-encoding',
    'x-http-method-override',
    'transfer-encoding',
  ),
  headerText,
  { maxKeys: 1 },
);

const rawBody = fc.oneof(
  oneOf(
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
  oneOf(
    '['.repeat(100_000),
    `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    '"\\ud800"',
    'x'.repeat(1_100_000),
  ),
  fc.string({ unit: anyCharacter }),
  fc.json(),
);

const createBody = (operation: string): fc.Arbitrary<string | undefined> => {
  const fields = bodies[operation];
  if (!fields) return usually<string | undefined>(oneOf(undefined), rawBody);
  // A body with few fields is mostly accepted, complete ones reach more validations, and partial ones more defaults.
  const some = fc
    .uniqueArray(oneOf(...Object.entries(fields)), { maxLength: 2 })
    .chain((chosen) => fc.record(Object.fromEntries(chosen)));
  const required = requiredFields[operation] ?? oneOf({});
  const smallBody = fc.tuple(some, required).map(([values, others]) => ({ ...values, ...others }));
  const validBody = fc.oneof(smallBody, fc.record(fields), fc.record(fields, { requiredKeys: [] }));
  const body = fc.oneof({ weight: 2, arbitrary: smallBody }, validBody, mutate(validBody));
  return usually(body.map(formatWireText), rawBody);
};

const methods = oneOf('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'get');

const knownRoutes = Object.entries(contract).flatMap(([noun, resource]) =>
  Object.entries<Route>(resource).map(([verb, route]) =>
    fc.record({
      method: fc.oneof({ weight: 15, arbitrary: oneOf<string>(route.method) }, methods),
      path: fc.tuple(createPath(route), createQuery(route)).map((parts) => parts.join('')),
      authorization,
      headers: fc
        .tuple(contentType, otherHeaders)
        .map(([type, others]) => ({ 'content-type': type, ...others })),
      body: createBody(`${noun}.${verb}`),
    }),
  ),
);

const unknownRoutes = fc.record({
  method: methods,
  path: fc.oneof(
    oneOf(
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
  body: usually<string | undefined>(oneOf(undefined), rawBody),
});

/** A request to the service: valid, or with any part changed. */
export const anyRequest: fc.Arbitrary<GeneratedRequest> = fc.oneof(
  { weight: 3 * knownRoutes.length, arbitrary: fc.oneof(...knownRoutes) },
  { weight: 2, arbitrary: unknownRoutes },
);
