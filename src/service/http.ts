import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { errorText, Failure } from '../contract/errors.ts';
import type { WireAnswer, WireRequest } from '../contract/grammar.ts';
import type { Database } from './database.ts';
import { type Answering, failureOf } from './dispatch.ts';
import { type Bearer, bearerOfHash, hashOf, secretOf } from './keys.ts';
import { type Known, memoryOf } from './memory.ts';
import { problemOf } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';

/** What the HTTP shell needs beside the service. */
export interface Shell {
  /** What keys are looked up in, and what says whether an answer to a GET is still the one. */
  readonly db: Database;
  readonly service: Answering;
  readonly newId: () => string;
  readonly log: (text: string) => void;
  /** That of the program, for the OpenAPI document. */
  readonly version: string;
  readonly rateLimit?: RateLimit | undefined;
}

/** The largest body that is read, in bytes. */
const maxBody = 1024 * 1024;

/** The service over HTTP: keys, body, request ids. Everything else is the service's own. */
export function createApp(shell: Shell, memory = memoryOf(shell.db)): Hono {
  const { newId, log, version } = shell;
  const { read, write } = answersOf(shell, memory);
  const app = new Hono();
  const requestId = (c: Context) => requestIdOf(c.req.header('x-request-id'), newId);
  const refuse = (c: Context, failure: Failure) => {
    const id = requestId(c);
    return reply(problemOf(failure, id), id);
  };
  const answering = (answer: Answer) => async (c: Context) => {
    const id = requestId(c);
    try {
      return await answer(c, id);
    } catch (error) {
      return reply(problemOf(failureOf(error, log), id), id);
    }
  };

  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, { 'x-request-id': requestId(c) }));
  app.get('/openapi.json', async (c) => {
    const { openApi } = await import('./openapi.ts');
    return c.json(openApi(version), 200, { 'x-request-id': requestId(c) });
  });
  app.on('ALL', ['/healthz', '/openapi.json'], (c) => {
    const message = `${c.req.path} takes GET, not ${c.req.method}.`;
    return refuse(c, new Failure('method_not_allowed', message, { headers: { allow: 'GET' } }));
  });
  // For HEAD too. Fetch knows no body of either, and to look for one would make a whole Request.
  app.get('*', answering(read));
  app.use(
    bodyLimit({
      maxSize: maxBody,
      onError: (c) => refuse(c, new Failure('too_large', `A body has at most ${maxBody} bytes.`)),
    }),
  );
  app.all('*', answering(write));
  app.onError((error, c) => refuse(c, failureOf(error, log)));
  return app;
}

/** The id that a client gave its request, or a new one: only one that is fit for a header and a log. */
export function requestIdOf(given: string | undefined, newId: () => string): string {
  return given !== undefined && /^[\w.:-]{1,100}$/.test(given) ? given : newId();
}

/** Answers a request that has an id; what it throws is an answer too. */
type Answer = (c: Context, id: string) => Promise<Response>;

/** The answers to who has a key: to a GET, and to all else. */
function answersOf(
  { db, service, rateLimit }: Shell,
  memory: () => Known,
): { readonly read: Answer; readonly write: Answer } {
  /** Who asks, where the key is good and has not sent too many requests. */
  const admitted = async (c: Context, known: Known): Promise<Bearer> => {
    const bearer = await bearerOf(c.req.header('authorization'), db, known);
    const seconds = rateLimit?.(bearer.row);
    if (seconds !== undefined) throw tooMany(seconds);
    return bearer;
  };
  return {
    async read(c, id) {
      const known = memory();
      await admitted(c, known);
      const answer = await service({ method: 'GET', ...target(c.req.url) }, { requestId: id });
      if (answer.status !== 200) return reply(answer, id);
      const body = Buffer.from(JSON.stringify(answer.body));
      known.keep(withoutScheme(c.req.url), body);
      return sent(200, json, body, id);
    },
    async write(c, id) {
      const { readOnly } = await admitted(c, memory());
      const request = { method: c.req.method, ...target(c.req.url), body: await bodyOf(c) };
      return reply(await service(request, { readOnly, requestId: id }), id);
    },
  };
}

const withoutScheme = (url: string) => url.slice(url.indexOf('//') + 2);

const json = { 'content-type': 'application/json' };

function sent(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer<ArrayBuffer> | null,
  id: string,
): Response {
  return new Response(body, { status, headers: { ...headers, 'x-request-id': id } });
}

function reply({ status, headers, body }: WireAnswer, id: string): Response {
  if (body === undefined) return sent(status, headers, null, id);
  return sent(status, { ...json, ...headers }, JSON.stringify(body), id);
}

/** The path and the query of a URL that the server has made whole; URL itself takes longer than the look-up of a record. */
function target(url: string): Pick<WireRequest, 'path' | 'query'> {
  const [, path = '', rest = ''] = /^https?:\/\/[^/?#]+([^?#]*)(.*)$/.exec(url) ?? [];
  if (rest === '' && path !== '') return { path, query: [] };
  // Some hosts that the server lets pass URL takes for addresses that are none.
  const { pathname, searchParams } = new URL(`http://host${path}${rest}`);
  return { path: pathname, query: [...searchParams] };
}

function tooMany(seconds: number): Failure {
  return new Failure('rate_limited', `Too many requests for this key; again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

async function bearerOf(header: string | undefined, db: Database, known: Known): Promise<Bearer> {
  const secret = secretOf(header);
  if (secret === undefined) throw unauthorized('Send the header "Authorization: Bearer KEY".');
  const hash = hashOf(secret);
  const bearer = known.bearers.get(hash) ?? (await bearerOfHash(db, hash));
  if (!bearer) throw unauthorized('This key is not known here.');
  known.bearers.set(hash, bearer);
  return bearer;
}

function unauthorized(message: string): Failure {
  return new Failure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

async function textOf(c: Context): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await c.req.arrayBuffer());
  } catch (error) {
    throw new Failure('malformed', 'The body breaks off, or is not UTF-8.', { cause: error });
  }
}

async function bodyOf(c: Context): Promise<unknown> {
  const text = await textOf(c);
  if (text === '') return undefined;
  if (!/^application\/(?:[\w.-]+\+)?json *(?:;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new Failure('unsupported_media_type', 'Send the body as "Content-Type: application/json".');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('malformed', `The body is not JSON: ${errorText(error)}`);
  }
}
