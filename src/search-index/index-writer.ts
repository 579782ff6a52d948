import { createHash } from 'node:crypto';
import { mapConcurrently } from '../values/concurrency.ts';
import { ContentStore } from './content.ts';
import type { IndexDocument } from './documents.ts';
import { getKeyRange, type IndexFile } from './index-file.ts';
import type { Kind } from './kinds.ts';
import { createPostings } from './postings.ts';

/** A record of the service, whose texts are read only if it has changed. */
export interface Source {
  readonly id: string;
  /** The list of an entry. */
  readonly parent?: string;
  /** Everything that the texts depend on. */
  readonly state: string;
  /** Reads the texts. `isPartial`: some could not be read, so the next update tries again. */
  readonly read: () => IndexDocument | Promise<{ document: IndexDocument; isPartial: boolean }>;
}

/** A source with its key in the index. */
interface ChangedSource {
  readonly n: number;
  readonly stamp: number;
  readonly source: Source;
}

/** Recordings that are fetched at once. */
const concurrency = 8;

/** Writes the records of one kind. */
export class KindWriter {
  readonly #index: IndexFile;
  readonly #content: ContentStore;
  readonly #kind: Kind;
  readonly #hasTexts: boolean;
  /** The keys of the records in the batches. */
  readonly #keys = new Set<number>();
  #next: number;
  /** The number of records that were written or removed. */
  changes = 0;

  /** `hasTexts`: whether to store texts, which an embedded workspace has already. */
  constructor(index: IndexFile, kind: Kind, hasTexts: boolean) {
    this.#index = index;
    this.#content = new ContentStore(index);
    this.#kind = kind;
    this.#hasTexts = hasTexts;
    const { first, last } = getKeyRange(kind);
    const row = index.prepare('select max(n) as n from record where n between ? and ?').get(first, last);
    this.#next = ((row as { n: number | null }).n ?? first - 1) + 1; // an aggregate always has a row
  }

  /** Writes the records of a batch that are new or have changed, in one transaction. */
  async write(sources: readonly Source[]): Promise<void> {
    const changedSources = sources.flatMap((source) => this.#findChange(source));
    const read = async ({ source }: ChangedSource) => {
      const result = await source.read();
      return 'document' in result ? result : { document: result, isPartial: false };
    };
    const documents = await mapConcurrently(changedSources, concurrency, read);
    if (changedSources.length === 0) return;
    const texts = documents.map(({ document }) => joinTexts(document));
    this.#index.transaction(() => {
      if (this.#hasTexts) this.#content.learn(this.#kind, texts);
      // FTS5 writes a segment whenever a key is lower than the one before.
      const order = changedSources
        .map((_, index) => index)
        .sort((a, b) => (changedSources[a]?.n ?? 0) - (changedSources[b]?.n ?? 0));
      for (const index of order) {
        const [change, result] = [changedSources[index], documents[index]];
        if (change && result) this.#writeRecord(change, result, texts[index] ?? '');
      }
    });
    this.changes += changedSources.length;
  }

  /** Removes the records that were in no batch. */
  removeUnseen(): void {
    const { first, last } = getKeyRange(this.#kind);
    const page = this.#index.prepare('select n from record where n between ? and ? order by n limit 5000');
    for (let start = first; ; ) {
      const keys = (page.all(start, last) as { n: number }[]).map(({ n }) => n); // the column of the statement
      const deletedKeys = keys.filter((n) => !this.#keys.has(n));
      this.#index.transaction(() => {
        for (const n of deletedKeys) this.#remove(n);
      });
      this.changes += deletedKeys.length;
      const end = keys.at(-1);
      if (end === undefined) return;
      start = end + 1;
    }
  }

  #findChange(source: Source): ChangedSource[] {
    const { first, last } = getKeyRange(this.#kind);
    const { id, parent = null, state } = source;
    const stamp = createHash('sha1').update(state).digest().readUIntBE(0, 6);
    const row = this.#index
      .prepare('select n, stamp from record where id = ? and parent is ? and n between ? and ?')
      .get(id, parent, first, last) as { n: number; stamp: number } | undefined; // the columns of the statement
    const n = row?.n ?? this.#next++;
    // A list that changes while it is read may repeat a record.
    if (this.#keys.has(n)) return [];
    this.#keys.add(n);
    return row?.stamp === stamp ? [] : [{ n, stamp, source }];
  }

  #writeRecord(
    { n, stamp, source }: ChangedSource,
    { document, isPartial }: { readonly document: IndexDocument; readonly isPartial: boolean },
    text: string,
  ): void {
    const { tokens, titleWords } = createPostings(document);
    const [title, content] = this.#hasTexts
      ? [document.title, this.#content.compress(this.#kind, text)]
      : [null, null];
    this.#remove(n);
    this.#index.run(
      'insert into record (n, id, parent, at, stamp, title_words, title, content) values (?, ?, ?, ?, ?, ?, ?, ?)',
      n,
      source.id,
      source.parent ?? null,
      document.at,
      isPartial ? -1 : stamp,
      titleWords,
      title,
      content,
    );
    this.#index.run('insert into posting (rowid, tokens) values (?, ?)', n, tokens);
  }

  #remove(n: number): void {
    const row = this.#index.prepare('delete from record where n = ? returning n').get(n);
    if (row) this.#index.run('delete from posting where rowid = ?', n);
  }
}

/** Returns the lines of a document for excerpts, the most informative ones first. */
export function joinTexts({ about, details, transcript = [] }: IndexDocument): string {
  return [...about, ...transcript, ...details].join('\n');
}
