import { createHash } from 'node:crypto';
import { mapConcurrently } from '../../values/concurrency.ts';
import type { Kind } from '../kinds.ts';
import { listPhoneTokens, toIndexText } from '../words.ts';
import { type IndexDocument, joinTexts } from './documents.ts';
import { removeDetails, writeDetails } from './index-details.ts';
import { getKeyRange, type IndexFile } from './index-file.ts';
import { compressText } from './text-compression.ts';

/** A record of the service, whose texts are read only if it has changed. */
export interface Source {
  readonly id: string;
  /** The list of an entry. */
  readonly parent?: string;
  /** A text that changes whenever the indexed texts change. */
  readonly state: string;
  /** Reads the texts. `isPartial`: some texts could not be read, so that the next update tries again. */
  readonly read: () => IndexDocument | Promise<{ document: IndexDocument; isPartial: boolean }>;
}

/** A source with its key in the index. */
interface ChangedSource {
  readonly n: number;
  readonly stamp: number;
  readonly source: Source;
}

/** A changed source with its texts. */
interface Change extends ChangedSource {
  readonly document: IndexDocument;
  readonly isPartial: boolean;
}

/** Recordings that are fetched at once. */
const concurrency = 8;

/** Writes the records of one kind. */
export class KindWriter {
  readonly #index: IndexFile;
  readonly #kind: Kind;
  readonly #range: ReturnType<typeof getKeyRange>;
  readonly #hasTexts: boolean;
  /** The keys of the records in the batches. */
  readonly #keys = new Set<number>();
  #next: number;
  /** The number of records that were written or removed. */
  changes = 0;

  /** `hasTexts`: whether to store texts. An embedded workspace already contains them. */
  constructor(index: IndexFile, kind: Kind, hasTexts: boolean) {
    this.#index = index;
    this.#kind = kind;
    this.#range = getKeyRange(kind);
    this.#hasTexts = hasTexts;
    const { first, last } = this.#range;
    const row = index.prepare('select max(n) as n from record where n between ? and ?').get(first, last);
    this.#next = ((row as { n: number | null }).n ?? first - 1) + 1; // an aggregate always has a row
  }

  /** Writes the records of a batch that are new or have changed, in one transaction. */
  async write(sources: readonly Source[]): Promise<void> {
    const changedSources = sources.flatMap((source) => this.#findChange(source));
    const read = async (changed: ChangedSource): Promise<Change> => {
      const result = await changed.source.read();
      if (!('document' in result)) return { ...changed, document: result, isPartial: false };
      return { ...changed, ...result, stamp: result.isPartial ? -1 : changed.stamp };
    };
    const changes = await mapConcurrently(changedSources, concurrency, read);
    if (changes.length === 0) return;
    // FTS5 writes a segment whenever a key is lower than the previous one.
    changes.sort((a, b) => a.n - b.n);
    this.#index.transaction(() => {
      for (const change of changes) this.#writeRecord(change);
    });
    this.changes += changes.length;
  }

  /** Removes the records that were in no batch. */
  removeUnseen(): void {
    const { first, last } = this.#range;
    const page = this.#index.prepare('select n from record where n between ? and ? order by n limit 5000');
    for (let start = first; ; ) {
      const keys = (page.all(start, last) as { n: number }[]).map(({ n }) => n); // the column of the statement
      const deletedKeys = keys.filter((n) => !this.#keys.has(n));
      this.#index.transaction(() => {
        for (const n of deletedKeys) {
          this.#removeTexts(n);
          removeDetails(this.#index, this.#kind, n);
        }
      });
      this.changes += deletedKeys.length;
      const end = keys.at(-1);
      if (end === undefined) return;
      start = end + 1;
    }
  }

  #findChange(source: Source): ChangedSource[] {
    const { first, last } = this.#range;
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

  #writeRecord({ n, stamp, source: { id, parent }, document, isPartial }: Change): void {
    const { title, place = null, key = null, about, body, phones = [], at } = document;
    const lines = [[title], about, [...body, ...phones.flatMap(listPhoneTokens)]];
    const columns = lines.map((texts) => toIndexText(texts.join('\n')));
    const isNew = !this.#removeTexts(n);
    this.#index.run(
      'insert into record (n, id, parent, at, stamp, title, place, key, content) values (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      ...[n, id, parent ?? null, at, stamp],
      ...(this.#hasTexts ? [title, place, key, compressText(joinTexts(document))] : [null, null, null, null]),
    );
    this.#index.run('insert into words (rowid, title, about, body) values (?, ?, ?, ?)', n, ...columns);
    writeDetails(this.#index, this.#kind, { n, id, document, isNew, isPartial });
  }

  /** Returns whether the index had the record. */
  #removeTexts(n: number): boolean {
    const row = this.#index.prepare('delete from record where n = ? returning n').get(n);
    if (row) this.#index.run('delete from words where rowid = ?', n);
    return row !== undefined;
  }
}
