import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { failures } from '../../src/contract/errors.ts';
import { buildOpenApi } from '../../src/service/http/openapi.ts';

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/** An answer as it went over the wire; `body` undefined: none. */
interface Answered {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** The statuses of a request that is too slow, or too large in its headers, to reach an operation. */
const transportStatuses: readonly number[] = [408, 417, 431];

/** Every status of a failure: those of the table, and those of the transport. */
export const failureStatuses: ReadonlySet<number | null> = new Set([
  ...Object.values(failures).map(({ status }) => status),
  ...transportStatuses,
]);

type Check = (answer: Answered) => string[];

let made: Check | undefined;

/** Gives a check of answers against the OpenAPI document: what is wrong with one, in words; nothing where all is well. */
export function described(): Check {
  // All tests of a worker share it: each schema is compiled when it is first needed, which takes long.
  made ??= checkOf();
  return made;
}

function checkOf(): Check {
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
  const faultsOf = (pointer: string, body: unknown): string[] => {
    const check = ajv.getSchema(`document#${pointer}`);
    if (!check) return [`There is nothing at ${pointer} of the document.`];
    return check(body)
      ? []
      : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  return ({ method, path, status, body }) => {
    const here = paths.find(({ pattern }) => pattern.test(path));
    const verb = (method === 'HEAD' ? 'GET' : method).toLowerCase();
    const operation = here?.operations[verb];
    if (here && operation && !transportStatuses.includes(status)) {
      const response = operation.responses[status];
      if (!response) return [`${method} ${here.path} describes no ${status}.`];
      const [type] = Object.keys(response.content ?? {});
      if (type === undefined || method === 'HEAD') return body === undefined ? [] : ['There is a body.'];
      const steps = ['paths', here.path, verb, 'responses', String(status), 'content', type, 'schema'];
      return faultsOf(steps.map((step) => `/${escaped(step)}`).join(''), body);
    }
    // A request of no operation can only fail, in a way that the document describes once for all.
    if (status < 400 || !failureStatuses.has(status)) return [`${method} ${path} is described nowhere.`];
    return method === 'HEAD' ? [] : faultsOf('/components/schemas/Problem', body);
  };
}

/** A step of a JSON pointer in a URI. */
function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}
