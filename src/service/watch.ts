import type { Sqlite } from './engine.ts';

/** Tells what is written to the file of a workspace. */
export interface Watch {
  /** From now on it is known which contacts this connection writes. */
  begin(): void;
  /** What was written since it was asked last. */
  written(): Written;
}

/** Nothing; the contacts with these numbers, and what is no contact; or anything, by another process too. */
export type Written = 'nothing' | 'anything' | readonly number[];

/** What a contact shows stands in these tables, in rows with its number; in its fields, stands for all contacts. */
const shown = [
  ['contact', 'id'],
  ['contact_email', 'contact_id'],
  ['contact_phone', 'contact_id'],
  ['contact_value', 'record_id'],
] as const;

const all = 0; // no row has it

const trigger = (table: string, event: string, numbers: readonly string[]) => `
  create temp trigger touch_${table}_${event} after ${event} on main.${table} begin
    insert into touched values ${numbers.map((number) => `(${number})`).join(', ')};
  end;`;

/**
 * Triggers of this connection alone note what it writes, whichever statement or cascade does it. The note is part
 * of the transaction, and is undone with it.
 */
const triggers = [
  ...shown.flatMap(([table, column]) => [
    trigger(table, 'insert', [`new.${column}`]),
    trigger(table, 'update', [`old.${column}`, `new.${column}`]),
    trigger(table, 'delete', [`old.${column}`]),
  ]),
  ...['insert', 'update', 'delete'].map((event) => trigger('custom_field', event, [String(all)])),
].join('');

/** SQLite counts the rows that this connection has changed, and says when another has committed. */
export function watchOn(sqlite: Sqlite): Watch {
  const changes = sqlite.prepare('select total_changes() as own');
  const commits = sqlite.prepare('pragma data_version');
  const ownNow = () => (changes.get() as { own: number }).own; // one row, always
  const versionNow = () => (commits.get() as { data_version: number }).data_version; // the same
  let last = { own: Number.NaN, version: Number.NaN };
  let isWatched = false;
  const touched = (): number[] => {
    const rows = sqlite.prepare('select contact from touched').all() as { contact: number }[]; // its one column
    if (rows.length > 0) sqlite.exec('delete from touched');
    return rows.map(({ contact }) => contact);
  };
  return {
    begin() {
      if (isWatched) return;
      sqlite.exec(
        `pragma temp_store = memory; create temp table touched (contact integer) strict; ${triggers}`,
      );
      isWatched = true;
    },
    written() {
      const now = { own: ownNow(), version: versionNow() };
      if (now.own === last.own && now.version === last.version) return 'nothing';
      const contacts = isWatched ? touched() : [all];
      const isOthers = now.version !== last.version;
      last = { own: ownNow(), version: now.version }; // what was touched is a change too
      return isOthers || contacts.includes(all) ? 'anything' : contacts;
    },
  };
}
