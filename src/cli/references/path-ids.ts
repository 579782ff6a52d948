import { Failure, type FailureDetail } from '../../contract/errors.ts';
import type { WireRequest, WireResponse } from '../../contract/grammar.ts';

/** A word of the command line. */
interface Word {
  /** Whether it cannot be an id, so that it is looked up before it is sent. */
  readonly isName: boolean;
  /** Returns the id that it stands for. `detail` comes from the request that showed that it is no id. */
  readonly lookUp: (detail: FailureDetail) => Promise<string>;
}

/** A word, and the id that is sent for it. */
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
 * Sends words of a command line as ids, so that an id costs no lookup. If the service responds with 404, the word is
 * looked up as a name, and the request is sent again with the id that was found.
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
        // The last one first: the search for an entry shows whether its list exists.
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

/** Splits `/v1/contacts/1` after `/v1`. */
function splitPath(path: string) {
  const end = path.indexOf('/', 1);
  return { version: path.slice(0, end), record: path.slice(end) };
}

async function lookUp(word: SentWord, detail: FailureDetail): Promise<void> {
  word.lookup ??= word.lookUp(detail);
  word.id = await word.lookup;
  word.isChecked = true;
}
