import { getBuiltinModule } from 'node:process';
import { guard, type IndexFile, UnusableIndexError } from './index-file.ts';
import type { Kind } from './kinds.ts';

/** The largest dictionary that deflate uses, in bytes. */
const maxDictionary = 32_768;

/** Texts with fewer characters are stored as they are: starting deflate takes longer than indexing a contact. */
const minLength = 500;

/** The first byte of a compressed text: without or with the dictionary of its kind. */
const formats = { plain: 0, dictionary: 1 } as const;

/** Loads zlib on first use, because the short texts of contacts do not need it. */
const loadZlib = () => getBuiltinModule('node:zlib');

/** Compresses long texts. The first texts of a kind are the dictionary for later ones, because they are similar. */
export class ContentStore {
  readonly #index: IndexFile;
  readonly #dictionaries = new Map<Kind, Buffer | undefined>();

  constructor(index: IndexFile) {
    this.#index = index;
  }

  /** Stores a dictionary if a kind has none. */
  learn(kind: Kind, texts: readonly string[]): void {
    const long = texts.filter(({ length }) => length >= minLength);
    if (long.length === 0 || this.#readDictionary(kind)) return;
    let sample = '';
    for (const text of long) if (sample.length < maxDictionary) sample += `${text}\n`;
    const dictionary = Buffer.from(sample).subarray(0, maxDictionary);
    this.#index.run('insert or replace into meta values (?, ?)', `dictionary:${kind}`, dictionary);
    this.#dictionaries.set(kind, dictionary);
  }

  compress(kind: Kind, text: string): string | Uint8Array {
    if (text.length < minLength) return text;
    const dictionary = this.#readDictionary(kind);
    const bytes = loadZlib().deflateRawSync(text, dictionary ? { dictionary } : {});
    return Buffer.concat([Buffer.of(dictionary ? formats.dictionary : formats.plain), bytes]);
  }

  /** @throws {UnusableIndexError} if the text is damaged */
  expand(kind: Kind, content: string | Uint8Array): string {
    if (typeof content === 'string') return content;
    const dictionary = content[0] === formats.dictionary ? this.#readDictionary(kind) : undefined;
    try {
      return loadZlib()
        .inflateRawSync(content.subarray(1), dictionary ? { dictionary } : {})
        .toString('utf8');
    } catch (error) {
      throw new UnusableIndexError('A text is damaged.', { cause: error });
    }
  }

  #readDictionary(kind: Kind): Buffer | undefined {
    if (!this.#dictionaries.get(kind)) {
      const row = guard(() =>
        this.#index.prepare('select value from meta where key = ?').get(`dictionary:${kind}`),
      ) as { value: Uint8Array } | undefined; // a row of this class
      this.#dictionaries.set(kind, row && Buffer.from(row.value));
    }
    return this.#dictionaries.get(kind);
  }
}
