import { type Database, stateOf } from './database.ts';
import type { Bearer } from './keys.ts';

/** What has been read of the workspace in one state of it. */
export interface Known {
  /** By the hash of the key; only keys that are good. */
  readonly bearers: Map<string, Bearer>;
  /** The body of the answer to a GET, by its URL: it depends on the workspace alone, not on caller or clock. */
  answer(url: string): Uint8Array<ArrayBuffer> | undefined;
  keep(url: string, body: Uint8Array<ArrayBuffer>): void;
}

/**
 * What is known of the workspace as it is now: nothing, once anything was written to the file, by this process
 * or another. To be asked before reading; then what was read may be kept in it, because no later state is ever
 * given the same object.
 */
export function memoryOf(db: Database, limit = 32 * 1024 * 1024): () => Known {
  let state: string | undefined;
  let known = knowing(limit);
  return () => {
    const now = stateOf(db);
    if (now !== state) {
      state = now;
      known = knowing(limit);
    }
    return known;
  };
}

/** Knows nothing yet, and never more than `limit` bytes of answers: the oldest go first. */
function knowing(limit: number): Known {
  const answers = new Map<string, Uint8Array<ArrayBuffer>>();
  let size = 0;
  const sizeOf = (url: string, body: Uint8Array | undefined) => 2 * url.length + (body?.byteLength ?? 0);
  const forget = (url: string) => {
    size -= sizeOf(url, answers.get(url));
    answers.delete(url);
  };
  return {
    bearers: new Map(),
    answer: (url) => answers.get(url),
    keep(url, body) {
      if (answers.has(url)) return;
      answers.set(url, body);
      size += sizeOf(url, body);
      for (const oldest of answers.keys()) {
        if (size <= limit) break;
        forget(oldest);
      }
    },
  };
}
