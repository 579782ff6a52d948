import { type WritableNoun, writableNouns } from '../../contract/singular-nouns.ts';
import type { JsonObject } from '../../values/json-object.ts';
import type { Archive } from '../archive.ts';

/** A record of the source or the target. */
export interface TransferRecord extends JsonObject {
  readonly id: string;
}

export interface SourceRecord {
  readonly noun: WritableNoun;
  /** Its number among all records, by which the change log names it. */
  readonly row: number;
  readonly key: string;
  readonly record: TransferRecord;
}

/** Returns the text that identifies a record among those of its noun. The id of an entry is unique in its list. */
export const toRecordKey = (noun: WritableNoun, record: TransferRecord): string =>
  noun === 'entries' ? toEntryKey(String(record.list_id), record.id) : record.id;

export const toEntryKey = (list_id: string, id: string): string => `${list_id}/${id}`;

/** The numbers of a noun's records do not depend on the number of other records. */
const maxRecords = 1e9;

/** Yields the records of a noun in the order of the source. */
export function* listSourceRecords(archive: Archive, noun: WritableNoun): Generator<SourceRecord> {
  let row = writableNouns.indexOf(noun) * maxRecords;
  for (const { value } of archive.records(noun)) {
    const record: TransferRecord = { ...value };
    row += 1;
    yield { noun, row, key: toRecordKey(noun, record), record };
  }
}
