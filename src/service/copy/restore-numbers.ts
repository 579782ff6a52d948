import sql, { raw } from 'sql-template-tag';
import type { Noun } from '../../contract/singular-nouns.ts';
import type { WorkspaceRecords } from '../../contract/workspace.ts';
import { isObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { Database } from '../db/database.ts';
import type { Resource } from '../db/ids.ts';
import { isIn } from '../db/render-sql.ts';
import { insertRows } from '../db/statements.ts';
import { type IdPlan, restoredNouns } from './restore-ids.ts';

/** A record to store, with the number of its row. */
export interface NumberedRecord<N extends Noun> {
  readonly row: number;
  readonly id: string;
  /** The record without characters that a database does not store. */
  readonly value: WorkspaceRecords[N];
  /** The record as in the archive. */
  readonly raw: RawJson<WorkspaceRecords[N]>;
}

/** The longest id in bytes: an index of PostgreSQL takes no longer text. */
const maxIdBytes = 1000;

/** Assigns row numbers to the ids of records, and finds the rows of stored records. */
export class RowNumbers {
  readonly #db: Database;
  readonly #plan: IdPlan;
  /** The latest row of each table. */
  readonly #latest = new Map<string, number>();

  constructor(db: Database, plan: IdPlan) {
    this.#db = db;
    this.#plan = plan;
  }

  /** Returns the highest row number of each table that has any. */
  getLastIds(): ReadonlyMap<string, number> {
    const last = new Map(this.#latest);
    const add = (table: string, row: number) =>
      row > 0 && last.set(table, Math.max(last.get(table) ?? 0, row));
    for (const [noun, { table }] of Object.entries(restoredNouns))
      add(table, this.#plan.ranges[noun as Noun].highest); // a key of the table
    add('list_field', this.#plan.listFields.highest);
    return last;
  }

  /** Numbers the records of a batch that have new ids, and passes all other ids to `drop`. */
  async number<N extends Noun>(
    noun: N,
    records: readonly RawJson<WorkspaceRecords[N]>[],
    drop: (id: string, problem: string) => void,
  ): Promise<NumberedRecord<N>[]> {
    const range = this.#plan.ranges[noun];
    const { table } = restoredNouns[noun];
    const stored = await this.find(
      noun,
      records.map(({ value }) => value.id),
    );
    const seen = new Set(stored.keys());
    return records.flatMap((raw) => {
      const { id } = raw.value;
      const problem = seen.has(id) ? 'duplicate id' : findIdProblem(id);
      if (problem !== undefined) {
        drop(id, problem);
        return [];
      }
      seen.add(id);
      const row = range.areOwn ? range.decode(id) : this.take(table, 0);
      return row === undefined ? [] : [{ row, id, value: toStorable(raw), raw }];
    });
  }

  /** Returns the next row number of a table, above `highest`. */
  take(table: string, highest: number): number {
    const row = (this.#latest.get(table) ?? highest) + 1;
    this.#latest.set(table, row);
    return row;
  }

  /** Returns the rows of stored records by id. */
  async find(noun: Noun, ids: readonly (string | null)[]): Promise<ReadonlyMap<string, number>> {
    const range = this.#plan.ranges[noun];
    const { table, resource } = restoredNouns[noun];
    const texts = [...new Set(ids)].filter((id) => id !== null);
    if (texts.length === 0) return new Map();
    if (range.areOwn) {
      const rows = new Map(texts.map((id) => [range.decode(id), id]));
      const wanted = [...rows.keys()].filter((row) => row !== undefined);
      const found = await this.#db.all<{ id: number }>(
        sql`select id from ${raw(table)} where ${isIn('id', wanted)}`,
      );
      return new Map(found.map(({ id }) => [rows.get(id) ?? '', id]));
    }
    const found = await this.#db.all<{ id: string; row: number }>(
      sql`select id, row_id as row from foreign_id where resource = ${resource} and ${isIn('id', texts)}`,
    );
    return new Map(found.map(({ id, row }) => [id, row]));
  }

  /** Keeps the ids of stored records that are not own ids. */
  async keepIds(
    noun: Noun,
    records: readonly { readonly row: number; readonly id: string }[],
  ): Promise<void> {
    if (!this.#plan.ranges[noun].areOwn)
      await storeForeignIds(this.#db, restoredNouns[noun].resource, records);
  }
}

function toStorable<T extends { readonly id: string }>({ text, value }: RawJson<T>): T {
  // The value keeps its shape, because only texts change.
  return mayBeUnsupported(text) ? (replaceUnsupported(value) as T) : value;
}

function findIdProblem(id: string): string | undefined {
  if (Buffer.byteLength(id) > maxIdBytes) return 'id too long';
  return id.isWellFormed() && !id.includes('\0') ? undefined : 'unsupported characters in the id';
}

/** Stores the ids of rows, which are not their hashids. */
export async function storeForeignIds(
  db: Database,
  resource: Resource,
  rows: readonly { readonly row: number; readonly id: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await insertRows(
    db,
    'foreign_id',
    rows.map(({ row, id }) => ({ resource, row_id: row, id })),
  );
}

/** Matches the escapes in JSON of characters that a database may not store: U+0000, and surrogates, paired or not. */
const unsupported = /\\u0000|\\u[dD][89a-fA-F]/;

/** Whether the text of a value may contain characters that a database does not store. */
export const mayBeUnsupported = (text: string): boolean => unsupported.test(text);

/** Replaces the characters of a JSON value that a database does not store. */
function replaceUnsupported(value: unknown): unknown {
  if (typeof value === 'string') return replaceCharacters(value);
  if (Array.isArray(value)) return value.map(replaceUnsupported);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [
    replaceCharacters(name),
    replaceUnsupported(member),
  ]);
  return Object.fromEntries(members);
}

const replaceCharacters = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');
