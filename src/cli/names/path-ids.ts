import { Failure, type FailureDetail } from '../../contract/errors.ts';
import type { WireRequest, WireResponse } from '../../contract/grammar.ts';

/** A word of the command line that refers to a record. */
interface Word {
  /** Whether the word cannot be an id and is looked up first. */
  readonly isName: boolean;
  /** Returns the record's id. `detail` comes from the 404 for the word as an id. */
  readonly lookUp: (detail: FailureDetail) => Promise<string>;
}

/** A word with the id to send for it. */
interface SentWord extends Word {
  readonly collection: string;
  id: string;
  /** Whether the word has been accepted as an id, or looked up. */
  isChecked: boolean;
  lookup?: Promise<string>;
}

/** Matches a collection and an id in a path, such as `/contacts/1`. */
const pairs = /\/[^/]+\/[^/]+/g;

/**
 * Sends words of the command line as ids, so that an id costs no lookup. If the service responds with 404, looks the
 * word up as a name, and sends the request again with the id of the matched record.
 */
export class PathIds {
  readonly #words = new Map<string, SentWord>();

  /** `collection` is the part of a path before the id, such as `contacts`. */
  add(collection: string, text: string, word: Word): void {
    this.#words.set(formatPair(collection, text), { ...word, collection, id: text, isChecked: false });
  }

  /** Returns the id that was sent last for a word. */
  getId(collection: string, text: string): string {
    return this.#words.get(formatPair(collection, text))?.id ?? text;
  }

  /** Sends a request with the ids of the words in its path. @throws {Failure} as `lookUp` and `send` do */
  async send(
    request: WireRequest,
    send: (request: WireRequest) => Promise<WireResponse>,
  ): Promise<WireResponse> {
    const words = this.#findWords(request.path);
    if (words.length === 0) return send(request);
    for (const word of words) if (word.isName || word.lookup) await lookUp(word, {});
    for (;;) {
      const path = this.#replaceWords(request.path);
      try {
        const response = await send({ ...request, path });
        for (const word of words) word.isChecked = true;
        return response;
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'not_found') throw error;
        // The last word first: the search for an entry shows whether its list exists.
        for (const word of words.toReversed())
          if (!word.isChecked && this.#replaceWords(request.path) === path) await lookUp(word, error.detail);
        if (this.#replaceWords(request.path) === path) throw error;
      }
    }
  }

  #findWords(path: string): SentWord[] {
    return Array.from(splitPath(path).record.matchAll(pairs)).flatMap(
      ([pair]) => this.#words.get(pair) ?? [],
    );
  }

  #replaceWords(path: string): string {
    const { version, record } = splitPath(path);
    const replaced = record.replaceAll(pairs, (pair) => {
      const word = this.#words.get(pair);
      return word ? formatPair(word.collection, word.id) : pair;
    });
    return version + replaced;
  }
}

const formatPair = (collection: string, id: string) => `/${collection}/${encodeURIComponent(id)}`;

/** Splits `/v1/contacts/1` into `/v1` and `/contacts/1`. */
function splitPath(path: string) {
  const end = path.indexOf('/', 1);
  return { version: path.slice(0, end), record: path.slice(end) };
}

async function lookUp(word: SentWord, detail: FailureDetail): Promise<void> {
  word.lookup ??= word.lookUp(detail);
  word.id = await word.lookup;
  word.isChecked = true;
}
