import { type Database, stateOf } from '../db/database.ts';
import type { KeyHolder } from './keys.ts';

/** What has been read of the workspace in one state of it. */
export interface Known {
  /** By the hash of the key; only keys that are good. */
  readonly bearers: Map<string, KeyHolder>;
  /**
   * The body of the answer to a GET, by its URL without the scheme: it depends on the workspace alone, not on caller or
   * clock. As bytes it is sent as it is: to make them of a text takes as long as all else of such an answer.
   */
  answer(url: string): Buffer<ArrayBuffer> | undefined;
  keep(url: string, body: Buffer<ArrayBuffer>): void;
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

/** What an answer takes, with what it takes beside its bytes. */
const sizeOf = (url: string, body: Buffer) => 200 + 2 * url.length + body.length;

/** Knows nothing yet, and never more than `limit` bytes of answers: the oldest go first. */
function knowing(limit: number): Known {
  const answers = new Map<string, Buffer<ArrayBuffer>>();
  let size = 0;
  const forget = (url: string, body: Buffer) => {
    size -= sizeOf(url, body);
    answers.delete(url);
  };
  return {
    bearers: new Map(),
    answer: (url) => answers.get(url),
    keep(url, body) {
      if (answers.has(url) || sizeOf(url, body) > limit) return;
      answers.set(url, body);
      size += sizeOf(url, body);
      for (const oldest of answers) {
        if (size <= limit) break;
        forget(...oldest);
      }
    },
  };
}
