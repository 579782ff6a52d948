import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { createRecordNormalizer } from '../../contract/received.ts';
import { type WritableNoun, writableNouns } from '../../contract/singular-nouns.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { Journal } from '../../files/journal.ts';
import { listIndexKeys } from '../../records/match.ts';
import { repeatIfChanged } from '../../records/read-all.ts';
import { KeyIndex } from '../../records/record-index.ts';
import { compactJson, parseJson } from '../../values/raw-json.ts';
import { recordRoutes, toRecordFile } from '../archive-nouns.ts';
import { createServiceReader } from '../read-workspace.ts';
import { type TransferRecord, toRecordKey } from './transfer-nouns.ts';

interface ReadOptions {
  readonly client: Client;
  /** An empty folder for the records, which do not stay in memory. */
  readonly folder: string;
  readonly onProgress: (noun: WritableNoun, done: number, total: number | undefined) => void;
}

/** The records of the target before the transfer, by their keys. */
export class TargetRecords {
  readonly #files = new Map<WritableNoun, Journal>();
  readonly #offsets = new Map<string, number>();
  readonly #matches = new KeyIndex();

  static read(options: ReadOptions): Promise<TargetRecords> {
    return repeatIfChanged(async () => {
      const target = new TargetRecords();
      try {
        await target.#read(options);
        return target;
      } catch (error) {
        target.close();
        throw error;
      }
    });
  }

  async #read({ client, folder, onProgress }: ReadOptions): Promise<void> {
    const reader = createServiceReader(client);
    for (const noun of writableNouns) {
      const path = join(folder, toRecordFile(noun));
      closeSync(accessFile('write', path, () => openSync(path, 'w', 0o600)));
      const file = new Journal(path);
      this.#files.set(noun, file);
      // Without the entries of a list, a copy would add them again.
      const pages: AsyncGenerator<Batch<unknown>> =
        noun === 'entries'
          ? reader.entries((list) => {
              throw new Failure('failed', `The target does not list the entries of the list ${list}.`);
            })
          : reader.pages(noun);
      let done = 0;
      for await (const { records, total } of pages) {
        for (const { text, value } of records)
          this.#addRecord(noun, { ...(value as TransferRecord) }, file.append(compactJson(text))); // it has an id
        done += records.length;
        onProgress(noun, done, noun === 'entries' ? undefined : total); // the total is that of one list
      }
    }
  }

  #addRecord(noun: WritableNoun, record: TransferRecord, offset: number): void {
    const key = toRecordKey(noun, record);
    this.#offsets.set(`${noun} ${key}`, offset);
    this.addKeys(noun, listIndexKeys(noun, record), key);
  }

  addKeys(noun: WritableNoun, matchKeys: readonly string[], key: string): void {
    for (const matchKey of new Set(matchKeys)) this.#matches.add(`${noun} ${matchKey}`, key);
  }

  /** Returns the keys of the records with one of some match keys, in the order of the target for each. */
  listMatches(noun: WritableNoun, matchKeys: readonly string[]): readonly string[] {
    return [...new Set(matchKeys.flatMap((matchKey) => this.#matches.find(`${noun} ${matchKey}`)))];
  }

  /** Returns a record as it was before the transfer. */
  find(noun: WritableNoun, key: string): TransferRecord | undefined {
    const offset = this.#offsets.get(`${noun} ${key}`);
    const file = this.#files.get(noun);
    if (offset === undefined || !file) return undefined;
    const normalize: (value: unknown) => unknown = createRecordNormalizer(recordRoutes[noun]);
    return normalize(parseJson(file.readLine(offset))) as TransferRecord; // a record has an id
  }

  close(): void {
    for (const file of this.#files.values()) file.close();
  }
}
