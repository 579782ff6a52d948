import type { Contact } from '../contract/contacts.ts';
import { type Database, watchOf } from './database.ts';
import type { Bearer } from './keys.ts';
import type { Watch } from './watch.ts';

/** What has been read of the workspace in one state of it. */
export interface Known {
  /** By the hash of the key; only keys that are good. */
  readonly bearers: Map<string, Bearer>;
  /** The body of the answer to a GET, by its URL: it depends on the workspace alone, not on caller or clock. */
  answer(url: string): string | undefined;
  keep(url: string, body: string): void;
}

/** Contacts as they are now, by the numbers of their rows. */
export interface Contacts {
  get(row: number): Contact | undefined;
  /** Keeps what was read since this was asked for, unless something was written meanwhile. */
  keep(row: number, contact: Contact): void;
}

/** What is known of a workspace. What was read may be kept in it: no later state is ever given the same object. */
export interface Memory {
  /** Nothing, once anything was written to the file, by this process or another. To be asked before reading. */
  known(): Known;
  /** All but those that this process has written; none, once another process wrote. The same. */
  contacts(): Contacts;
}

const memories = new WeakMap<Database, Memory>();

/** The memory of an open workspace, made at the first call. */
export function memoryOf(db: Database, limit = 32 * 1024 * 1024): Memory {
  const memory = memories.get(db) ?? remembering(watchOf(db), limit);
  memories.set(db, memory);
  return memory;
}

/** The contacts that a workspace remembers, where it has a memory: a transaction has none. */
export function keptContacts(db: Database): Contacts | undefined {
  return memories.get(db)?.contacts();
}

/** Contacts that are kept at the most, some 20 megabytes. */
const most = 20_000;

function remembering(watch: Watch, limit: number): Memory {
  watch.begin();
  const contacts = new Map<number, Contact>();
  let known = knowing(limit);
  const look = () => {
    const written = watch.written();
    if (written === 'nothing') return known;
    if (written === 'anything') contacts.clear();
    else for (const row of written) contacts.delete(row);
    known = knowing(limit);
    return known;
  };
  return {
    known: look,
    contacts() {
      const before = look();
      return {
        get: (row) => contacts.get(row),
        keep(row, contact) {
          // What was written may have been noted before this was read, or after.
          if (known !== before) return;
          contacts.set(row, contact);
          texts.set(contact, JSON.stringify(contact));
          if (contacts.size <= most) return;
          for (const oldest of contacts.keys()) return void contacts.delete(oldest);
        },
      };
    },
  };
}

/** The JSON text of what is kept. */
const texts = new WeakMap<object, string>();

const textOfRecord = (record: object) => texts.get(record) ?? JSON.stringify(record);

/** The JSON text of an answer: that of a page is put together from those of its records. */
export function textOfAnswer(body: unknown): string {
  if (typeof body !== 'object' || body === null) return JSON.stringify(body);
  if (!('data' in body && 'pagination' in body && Array.isArray(body.data))) return textOfRecord(body);
  const { data, pagination, ...rest } = body;
  if (Object.keys(rest).length > 0) return JSON.stringify(body);
  return `{"data":[${data.map(textOfRecord).join(',')}],"pagination":${JSON.stringify(pagination)}}`;
}

/** What an answer takes beside its characters, each of which has two bytes at the most. */
const sizeOf = (url: string, body: string) => 200 + 2 * (url.length + body.length);

/** Knows nothing yet, and never more than `limit` bytes of answers: the oldest go first. */
function knowing(limit: number): Known {
  const answers = new Map<string, string>();
  let size = 0;
  const forget = (url: string, body: string) => {
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
