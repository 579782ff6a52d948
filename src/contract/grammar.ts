import * as v from 'valibot';
import { readObject } from '../values/json-object.ts';
import { Failure } from './errors.ts';

type Path = `/v1/${string}`;

/** The fields of a query or a body: name -> schema. */
export type FieldSchemas = Readonly<Record<string, v.GenericSchema>>;

/** One endpoint. Path parameters are written `:name`; `output` is null for a response without a body. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: Path;
  readonly summary: string;
  readonly query?: FieldSchemas;
  readonly body?: FieldSchemas;
  readonly output: v.GenericSchema | null;
  readonly status: 200 | 201 | 204;
  /** The status with which a lenient service returns an existing record instead of creating it. */
  readonly existingStatus?: 200;
}

/** Whether the successful response of a route is one record, which carries an `ETag`. */
export const hasEntityTag = ({ output }: Route): boolean =>
  output !== null && 'entries' in output && 'id' in readObject(output.entries);

/** Whether a route reads or changes one record with a tag, and honors `If-Match` and `If-None-Match`. */
export const isConditional = (route: Route): boolean =>
  route.method === 'GET' ? hasEntityTag(route) : route.method === 'PATCH' || route.method === 'DELETE';

/** The names of the parameters in a path: `'/v1/lists/:list_id/entries/:id'` -> `'list_id' | 'id'`. */
export type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Returns the names of the parameters in a path, in order. */
export const listPathNames = (path: string): string[] =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => name);

type InferFields<F> = F extends v.ObjectEntries
  ? v.InferInput<v.ObjectSchema<F, undefined>>
  : Record<never, never>;

/** The input of a route as one object: path parameters, query and body. */
export type Input<R extends Route> = Readonly<
  Record<PathNames<R['path']>, string> & InferFields<R['query']> & InferFields<R['body']>
>;

/** The body of a route's successful response. */
export type Output<R extends Route> = R['output'] extends v.GenericSchema ? v.InferOutput<R['output']> : null;

/** A request to a hosted service or an embedded workspace. */
export interface WireRequest {
  readonly method: string;
  /** The absolute path with percent-encoded parameters, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** A JSON value; undefined: no body. */
  readonly body?: unknown;
  /** The text of the body, if it must be sent unchanged. */
  readonly text?: string;
  /** The header If-Match: the record is changed only if it has one of these entity tags. */
  readonly ifMatch?: string | undefined;
  /** The header If-None-Match: a record that has one of these tags is neither sent nor changed. */
  readonly ifNoneMatch?: string | undefined;
  /** Whether to return a successful response as text, without parsing it. */
  readonly textOnly?: true;
  /** Whether to return the bytes of a successful response, even if they are not UTF-8. */
  readonly withBytes?: true;
}

/** A response from a hosted service or an embedded workspace. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value of the body, or its text if it is not JSON; undefined: no body. */
  readonly body: unknown;
  /** The body as text, as received or to be sent. */
  readonly text?: string;
  /** Sentences about the ignored parts of the request, as in the header Warning and the member `warnings` of a record. */
  readonly warnings?: readonly string[];
  /** The bytes of the body, one per character (`latin1`), if the request asks for them and they arrived as bytes. */
  readonly bytes?: string;
}

/** Records per page. */
export const pageSize = { default: 25, max: 500 } as const;

/** The maximum size of a text in a request body, in bytes of UTF-8. Stored texts may be larger. */
export const maxTextBytes = 256 * 1024;

/** The maximum size of a record after a write, in bytes of its JSON. */
export const maxRecordBytes = 4 * 1024 * 1024;

const Integer = v.pipe(v.number(), v.integer());

const createPageSize = (description: string) =>
  v.optional(describe(v.pipe(Integer, v.minValue(1), v.maxValue(pageSize.max)), description));

/** The query parameters of every list (specification, 4.7; by our decision also for the other nouns). */
const pageQuery = {
  first: createPageSize(
    `Page size, ${pageSize.default} by default; a page with long texts holds fewer records`,
  ),
  after: v.optional(
    describe(v.pipe(Integer, v.minValue(0)), 'Offset: `pagination.end_cursor` of the previous page'),
  ),
};

/** The page size of a short list. If omitted, the page contains all records. */
export const shortListQuery = {
  first: createPageSize('Page size, all records by default; a page with long texts holds fewer'),
};

const Pagination = v.object({ end_cursor: Integer, has_next_page: v.boolean(), total_count: Integer });

/** One page of a list (specification, 4.9). */
export interface Page<T> {
  data: T[];
  pagination: v.InferOutput<typeof Pagination>;
}

/** Returns the functions that describe the routes of a noun: its list at `path`, and a record at `path/:idName`. */
export function createRoutes<P extends Path, I extends string, S extends v.GenericSchema>(
  path: P,
  idName: I,
  record: S,
) {
  const recordPath: `${P}/:${I}` = `${path}/:${idName}`;
  return {
    list: <F extends FieldSchemas>(summary: string, filters: F) => {
      const output = v.object({ data: v.array(record), pagination: Pagination });
      return {
        method: 'GET',
        path,
        summary,
        query: { ...pageQuery, ...filters },
        output,
        status: 200,
      } as const;
    },
    get: (summary: string) =>
      ({ method: 'GET', path: recordPath, summary, output: record, status: 200 }) as const,
    create: <B extends FieldSchemas>(summary: string, body: B) =>
      ({ method: 'POST', path, summary, body, output: record, status: 201 }) as const,
    update: <B extends FieldSchemas>(summary: string, body: B) =>
      ({ method: 'PATCH', path: recordPath, summary, body, output: record, status: 200 }) as const,
    removeTexts: <F extends string>(summary: string, field: F) => {
      const body = { [field]: v.array(v.string()) } as Record<
        F,
        v.ArraySchema<v.StringSchema<undefined>, undefined>
      >;
      const fieldPath: `${P}/:${I}/${F}` = `${recordPath}/${field}`;
      return { method: 'DELETE', path: fieldPath, summary, body, output: record, status: 200 } as const;
    },
    delete: (summary: string) =>
      ({ method: 'DELETE', path: recordPath, summary, output: null, status: 204 }) as const,
  };
}

/** Returns the schema of an object without other fields; each unknown key is a validation error. */
export function createClosedObject<F extends v.ObjectEntries>(
  fields: F,
): v.GenericSchema<v.InferInput<v.ObjectSchema<F, undefined>>, v.InferOutput<v.ObjectSchema<F, undefined>>> {
  const expected = Object.keys(fields).join(' ');
  return v.pipe(
    v.looseObject(fields),
    v.rawCheck(({ dataset, addIssue }) => {
      if (typeof dataset.value !== 'object' || dataset.value === null) return;
      const input: Record<string, unknown> = { ...dataset.value };
      for (const key of Object.keys(input)) {
        if (Object.hasOwn(fields, key)) continue;
        addIssue({
          label: 'key',
          message: 'unknown',
          expected,
          path: [{ type: 'object', origin: 'key', input, key, value: input[key] }],
        });
      }
    }),
  );
}

/** Adds a description to a schema, for help and the OpenAPI document. */
export function describe<S extends v.GenericSchema>(schema: S, description: string) {
  return v.pipe(schema, v.description(description));
}

/** An opaque text. A workspace file has hashids; a hosted service may have any ids. */
export const Id = v.string();

/** ISO 8601 with milliseconds, in UTC. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp());

/** Builds the request of a route from its input. @throws {Failure} usage if a path parameter is not an id */
export function buildRequest(route: Route, input: Readonly<Record<string, unknown>>): WireRequest {
  const remainingInput = { ...input };
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const id = String(remainingInput[name] ?? '');
    delete remainingInput[name];
    // "." and ".." would change the path, "" would address the list, and an unpaired surrogate has no encoding.
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) throw new Failure('usage', `"${id}" is not an id.`);
    return encodeURIComponent(id);
  });
  const fields = Object.entries(remainingInput).filter(([, value]) => value !== undefined);
  return {
    method: route.method,
    path,
    query: route.body ? [] : fields.map(([name, value]) => [name, String(value)]),
    ...(route.body && { body: Object.fromEntries(fields) }),
  };
}
