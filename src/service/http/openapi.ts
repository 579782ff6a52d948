import { type ConversionConfig, toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import {
  createClosedObject,
  type FieldSchemas,
  hasEntityTag,
  isConditional,
  listPathNames,
  maxRecordBytes,
  maxTextBytes,
  type Route,
} from '../../contract/grammar.ts';
import { contract, records } from '../../contract/index.ts';
import { formatInteger } from '../../values/text.ts';
import { problemCodes } from './problem.ts';

type Json = Record<string, unknown>;

/** A problem document (RFC 9457). */
const Problem = v.object({
  type: v.string(),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  code: v.optional(
    v.pipe(
      v.picklist(problemCodes),
      v.description(
        '`unknown`: the change may have been made (check before you send the request again); ' +
          '`changed`: If-Match names another version of the record (read the record again)',
      ),
    ),
  ),
  detail: v.string(),
  request_id: v.optional(v.string()),
  errors: v.optional(
    v.array(
      v.object({
        pointer: v.string(),
        code: v.string(),
        message: v.string(),
        id: v.optional(
          v.pipe(v.string(), v.description('With the code `taken`: the record that has the value')),
        ),
      }),
    ),
  ),
});

const definitions = { ...records, Problem };

/** The problems of all routes, by status. */
const problems = {
  400: 'Malformed JSON or query',
  401: 'Missing or invalid API key',
  405: 'The path does not support the method',
  408: 'The request did not arrive in time',
  417: 'The request has an `Expect` other than `100-continue`',
  429: 'Rate limited: too many requests with this key',
  431: 'The headers are too large',
  500: 'An internal error; details are in the log of the service',
  503: 'The database cannot be reached, or another process is writing to the workspace',
  507: 'The disk is full, or the workspace file is damaged',
};

/** The further problems of routes that write. */
const writeProblems = {
  403: 'The key is read-only',
  413: 'The body is too large',
  415: 'The body is not JSON, or has a Content-Encoding',
  422: 'The body is invalid, or the record would be too large; all errors are listed',
  503: `${problems[503]}; or, with the code \`unknown\` and without \`Retry-After\`, the connection to the database was lost during the commit`,
};

const challenge = [
  'WWW-Authenticate',
  '`Bearer`, with the `error` of a key that was sent (RFC 6750)',
] as const;
const closing = ['Connection', '`close`'] as const;
const retrying = ['Retry-After', 'Seconds to wait before retrying the request'] as const;

/** The headers of problems, by status. */
const problemHeaders: Readonly<Record<string, readonly [name: string, description: string]>> = {
  401: challenge,
  403: challenge,
  405: ['Allow', 'The methods that the path supports'],
  408: closing,
  413: closing,
  415: ['Accept-Encoding', '`identity`, if the body was compressed'],
  429: retrying,
  431: closing,
  503: retrying,
};

/** Builds the OpenAPI 3.1 document from the contract. `version` is the version of the program. */
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
      description: limits,
      summary: 'Contacts, organizations, lists and processes, meetings and their recordings',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: Object.keys(contract).map((name) => ({
      name,
      // `customFields` -> `custom fields`
      description: `The ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} of the workspace`,
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

function buildOperation(noun: string, verb: string, route: Route): Json {
  const { summary, path, query, body, status } = route;
  const names = listPathNames(path);
  return {
    operationId: `${noun}.${verb}`,
    tags: [noun],
    summary,
    parameters: [
      ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
      ...Object.entries(query ?? {}).map(([name, schema]) => buildParameter(name, schema)),
      ...(isConditional(route) ? buildConditions(route) : []),
    ],
    ...(body && { requestBody: { required: true, ...buildContent(buildBodySchema(body)) } }),
    responses: {
      [status]: buildSuccess(route),
      ...(route.existingStatus && { [route.existingStatus]: buildExisting(route) }),
      ...(route.method === 'GET' && isConditional(route) && { 304: notModified }),
      ...buildProblems(route, names.length > 0),
    },
  };
}

/** Describes the conditions of a request (RFC 9110, 13.1). */
function buildConditions({ method }: Route): Json[] {
  const verb = method === 'GET' ? 'send' : 'change';
  const conditions = {
    'If-Match': `Entity tags, or *: ${verb} the record only if the stored values of one of them are its own`,
    'If-None-Match': `Entity tags, or *: ${verb} the record only if its ETag is none of them`,
  };
  return Object.entries(conditions).map(([name, description]) => ({
    ...{ name, in: 'header', required: false, description },
    schema: { type: 'string' },
  }));
}

const notModified = {
  description: 'If-None-Match names this version of the record',
  headers: buildHeader('ETag', 'The tag that If-None-Match names'),
};

function buildParameter(name: string, parameter: v.GenericSchema): Json {
  const { description, ...schema } = buildSchema(parameter);
  return { name, in: 'query', required: false, ...(description !== undefined && { description }), schema };
}

function buildSuccess(route: Route): Json {
  const { output, status } = route;
  if (output === null) return { description: 'Deleted' };
  const headers = {
    ...(status === 201 && buildHeader('Location', 'The path of the new record')),
    ...(hasEntityTag(route) && etagHeader),
  };
  return {
    description: status === 201 ? 'Created' : 'OK',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...buildContent(buildSchema(output)),
  };
}

const etagHeader = buildHeader('ETag', 'The version of the record, for If-Match and If-None-Match');

/** Describes how `serve --lenient` responds to a create of a record that exists. */
function buildExisting({ output }: Route): Json {
  return {
    description:
      'The existing record, if it has all values of the request; only from a service started with --lenient',
    headers: {
      ...buildHeader('Warning', 'States that nothing was changed'),
      ...etagHeader,
    },
    ...(output && buildContent(buildSchema(output))),
  };
}

function buildProblems(route: Route, hasId: boolean): Json {
  const descriptions = {
    ...problems,
    ...(route.method !== 'GET' && writeProblems),
    ...(isConditional(route) && {
      412: 'If-Match names only other versions of the record, or If-None-Match names this one',
    }),
    ...(hasId && { 404: 'Record not found' }),
  };
  const content = buildContent({ $ref: '#/components/schemas/Problem' }, 'application/problem+json');
  return Object.fromEntries(
    Object.entries(descriptions).map(([status, description]) => {
      const header = problemHeaders[status];
      return [status, { description, ...(header && { headers: buildHeader(...header) }), ...content }];
    }),
  );
}

function buildContent(schema: Json, type = 'application/json'): Json {
  return { content: { [type]: { schema } } };
}

function buildHeader(name: string, description: string): Json {
  return { [name]: { description, schema: { type: 'string' } } };
}

/** The limits that a JSON schema cannot express. */
const limits = `A text in a request may have at most ${formatInteger(maxTextBytes)} bytes of UTF-8; \`maxLength\` counts characters. \
A write may not increase a record to more than ${formatInteger(maxRecordBytes)} bytes of JSON. Larger values that are stored already stay readable.`;

function buildBodySchema(body: FieldSchemas): Json {
  return buildSchema(createClosedObject(body), undefined, ({ valibotSchema, jsonSchema }) =>
    valibotSchema.type === 'string' ? { ...jsonSchema, maxLength: maxTextBytes } : undefined,
  );
}

/** Converts a schema to JSON Schema. Records in it become references, except for the record `self`. */
function buildSchema(
  schema: v.GenericSchema,
  self?: string,
  overrideSchema?: ConversionConfig['overrideSchema'],
): Json {
  const others = Object.fromEntries(Object.entries(definitions).filter(([name]) => name !== self));
  const {
    $schema: _,
    $defs: __,
    ...rest
  } = toJsonSchema(schema, {
    definitions: others,
    errorMode: 'ignore',
    ...(overrideSchema && { overrideSchema }),
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideAction: ({ valibotAction, jsonSchema }) =>
      valibotAction.type === 'raw_check' ? { ...jsonSchema, additionalProperties: false } : undefined,
  });
  return rest;
}
