import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { failures } from '../../src/contract/errors.ts';
import { buildOpenApi } from '../../src/service/http/openapi.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** A response; `body` is undefined if there is none. */
interface DescribedResponse {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** The statuses of requests that do not reach an operation: too slow, or headers too large. */
const transportStatuses: readonly number[] = [408, 417, 431];

/** The statuses of all failures: those of the contract and those of the transport. */
export const failureStatuses: ReadonlySet<number | null> = new Set([
  ...Object.values(failures).map(({ status }) => status),
  ...transportStatuses,
]);

type ResponseCheck = (response: DescribedResponse) => string[];

let cachedCheck: ResponseCheck | undefined;

/** Returns a function that checks responses against the OpenAPI document and returns the errors. */
export function getResponseCheck(): ResponseCheck {
  // All tests of a worker share it: compiling a schema takes long.
  cachedCheck ??= createResponseCheck();
  return cachedCheck;
}

function createResponseCheck(): ResponseCheck {
  const document = buildOpenApi('0.0.0');
  const ajv = new Ajv2020({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    code: { optimize: false },
  });
  addFormats.default(ajv);
  // The document itself is not a schema; it contains the schemas, and their references point into it.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema(document as AnySchema, 'document');
  const paths = Object.entries(document.paths as Record<string, Record<string, Operation>>).map(
    ([path, operations]) => ({
      path,
      operations,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    }),
  );
  const findSchemaErrors = (pointer: string, body: unknown): string[] => {
    const check = ajv.getSchema(`document#${pointer}`);
    if (!check) return [`The document has no ${pointer}.`];
    return check(body)
      ? []
      : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  return ({ method, path, status, body }) => {
    const matchedPath = paths.find(({ pattern }) => pattern.test(path));
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = matchedPath?.operations[verb];
    if (matchedPath && operation && !transportStatuses.includes(status)) {
      const response = operation.responses[status];
      if (!response) return [`${method} ${matchedPath.path} describes no ${status}.`];
      const [type] = Object.keys(response.content ?? {});
      if (type === undefined || method === 'HEAD')
        return body === undefined ? [] : ['The response has a body.'];
      const steps = ['paths', matchedPath.path, verb, 'responses', String(status), 'content', type, 'schema'];
      return findSchemaErrors(steps.map((step) => `/${escapePointer(step)}`).join(''), body);
    }
    // A request without an operation can only fail, with the common error schema.
    if (status < 400 || !failureStatuses.has(status)) return [`${method} ${path} is not described.`];
    return method === 'HEAD' ? [] : findSchemaErrors('/components/schemas/Problem', body);
  };
}

/** Escapes a step of a JSON pointer in a URI. */
function escapePointer(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
