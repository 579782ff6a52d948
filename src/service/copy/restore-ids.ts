import { type Noun, singularNouns } from '../../contract/singular-nouns.ts';
import type { RestoreSource } from '../../contract/workspace.ts';
import { yieldToSignals } from '../../values/concurrency.ts';
import { isObject, readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import { toPlural } from '../../values/text.ts';
import { ids, type Resource } from '../db/ids.ts';
import type { TableWithId } from '../db/statements.ts';

/** The table and the kind of ids of each noun. A noun comes after the nouns that its own fields refer to. */
export const restoredNouns: Readonly<
  Record<Noun, { readonly table: TableWithId; readonly resource: Resource }>
> = {
  customFields: { table: 'custom_field', resource: 'customField' },
  organizations: { table: 'organization', resource: 'organization' },
  contacts: { table: 'contact', resource: 'contact' },
  lists: { table: 'list', resource: 'list' },
  entries: { table: 'entry', resource: 'entry' },
  notes: { table: 'note', resource: 'note' },
  events: { table: 'calendar_event', resource: 'calendarEvent' },
  recordings: { table: 'recording', resource: 'recording' },
};

/** Returns the noun in messages: `custom fields`. */
export const formatNoun = (noun: Noun): string => toPlural(singularNouns[noun]);

export const listNouns = () => Object.keys(restoredNouns) as Noun[]; // its keys

/** A larger row number than any workspace reaches. Such an id comes from another service. */
const maxRow = 2 ** 40;

/** The ids of a kind of row in an archive. */
class IdRange {
  readonly #resource: Resource;
  /** Whether all ids are those of rows of a workspace, in the order of the rows. */
  areOwn = true;
  /** The highest row of an id that looks like an own one. New rows get higher numbers, so that no id occurs twice. */
  highest = 0;

  constructor(resource: Resource) {
    this.#resource = resource;
  }

  /** Returns the row of an own id. */
  decode(id: string): number | undefined {
    const row = ids[this.#resource].decode(id); // undefined for a text that no row is encoded as
    return row !== undefined && row > 0 && row < maxRow ? row : undefined;
  }

  /** Adds an id that should come after the row `previous`. Returns its row. */
  add(id: string, previous: number): number {
    const row = this.decode(id) ?? 0;
    if (row === 0 || row < previous) this.areOwn = false;
    this.highest = Math.max(this.highest, row);
    return row;
  }
}

/** A field of a list as its entries show it: a list does not contain the ids of its fields. */
interface EntryField {
  readonly id: string;
  readonly data_type: unknown;
  isMultiple: boolean;
}

/** The ids in an archive. */
export interface IdPlan {
  readonly ranges: Readonly<Record<Noun, IdRange>>;
  readonly listFields: IdRange;
  /** The fields in the entries of each list by name, by the id of the list. */
  readonly entryFields: ReadonlyMap<string, ReadonlyMap<string, EntryField>>;
}

/** The number of records between two checks for signals. */
const checkInterval = 500;

/** Reads all ids of an archive, to find out which rows they need. */
export async function planIds(source: RestoreSource, signal: AbortSignal): Promise<IdPlan> {
  const ranges: Partial<Record<Noun, IdRange>> = {};
  for (const noun of listNouns()) ranges[noun] = await planNoun(source, noun, signal);
  const entryFields = await readEntryFields(source, signal);
  const listFields = planListFields(source, entryFields);
  return { ranges: ranges as IdPlan['ranges'], listFields, entryFields }; // all nouns
}

async function planNoun(source: RestoreSource, noun: Noun, signal: AbortSignal): Promise<IdRange> {
  const range = new IdRange(restoredNouns[noun].resource);
  // Meetings and their recordings are sorted by time, entries within each list, all other records by row.
  const isSorted = !['events', 'recordings', 'entries'].includes(noun);
  let [previous, count] = [0, 0];
  for (const record of source.read(noun)) {
    const row = range.add(readId(record), previous);
    if (isSorted) previous = row;
    count += 1;
    if (count % checkInterval === 0) await yieldToSignals(signal);
  }
  return range;
}

/** Returns the id of a record, without parsing the record if possible. */
export function readId(record: RawJson<{ readonly id: string }>): string {
  const [, quoted] = /^\{"id":("[\w-]+")/.exec(record.text) ?? [];
  // Parsed, because a part of the text would keep the whole text in memory.
  return quoted === undefined ? record.value.id : JSON.parse(quoted);
}

async function readEntryFields(source: RestoreSource, signal: AbortSignal) {
  const lists = new Map<string, Map<string, EntryField>>();
  let count = 0;
  for (const { value } of source.read('entries')) {
    const fields = lists.get(value.list_id) ?? new Map<string, EntryField>();
    lists.set(value.list_id, fields);
    for (const [id, item] of Object.entries(readObject(value.list_fields))) {
      const { name = id, data_type, value } = isObject(item) ? item : { value: item };
      const field = fields.get(String(name)) ?? { id, data_type, isMultiple: false };
      if (Array.isArray(value)) field.isMultiple = true;
      fields.set(String(name), field);
    }
    count += 1;
    if (count % checkInterval === 0) await yieldToSignals(signal);
  }
  return lists;
}

/** The ids of list fields are kept as rows only if the rows of each list are known and in the order of its fields. */
function planListFields(source: RestoreSource, entryFields: IdPlan['entryFields']): IdRange {
  const range = new IdRange('listField');
  const rows = new Set<number>();
  for (const { value: list } of source.read('lists')) {
    const known = entryFields.get(list.id);
    if (!known) continue;
    let previous = 0;
    for (const { name } of list.fields ?? []) {
      const field = known.get(name);
      previous = field ? range.add(field.id, previous + 1) : 0;
      if (previous === 0 || rows.has(previous)) range.areOwn = false;
      rows.add(previous);
    }
  }
  return range;
}
