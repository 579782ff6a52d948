import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Failure } from '../contract/errors.ts';
import type { WireAnswer } from '../contract/grammar.ts';
import type { Database } from './database.ts';
import { type Answering, failureOf } from './dispatch.ts';
import { type Bearer, bearerOf } from './keys.ts';
import { problemOf } from './problem.ts';
import type { RateLimit } from './rate-limit.ts';

/** What the HTTP shell needs beside the service. */
export interface Shell {
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
export function createApp({ db, service, newId, log, version, rateLimit }: Shell): Hono {
  const app = new Hono();
  const requestId = (c: Context) => {
    const given = c.req.header('x-request-id') ?? '';
    return /^[\w.:-]{1,100}$/.test(given) ? given : newId();
  };
  const reply = (answer: WireAnswer, id: string) => {
    const { status, headers, body } = answer;
    const text = body === undefined ? null : JSON.stringify(body);
    const type = text === null ? undefined : { 'content-type': 'application/json' };
    return new Response(text, { status, headers: { ...type, ...headers, 'x-request-id': id } });
  };
  const refuse = (c: Context, failure: Failure) => {
    const id = requestId(c);
    return reply(problemOf(failure, id), id);
  };

  app.get('/healthz', (c) => c.json({ status: 'ok' }, 200, { 'x-request-id': requestId(c) }));
  app.get('/openapi.json', async (c) => {
    const { openApi } = await import('./openapi.ts');
    return c.json(openApi(version), 200, { 'x-request-id': requestId(c) });
  });
  app.all('/:name{healthz|openapi\\.json}', (c) => {
    const message = `${c.req.path} takes GET, not ${c.req.method}.`;
    return refuse(c, new Failure('method_not_allowed', message, { headers: { allow: 'GET' } }));
  });
  app.use(
    bodyLimit({
      maxSize: maxBody,
      onError: (c) => refuse(c, new Failure('too_large', `A body has at most ${maxBody} bytes.`)),
    }),
  );
  app.all('*', async (c) => {
    const id = requestId(c);
    try {
      const { row, readOnly } = await bearer(db, c.req.header('authorization'));
      const seconds = rateLimit?.(row);
      if (seconds !== undefined) throw tooMany(seconds);
      const { pathname, searchParams } = new URL(c.req.url);
      const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
      const body = await bodyOf(c);
      const answer = await service(
        { method, path: pathname, query: [...searchParams], body },
        { readOnly, requestId: id },
      );
      return reply(answer, id);
    } catch (error) {
      return reply(problemOf(failureOf(error, log), id), id);
    }
  });
  app.onError((error, c) => refuse(c, failureOf(error, log)));
  return app;
}

function tooMany(seconds: number): Failure {
  return new Failure('rate_limited', `Too many requests for this key; again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

async function bearer(db: Database, header: string | undefined): Promise<Bearer> {
  const [, secret] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
  const known = secret === undefined ? undefined : await bearerOf(db, secret);
  if (known) return known;
  const message =
    secret === undefined ? 'Send the header "Authorization: Bearer KEY".' : 'This key is not known here.';
  throw new Failure('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
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
    const reason = error instanceof Error ? error.message : '';
    throw new Failure('malformed', `The body is not JSON: ${reason}`);
  }
}
