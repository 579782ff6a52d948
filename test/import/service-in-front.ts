import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { answer, loopback, type Seen } from '../client/loopback.ts';
import { workspace } from '../service/service.ts';

/** What a test does with a request of its choice. */
interface Meddling {
  /** Before the service sees it; true: it was answered. */
  before: (seen: Seen, response: ServerResponse) => Promise<boolean> | boolean;
  /** When the service has carried it out, and its answer is not yet sent; true: nothing more is answered. */
  after: (seen: Seen, response: ServerResponse) => Promise<boolean> | boolean;
  /** Milliseconds before an answer goes out. */
  delay: number;
}

/** The real service on a workspace of its own, behind a door at which a test may meddle with requests. */
export async function serviceInFront(file?: string) {
  const { call, give } = workspace(file);
  const meddling: Meddling = { before: () => false, after: () => false, delay: 0 };
  const { url, seen } = await loopback(async (asked, response) => {
    if (await meddling.before(asked, response)) return;
    const body = asked.body === '' ? undefined : JSON.parse(asked.body);
    const { status, headers, body: told } = await call(`${asked.method} ${asked.url}`, body);
    if (meddling.delay > 0) await wait(meddling.delay);
    if (await meddling.after(asked, response)) return;
    answer(response, status, told, headers);
  });
  let past = 0;
  const since = () => {
    const found = seen.slice(past);
    past = seen.length;
    return found.map(({ method, url, body }) => `${method} ${decodeURIComponent(url)}${body && ` ${body}`}`);
  };
  return {
    env: { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' },
    url,
    call,
    give,
    meddling,
    /** The requests since they were last looked at. */
    requests: since,
    /** Those of them that write. */
    writes: () => since().filter((line) => !line.startsWith('GET')),
  };
}
