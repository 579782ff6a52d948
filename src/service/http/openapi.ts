import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { failures } from '../../contract/errors.ts';
import { closedObject, type FieldSchemas, type Route } from '../../contract/grammar.ts';
import { contract, records } from '../../contract/index.ts';

type Json = Record<string, unknown>;

/** A failure of a request as the service answers it (RFC 9457). */
const Problem = v.object({
  type: v.string(),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: v.string(),
  request_id: v.optional(v.string()),
  errors: v.optional(v.array(v.object({ pointer: v.string(), code: v.string(), message: v.string() }))),
});

const definitions = { ...records, Problem };

/** What each failure says in the document; the statuses come from the table of failures. */
const problemDescriptions = {
  malformed: 'Malformed JSON or query',
  unauthorized: 'No key, or one that is not known',
  forbidden: 'The key may only read',
  not_found: 'No such record',
  too_large: 'The body is too large',
  unsupported_media_type: 'The body is not JSON',
  invalid: 'The body breaks a rule; every fault is listed',
  rate_limited: 'Too many requests for this key',
  unavailable: 'Another process is writing the workspace',
  storage: 'The workspace cannot be read or written: its disk is full, or its file is damaged',
} as const;

/** The interface as an OpenAPI 3.1 document, made from the contract. `version` is that of the program. */
export function buildOpenApi(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [noun, resource] of Object.entries(contract)) {
    for (const [verb, route] of Object.entries<Route>(resource)) {
      const path = route.path.replace(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: buildOperation(noun, verb, route) };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Relationship Management Service',
      version,
      summary: 'Contacts, organizations, lists and processes, meetings and their recordings',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: Object.keys(contract).map((name) => ({
      name,
      description: `The ${splitWords(name)} of the workspace`,
    })),
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(
        Object.entries(definitions).map(([name, schema]) => [name, buildSchema(schema, name)]),
      ),
    },
  };
}

/** `customFields` -> `custom fields`. */
function splitWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function buildOperation(noun: string, verb: string, route: Route): Json {
  const { summary, path, query, body, output, status } = route;
  const names = Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name);
  return {
    operationId: `${noun}.${verb}`,
    tags: [noun],
    summary,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...Object.entries(query ?? {}).map(([name, schema]) => buildParameter(name, schema)),
    ],
    ...(body && {
      requestBody: { required: true, content: buildContent('application/json', buildBodySchema(body)) },
    }),
    responses: {
      [status]: buildSuccess(output, status),
      ...(route.existingStatus && { [route.existingStatus]: buildExisting(output) }),
      ...buildProblems(route, names.length > 0),
    },
  };
}

function buildParameter(name: string, schema: v.GenericSchema): Json {
  const { description, ...rest } = buildSchema(schema);
  return {
    name,
    in: 'query',
    required: false,
    ...(description !== undefined && { description }),
    schema: rest,
  };
}

function buildSuccess(output: v.GenericSchema | null, status: number): Json {
  if (output === null) return { description: 'Deleted' };
  const location = { Location: { description: 'Where the new record is', schema: { type: 'string' } } };
  return {
    description: status === 201 ? 'Created' : 'Done',
    ...(status === 201 && { headers: location }),
    content: buildContent('application/json', buildSchema(output)),
  };
}

/** The answer of `serve --lenient` to a create of a record that exists. */
function buildExisting(output: v.GenericSchema | null): Json {
  const warning = { Warning: { description: 'Says that nothing was changed', schema: { type: 'string' } } };
  return {
    ...(output && { content: buildContent('application/json', buildSchema(output)) }),
    description: 'The existing record; only from a service that was started with --lenient',
    headers: warning,
  };
}

function buildProblems({ method }: Route, hasId: boolean): Json {
  const codes: (keyof typeof problemDescriptions)[] = [
    'malformed',
    'unauthorized',
    ...(method === 'GET' ? [] : (['forbidden', 'too_large', 'unsupported_media_type', 'invalid'] as const)),
    ...(hasId ? (['not_found'] as const) : []),
    'rate_limited',
    'unavailable',
    'storage',
  ];
  const problem = buildContent('application/problem+json', { $ref: '#/components/schemas/Problem' });
  return Object.fromEntries(
    codes.map((code) => [
      failures[code].status,
      { description: problemDescriptions[code], content: problem },
    ]),
  );
}

const buildContent = (type: string, schema: Json) => ({ [type]: { schema } });

function buildBodySchema(body: FieldSchemas): Json {
  return buildSchema(closedObject(body));
}

/** The JSON Schema of a schema; the records in it stand as references, apart from `self`. */
function buildSchema(schema: v.GenericSchema, self?: string): Json {
  const others = Object.fromEntries(Object.entries(definitions).filter(([name]) => name !== self));
  const {
    $schema: _,
    $defs: __,
    ...rest
  } = toJsonSchema(schema, {
    definitions: others,
    errorMode: 'ignore',
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'raw_check' ? { ...jsonSchema, additionalProperties: false } : undefined,
  });
  return rest;
}
