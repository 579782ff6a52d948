import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import type { Route, WireRequest, WireResponse } from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';
import { calendarEventHandlers } from './calendar/calendar-events.ts';
import { beginReading, endReading, writeInTurn } from './db/database.ts';
import { isLocked, toStorageFailure } from './db/sqlite-errors.ts';
import { type Deps, Existing, type Handlers } from './deps.ts';
import type { FieldErrors } from './field-errors.ts';
import { toProblem } from './http/problem.ts';
import { recordingHandlers } from './recordings/recordings.ts';
import { contactHandlers } from './records/contacts.ts';
import { customFieldHandlers } from './records/custom-fields.ts';
import { entryHandlers } from './records/entries.ts';
import { listHandlers } from './records/lists.ts';
import { noteHandlers } from './records/notes.ts';
import { organizationHandlers } from './records/organizations.ts';
import { checkBodySize, validateBody, validateQuery } from './validate.ts';

/** Who asks. */
export interface Caller {
  readonly readOnly?: boolean;
  /** Stands in the answer to a failure. */
  readonly requestId?: string;
}

/** The service without HTTP: answers any request, and never throws. */
export type Service = (request: WireRequest, caller?: Caller) => Promise<WireResponse>;

type AnyHandler = (input: unknown, faults: FieldErrors) => Promise<unknown>;

interface Served {
  readonly route: Route;
  /** The parts of its path; one that begins with ":" names a parameter. */
  readonly parts: readonly string[];
  readonly handler: AnyHandler;
}

/** The handlers of the whole contract, typed by it. */
export function createHandlers(deps: Deps): { [Noun in keyof typeof contract]: Handlers<Noun> } {
  return {
    contacts: contactHandlers(deps),
    organizations: organizationHandlers(deps),
    notes: noteHandlers(deps),
    customFields: customFieldHandlers(deps),
    lists: listHandlers(deps),
    entries: entryHandlers(deps),
    calendarEvents: calendarEventHandlers(deps),
    recordings: recordingHandlers(deps),
  };
}

/** The service on a workspace: every route of the contract with its checks, its handler and its failures. */
export function createService(deps: Deps): Service {
  const handlers = createHandlers(deps);
  const served = Object.entries(contract).flatMap(([noun, resource]) =>
    Object.entries<Route>(resource).map(([verb, route]): Served => {
      // Contract and handlers have the same keys, by the type of handlersOf; the input is checked before.
      const handler = (handlers as Record<string, Record<string, AnyHandler>>)[noun]?.[verb];
      if (!handler) throw new Error(`Nothing answers ${route.method} ${route.path}.`);
      return { route, handler, parts: route.path.split('/') };
    }),
  );
  return async (request, caller = {}) => {
    try {
      return await answered(served, request, caller, deps);
    } catch (error) {
      const log = createRequestLog(deps.log, caller.requestId);
      return toProblem(toFailure(error, log, deps.file), caller.requestId);
    } finally {
      endReading(deps.db);
    }
  };
}

async function answered(
  served: readonly Served[],
  request: WireRequest,
  caller: Caller,
  deps: Deps,
): Promise<WireResponse> {
  checkBodySize(request);
  const { route, params, handler } = routed(served, request);
  if (caller.readOnly && route.method !== 'GET') {
    throw new Failure('forbidden', 'This key may only read.', {
      hint: 'Use a key that was made without --read-only.',
    });
  }
  const query = validateQuery(route, request.query);
  if (route.method === 'GET') await beginReading(deps.db);
  const { input, faults, ignored } = validateBody(route, request.body, deps.isLenient);
  const handle = () => handler({ ...query, ...input, ...params }, faults);
  const result = await (route.method === 'GET' ? handle() : writeInTurn(deps.db, handle));
  const isExisting = result instanceof Existing;
  const output: unknown = isExisting ? result.record : result;
  if (deps.checksResponses && route.output) v.parse(route.output, output);
  const warnings = [
    ...(ignored.size > 0 ? [ignoredWarning(ignored)] : []),
    ...(isExisting ? ['The record exists; nothing was changed'] : []),
  ];
  return {
    status: (isExisting && route.existingStatus) || route.status,
    headers: {
      ...(route.status === 201 && { location: `${request.path}/${idOf(output)}` }),
      ...(warnings.length > 0 && { warning: warnings.map((text) => `299 kith "${text}"`).join(', ') }),
    },
    body: output ?? undefined,
  };
}

/** Maximum length of a header that names ignored fields: servers and clients refuse headers of a few kilobytes. */
const maxNamed = 1000;

/** `Ignored unknown fields: name, statuses/0/color`; pointers have neither quotes nor anything beyond ASCII. */
function ignoredWarning(pointers: ReadonlySet<string>): string {
  const names = Array.from(pointers, (pointer) => pointer.slice('#/'.length));
  const shown: string[] = [];
  for (const name of names) {
    if (shown.join(', ').length + name.length > maxNamed) break;
    shown.push(name);
  }
  const more = names.length - shown.length;
  return `Ignored unknown fields: ${[...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}`;
}

/** The id of a record that was just made. */
function idOf(record: unknown): unknown {
  return typeof record === 'object' && record !== null && 'id' in record ? record.id : undefined;
}

function routed(served: readonly Served[], { method, path }: WireRequest) {
  const asked = path.split('/');
  const here = served.filter(
    ({ parts }) => parts.length === asked.length && parts.every((part, index) => fits(part, asked[index])),
  );
  if (here.length === 0) throw new Failure('not_found', `There is nothing at ${path}.`);
  const match = here.find(({ route }) => route.method === method);
  if (!match) {
    const allow = [...new Set(here.map(({ route }) => route.method))].join(', ');
    throw new Failure('method_not_allowed', `${path} takes ${allow}, not ${method}.`, { headers: { allow } });
  }
  const params: Record<string, string> = {};
  match.parts.forEach((part, index) => {
    if (isParameter(part)) params[part.slice(1)] = decoded(asked[index] ?? '');
  });
  return { ...match, params };
}

const isParameter = (part: string) => part.startsWith(':');

const fits = (part: string, asked: string | undefined) => (isParameter(part) ? asked !== '' : asked === part);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure('malformed', `The path has an escape that is none: ${text}.`);
  }
}

/** Anything that was thrown, as a failure that may be told; what may not goes to the log. */
export function toFailure(error: unknown, log: Deps['log'], file?: string): Failure {
  if (error instanceof Failure) return error;
  if (isLocked(error)) {
    return new Failure('unavailable', 'The workspace is being written by another process.', {
      headers: { 'retry-after': '1' },
    });
  }
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return toStorageFailure(error, file) ?? new Failure('internal', 'Something went wrong inside the service.');
}

/** Returns a log whose lines carry the id of a request. */
export function createRequestLog(log: Deps['log'], requestId: string | undefined): Deps['log'] {
  return requestId === undefined ? log : (text) => log(`request ${requestId}: ${text}`);
}
