import * as v from 'valibot';
import { Failure, getErrorMessage } from '../contract/errors.ts';
import type { FieldErrors } from '../contract/field-errors.ts';
import {
  hasEntityTag,
  isConditional,
  type Route,
  type WireRequest,
  type WireResponse,
} from '../contract/grammar.ts';
import { contract } from '../contract/index.ts';
import { checkBodySize, validateBody, validateQuery } from '../contract/validate.ts';
import { readObject } from '../values/json-object.ts';
import { truncateValue } from '../values/text.ts';
import { calendarEventHandlers } from './calendar/calendar-events.ts';
import { JsonPage } from './db/page.ts';
import { type Deps, Existing, type Handlers, type ServiceDeps } from './deps.ts';
import { applyConditions, createEntityTag, type Precondition, parsePrecondition } from './entity-tag.ts';
import { toProblem } from './http/problem.ts';
import { matchPath, type PathMatch } from './match-path.ts';
import { recordingHandlers } from './recordings/recordings.ts';
import { contactHandlers } from './records/contacts.ts';
import { customFieldHandlers } from './records/custom-fields.ts';
import { entryHandlers } from './records/entries.ts';
import { listHandlers } from './records/lists.ts';
import { noteHandlers } from './records/notes.ts';
import { organizationHandlers } from './records/organizations.ts';

/** The sender of a request. */
export interface Caller {
  readonly readOnly?: boolean;
  /** The id of the request, which is part of the response to a failed request. */
  readonly requestId?: string;
}

/** A request, with the match of its path if the caller already has it. */
interface ServiceRequest extends WireRequest {
  readonly match?: PathMatch;
}

/** The service without HTTP. Responds to any request, and never throws. */
export type Service = (request: ServiceRequest, caller?: Caller) => Promise<WireResponse>;

type AnyHandler = (input: unknown, errors: FieldErrors, precondition?: Precondition) => Promise<unknown>;

interface ServedRoute {
  readonly route: Route;
  readonly handler: AnyHandler;
  readonly parameterNames: readonly string[];
}

/** The routes of the contract by path, and by method. */
type Routes = ReadonlyMap<string, ReadonlyMap<string, ServedRoute>>;

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

/** Creates the service on a workspace: every route of the contract with its validation, handler and failures. */
export function createService(deps: ServiceDeps): Service {
  const routes = createRoutes(createHandlers(deps));
  return async (request, caller = {}) => {
    try {
      const { route, ignoredPointers, handle } = prepareRequest(routes, request, caller, deps);
      const { readRequest, writeRequest } = deps.db;
      const result = await (route.method === 'GET' ? readRequest : writeRequest)(handle);
      const response = buildResponse(route, request, result, ignoredPointers, deps);
      return route.method === 'GET' ? applyConditions(response, request) : response;
    } catch (error) {
      return respondToError(error, deps, caller.requestId);
    }
  };
}

function createRoutes(handlers: ReturnType<typeof createHandlers>): Routes {
  const routes = new Map<string, Map<string, ServedRoute>>();
  for (const [noun, resource] of Object.entries(contract)) {
    for (const [verb, route] of Object.entries<Route>(resource)) {
      // Contract and handlers have the same keys, by the type of createHandlers; the input is validated before.
      const handler = (handlers as Record<string, Record<string, AnyHandler>>)[noun]?.[verb];
      if (!handler) throw new Error(`No handler for ${route.method} ${route.path}.`);
      const parameterNames = matchPath(route.path).values.map((text) => text.slice(':'.length));
      const methods = routes.get(route.path) ?? new Map<string, ServedRoute>();
      routes.set(route.path, methods.set(route.method, { route, handler, parameterNames }));
    }
  }
  return routes;
}

/** Matches the route of a request and validates its input. @throws {Failure} if it must not be handled */
function prepareRequest(routes: Routes, request: ServiceRequest, caller: Caller, deps: ServiceDeps) {
  checkBodySize(request);
  const { pattern = '', values } = request.match ?? matchPath(request.path);
  const methods = routes.get(pattern);
  if (!methods) throw new Failure('not_found', `Unknown path: ${truncateValue(request.path)}`);
  const served = methods.get(request.method);
  if (!served) {
    const allow = [...methods.keys()].join(', ');
    const message = `${truncateValue(request.path)} takes ${allow}, not ${request.method}.`;
    throw new Failure('method_not_allowed', message, { headers: { allow } });
  }
  const { route, handler, parameterNames } = served;
  const parameters = values.map(decodeSegment);
  if (caller.readOnly && route.method !== 'GET') {
    throw new Failure('forbidden', 'This API key is read-only.', {
      hint: 'Use a key that was created without --read-only.',
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
    });
  }
  const precondition = isConditional(route) ? parsePrecondition(request) : undefined;
  const query = validateQuery(route, request.query);
  const { input, errors, ignoredPointers } = validateBody(route, request.body, deps.isLenient);
  Object.assign(input, query);
  parameterNames.forEach((name, index) => {
    input[name] = parameters[index];
  });
  return { route, ignoredPointers, handle: () => handler(input, errors, precondition) };
}

function buildResponse(
  route: Route,
  request: WireRequest,
  result: unknown,
  ignoredPointers: ReadonlySet<string>,
  { checksResponses }: ServiceDeps,
): WireResponse {
  if (result instanceof JsonPage) {
    if (checksResponses && route.output) v.parse(route.output, result.page);
    return {
      status: route.status,
      headers: {},
      get body() {
        return result.page;
      },
      text: result.json,
    };
  }
  const isExisting = result instanceof Existing;
  const output: unknown = isExisting ? result.record : result;
  if (checksResponses && route.output) v.parse(route.output, output);
  const warnings = [
    ...(ignoredPointers.size > 0 ? [formatIgnored(ignoredPointers)] : []),
    ...(isExisting ? ['The record exists; nothing was changed'] : []),
  ];
  const body = warnings.length > 0 && hasEntityTag(route) ? { ...readObject(output), warnings } : output;
  return {
    status: (isExisting && route.existingStatus) || route.status,
    headers: {
      ...(route.status === 201 && { location: `${request.path}/${readObject(output).id}` }),
      ...(hasEntityTag(route) && { etag: createEntityTag(readObject(output)) }),
      ...(warnings.length > 0 && { warning: warnings.map((text) => `299 kith "${text}"`).join(', ') }),
    },
    body: body ?? undefined,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** The maximum length of a header that names ignored fields. Servers and clients refuse headers of a few kilobytes. */
const maxHeaderLength = 1000;

/** `Ignored unknown fields: name, statuses/0/color`; pointers have neither quotes nor anything beyond ASCII. */
function formatIgnored(pointers: ReadonlySet<string>): string {
  const names = Array.from(pointers, (pointer) => pointer.slice('#/'.length));
  const visibleNames: string[] = [];
  for (const name of names) {
    if (visibleNames.join(', ').length + name.length > maxHeaderLength) break;
    visibleNames.push(name);
  }
  const more = names.length - visibleNames.length;
  return `Ignored unknown fields: ${[...visibleNames, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}`;
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure('malformed', `The path has an invalid escape: ${truncateValue(text)}`);
  }
}

/** Returns the response to a request that failed. Details that clients must not see go to the log. */
export function respondToError(
  error: unknown,
  { db, log, file }: Pick<ServiceDeps, 'db' | 'log' | 'file'>,
  requestId: string | undefined,
): WireResponse {
  if (error instanceof Failure) return toProblem(error, requestId);
  const failure = db.toFailure(error, file);
  if (failure?.code === 'storage') log(`${failure.message} ${getErrorMessage(error)}`, requestId);
  else if (failure?.code !== 'unavailable')
    log(error instanceof Error ? (error.stack ?? error.message) : String(error), requestId);
  return toProblem(failure ?? new Failure('internal', 'Something went wrong inside the service.'), requestId);
}
