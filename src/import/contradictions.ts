import { plain } from '../render/fields.ts';
import { mayBeSameNumber } from './phone-numbers.ts';
import { openShelf } from './shelf.ts';
import type { NamedValue, Wish } from './wishes.ts';

/** What tells which record a row is about; rows with an identity in common are about one record. */
export interface Identity {
  readonly key: string;
  /** A phone number as it was written: its key is that of all numbers with the same last digits. */
  readonly number?: string;
}

/** Which fields of a row are compared with those of other rows about the same record. */
export interface Compared {
  /** The identities by which a row is matched, the first kind of them first: emails go before phone numbers. */
  readonly identitiesOf: (wish: Wish) => readonly (readonly Identity[])[];
  /** The own columns with one value, and what is compared of it. */
  readonly own: Readonly<Record<string, (text: string) => string>>;
}

/** The values that rows want, by the records that the rows are about. */
export interface Contradictions {
  add(row: number, wish: Wish): void;
  /**
   * Returns the row's wish without the fields for which another row about the same record has another value, and a
   * sentence for each of them. `identities`: of the record, beside those of the row.
   */
  resolve(row: number, wish: Wish, identities: readonly Identity[]): Resolved;
  close(): void;
}

interface Resolved {
  readonly wish: Wish;
  readonly sentences: readonly string[];
}

/** A value that a row wants; `compared` is equal for values that mean the same. */
interface Wanted {
  readonly row: number;
  readonly shown: string;
  readonly compared: string;
}

/** Rows about one record, and their values: of each field the first one, and the first that differs from it. */
interface Group {
  readonly id: string;
  readonly identities: readonly Identity[];
  readonly fields: Readonly<Record<string, readonly Wanted[]>>;
}

/** Collects what rows want, in a temporary file: see `Shelf` for its memory. */
export function contradictionsIn(name: string, { identitiesOf, own }: Compared): Contradictions {
  // Only this program puts groups on the shelf.
  const shelf = openShelf(name, (group) => (group as unknown as Group).identities.map(({ key }) => key));
  const groupsOf = ({ key, number }: Identity) =>
    (shelf.under(key) as unknown as Group[]).filter(({ identities }) =>
      identities.some((one) => one.key === key && isSameNumber(one.number, number)),
    );
  const groupsWith = (identities: readonly Identity[]) => [
    ...new Map(identities.flatMap(groupsOf).map((group) => [group.id, group])).values(),
  ];
  return {
    add(row, wish) {
      const wanted = wantedBy(row, wish, own);
      if (wanted.size === 0) return;
      const kinds = identitiesOf(wish);
      const [group, ...others] = kinds.map(groupsWith).find((found) => found.length > 0) ?? [];
      // A row that is about several records is refused, and contradicts nobody.
      if (others.length > 0) return;
      const grown = withRow(group ?? { id: String(row), identities: [], fields: {} }, kinds.flat(), wanted);
      if (grown !== group) shelf.put({ ...grown });
    },
    resolve(row, wish, identities) {
      const groups = groupsWith([...identitiesOf(wish).flat(), ...identities]);
      const sentences = new Map<string, string>();
      for (const [field, value] of wantedBy(row, wish, own)) {
        const other = groups
          .flatMap(({ fields }) => fields[field] ?? [])
          .find(({ compared }) => compared !== value.compared);
        if (other) sentences.set(field, sentenceOf(field, value, other));
      }
      return { wish: without(wish, sentences), sentences: [...sentences.values()] };
    },
    close: () => shelf.close(),
  };
}

const isSameNumber = (one: string | undefined, other: string | undefined) =>
  one === other || (one !== undefined && other !== undefined && mayBeSameNumber(one, other));

/** The group with the identities and values of another row; the same one if it has all of them already. */
function withRow(group: Group, identities: readonly Identity[], wanted: ReadonlyMap<string, Wanted>): Group {
  const has = ({ key, number }: Identity) =>
    group.identities.some((one) => one.key === key && one.number === number);
  const added = identities.filter((one) => !has(one));
  let fields = group.fields;
  for (const [field, value] of wanted) {
    const held = fields[field] ?? [];
    const isNew = held.length < 2 && held.every(({ compared }) => compared !== value.compared);
    if (isNew) fields = { ...fields, [field]: [...held, value] };
  }
  if (added.length === 0 && fields === group.fields) return group;
  return { ...group, identities: [...group.identities, ...added], fields };
}

function wantedBy(row: number, { own, custom, list }: Wish, compared: Compared['own']): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const [name, comparable] of Object.entries(compared)) {
    const [text] = own[name] ?? [];
    if (text !== undefined) wanted.set(name, { row, shown: text.trim(), compared: comparable(text.trim()) });
  }
  for (const value of custom) wanted.set(customName(value), { row, ...named(value) });
  for (const value of list) wanted.set(listName(value), { row, ...named(value) });
  return wanted;
}

const customName = ({ name }: NamedValue) => `custom field ${name}`;
const listName = ({ name }: NamedValue) => `list field ${name}`;

function named({ value, data_type }: NamedValue): Omit<Wanted, 'row'> {
  const shown = Array.isArray(value) ? value.map(plain).join('; ') : plain(value);
  if (data_type === 'datetime') return { shown, compared: String(Date.parse(shown)) };
  const isEmail = data_type === 'user' || (data_type === 'contact' && shown.includes('@'));
  if (isEmail) return { shown, compared: shown.toLowerCase() };
  return { shown, compared: JSON.stringify(value) };
}

function sentenceOf(field: string, own: Wanted, other: Wanted): string {
  const [first, second] = own.row < other.row ? [own, other] : [other, own];
  return `${field}: row ${first.row} has "${first.shown}" and row ${second.row} has "${second.shown}"; it was not written.`;
}

function without(wish: Wish, fields: ReadonlyMap<string, unknown>): Wish {
  const { own, custom, list } = wish;
  return {
    ...wish,
    own: Object.fromEntries(Object.entries(own).filter(([name]) => !fields.has(name))),
    custom: custom.filter((value) => !fields.has(customName(value))),
    list: list.filter((value) => !fields.has(listName(value))),
  };
}
