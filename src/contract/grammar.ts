import * as v from 'valibot';
import { Failure } from './errors.ts';

/** The fields of a query or of a body: name -> schema. */
export type FieldSchemas = Readonly<Record<string, v.GenericSchema>>;

/**
 * One endpoint as data. Path parameters are written `:name`; `query` and `body` are what it takes beside
 * them, `output` what it answers (null: no body), `status` the status of success.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly query?: FieldSchemas;
  readonly body?: FieldSchemas;
  readonly output: v.GenericSchema | null;
  readonly status: 200 | 201 | 204;
  /** The status that a lenient service returns with the existing record if the record to create exists. */
  readonly existingStatus?: 200;
}

/** The routes of one noun, by verb. */
export type Resource = Readonly<Record<string, Route>>;

/** The names of the parameters in a path: `'/v1/lists/:list_id/entries/:id'` -> `'list_id' | 'id'`. */
export type PathNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type FieldsOf<R extends Route, Part extends 'query' | 'body'> = R[Part] extends FieldSchemas
  ? R[Part]
  : Record<never, never>;
type InferFields<F> = F extends v.ObjectEntries
  ? v.InferInput<v.ObjectSchema<F, undefined>>
  : Record<never, never>;

/** What a route takes, flat: path parameters, query and body together. */
export type Input<R extends Route> = Readonly<
  Record<PathNames<R['path']>, string> & InferFields<FieldsOf<R, 'query'>> & InferFields<FieldsOf<R, 'body'>>
>;

/** What a route answers with success. */
export type Output<R extends Route> = R['output'] extends v.GenericSchema ? v.InferOutput<R['output']> : null;

/** One page of a list (specification, 4.9). */
export interface Page<T> {
  data: T[];
  pagination: Pagination;
}

/** A request as it goes over the wire or into the workspace in this process. Text is not yet read. */
export interface WireRequest {
  readonly method: string;
  /** Absolute, with its parameters percent-encoded, without the query. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** A JSON value; undefined: no body. */
  readonly body?: unknown;
  /** The body as it is to be sent, where its spelling matters. */
  readonly text?: string;
  /** Of an answer of success only the text is wanted: no time is spent on reading it. */
  readonly textOnly?: true;
  /** Return the bytes of a successful response, even if they are not UTF-8. */
  readonly withBytes?: true;
}

/** An answer as it comes from there. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON value of the body, or its text where it is no JSON; undefined: no body. */
  readonly body: unknown;
  /** The body as it came, where it came as text. */
  readonly text?: string;
  /** The bytes of the body, one per character (`latin1`), if the request asks for them and they arrived as bytes. */
  readonly bytes?: string;
}

/** Records to a page: where nothing is asked for, and at the most. */
export const pageSize = { default: 25, max: 500 } as const;

const first = (description: string) =>
  v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(pageSize.max), v.description(description)),
  );

/** The query parameters that every list takes (specification, 4.7; the project's decision for the others). */
export const pageQuery = {
  first: first(`Page size, ${pageSize.default} by default; a page with long texts holds fewer records`),
  after: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description('Offset: `pagination.end_cursor` of the page before'),
    ),
  ),
};

/** The same for a short list: without `first` the page holds all records. */
export const shortListQuery = {
  ...pageQuery,
  first: first('Page size, all records by default; a page with long texts holds fewer'),
};

const Integer = v.pipe(v.number(), v.integer());

const Pagination = v.object({ end_cursor: Integer, has_next_page: v.boolean(), total_count: Integer });
type Pagination = v.InferOutput<typeof Pagination>;

/** The schema of a page of records (specification, 4.9). */
export function pageSchema<S extends v.GenericSchema>(record: S) {
  return v.object({ data: v.array(record), pagination: Pagination });
}

/** An object that takes the named fields and no other; each unknown key is a fault of its own. */
export function closedObject<F extends v.ObjectEntries>(
  fields: F,
): v.GenericSchema<v.InferInput<v.ObjectSchema<F, undefined>>, v.InferOutput<v.ObjectSchema<F, undefined>>> {
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
          path: [{ type: 'object', origin: 'key', input, key, value: input[key] }],
        });
      }
    }),
  );
}

/** A schema with a sentence for help and the OpenAPI document. */
export function described<S extends v.GenericSchema>(schema: S, description: string) {
  return v.pipe(schema, v.description(description));
}

/** Opaque. Ours are hashids (service.md); those of a hosted service may be anything. */
export const Id = v.string();

/** ISO 8601 with milliseconds, in UTC. */
export const Timestamp = v.pipe(v.string(), v.isoTimestamp());

/** Where a route puts what it is given: into the path, the query or the body. */
export function buildRequest(route: Route, input: Readonly<Record<string, unknown>>): WireRequest {
  const rest = { ...input };
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => {
    const id = String(rest[name] ?? '');
    delete rest[name];
    // "." and ".." would be taken as a walk through the path, "" as the list; half a letter has no encoding.
    if (/^\.{0,2}$/.test(id) || !id.isWellFormed()) throw new Failure('usage', `"${id}" is not an id.`);
    return encodeURIComponent(id);
  });
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return {
    method: route.method,
    path,
    query: route.body ? [] : given.map(([name, value]) => [name, String(value)]),
    ...(route.body && { body: Object.fromEntries(given) }),
  };
}
