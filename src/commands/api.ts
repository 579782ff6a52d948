import { type CommandInput, defineCommand } from '../cli/command/command.ts';
import { readTextFile } from '../cli/command/files.ts';
import { confirmDeletion } from '../cli/command/interaction.ts';
import { createFlag, createTextOption } from '../cli/command/options.ts';
import { conflicts } from '../cli/command/rules.ts';
import { describeDeletePrompt, previewWrites } from '../cli/writes/writing.ts';
import { Failure } from '../contract/errors.ts';
import type { WireRequest } from '../contract/grammar.ts';
import { parseUrl } from '../values/domain.ts';
import { toRawJson } from '../values/raw-json.ts';
import { nestFields, resolveFields, textFieldOption, typedFieldOption } from './api-fields.ts';

const methods = ['GET', 'POST', 'PATCH', 'DELETE'];

export const api = defineCommand({
  name: 'api',
  summary: 'Send an API request and print the response body',
  description:
    "Send an API request with the workspace's API key and print the response body. A pipe gets its exact bytes. " +
    'Fields are sent as JSON with POST, or as the query with -X GET; emails[] and custom_fields[][name] build ' +
    'arrays and objects. --paginate prints all pages of a list as one array.',
  output: { text: ['api-response', 'request'] },
  formats: ['json', 'ndjson'],
  effects: 'deletes',
  recording: 'none',
  readsOnly: (input) => findMethod(input) === 'GET',
  describeInteraction: (input, globals) =>
    String(input.method).toUpperCase() === 'DELETE' ? describeDeletePrompt(input, globals) : undefined,
  args: { path: { summary: 'Request path, such as /v1/contacts?email=ada@analytical.example' } },
  options: {
    // Checked in run(), which ignores case.
    method: {
      ...createTextOption('HTTP method (default GET, or POST with fields or a body):', 'METHOD', {
        short: '-X',
      }),
      choices: methods,
    },
    rawField: textFieldOption,
    field: typedFieldOption,
    input: createTextOption('Read the request body from a file, or - for stdin', 'FILE|-', {
      completion: 'files',
    }),
    paginate: createFlag('Fetch all pages of a list and print one array'),
  },
  rules: [conflicts('input', 'rawField', 'field', 'paginate')],
  examples: [
    'api "/v1/contacts?email=jiwoo.kim@hanbit-cold.example" --jq ".data[0].id"',
    'api /v1/contacts -f first_name=Ada -f "emails[]=ada@analytical.example" --dry-run',
    'api /v1/organizations --paginate --jq length',
    'api /v1/notes/NOTE -X DELETE --yes',
  ],
  async run(session, { path, method, rawField = [], field = [], input, paginate }) {
    const values = await resolveFields([...rawField, ...field]);
    const httpMethod = findMethod({ method, rawField, field, input });
    if (!methods.includes(httpMethod))
      throw new Failure('usage', `--method: "${method}" is not one of ${methods.join(', ')}.`);
    if (paginate && httpMethod !== 'GET')
      throw new Failure('usage', '--paginate works only with GET requests.');
    const text = input === '-' ? await session.streams.stdin.text() : input && (await readTextFile(input));
    const request = buildRequest(path, httpMethod, values, text);
    if (session.globals.dryRun) return previewWrites(session, [request]);
    if (paginate) {
      const batches = (await session.client()).pagesOfRequest(request);
      return { kind: 'records', batches, view: () => [], defaultFormat: 'json' };
    }
    if (httpMethod === 'DELETE')
      await confirmDeletion(session, async () => ({ text: `Send DELETE ${request.path}?` }));
    // Output options parse the body as JSON, which must be UTF-8.
    const { json, jq, format } = session.globals;
    const isRaw = !json && jq === undefined && format === undefined;
    const response = await (await session.client()).send({ ...request, ...(isRaw && { withBytes: true }) });
    const { body, text: received = toRawJson(body).text, bytes } = response;
    const output = body === undefined ? '' : received;
    const needsEnd = session.streams.stdout.isTerminal && output !== '' && !output.endsWith('\n');
    return {
      kind: 'text',
      isReadOnly: httpMethod === 'GET',
      text: needsEnd ? `${output}\n` : output,
      bytes,
      json:
        body === undefined || typeof body === 'string' ? toRawJson(body) : { text: received, value: body },
    };
  },
});

/** Returns the method of the flags. Fields and a body make the request a POST. */
function findMethod({ method, rawField, field, input }: CommandInput): string {
  if (typeof method === 'string') return method.toUpperCase();
  const hasBody = [rawField, field].some((fields) => Array.isArray(fields) && fields.length > 0);
  return hasBody || input !== undefined ? 'POST' : 'GET';
}

function buildRequest(
  argument: string,
  method: string,
  values: readonly (readonly [name: string, value: unknown])[],
  text: string | undefined,
): WireRequest {
  const path = argument.startsWith('/') ? argument : `/${argument}`;
  if (/^\/\/|^\/[a-z]+:\/\/|[\s\\#]/i.test(path) || !parseUrl(path, 'http://service')) {
    throw new Failure('usage', `"${argument}" is not a valid API path.`, {
      hint: 'Use a path such as /v1/contacts.',
    });
  }
  const url = new URL(path, 'http://service');
  const query = [...url.searchParams];
  if (method === 'GET') query.push(...values.map(([name, value]): [string, string] => [name, String(value)]));
  const request = { method, path: url.pathname, query };
  if (text !== undefined) return { ...request, body: parseBody(text), text };
  return method === 'GET' || values.length === 0 ? request : { ...request, body: nestFields(values) };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('usage', '--input: the body is not valid JSON.', { cause: error });
  }
}
