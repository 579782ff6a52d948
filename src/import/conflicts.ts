import { mayBeSameNumber } from '../values/phone.ts';
import type { NamedValue, RowPlan } from './mapping.ts';
import { type Identity, RecordIndex } from './record-index.ts';

/** The fields of rows about one record that must not differ. */
export interface ComparedFields {
  /** Returns the identities of a row in the order of matching: emails, then phone numbers. */
  readonly identifyPlan: (plan: RowPlan) => readonly (readonly Identity[])[];
  /** The own columns with one value, each with a function that returns equal texts for equal values. */
  readonly compared: Readonly<Record<string, (text: string) => string>>;
}

/** A value of a row; `compared` is equal for values with the same meaning. If omitted, the text is compared. */
interface WantedValue {
  readonly row: number;
  readonly text: string;
  readonly compared?: string;
}

/** Rows about one record. Each field has the first value, and the first value that differs from it. */
interface RowGroup {
  readonly id: string;
  readonly identities: readonly Identity[];
  readonly fields: Readonly<Record<string, readonly WantedValue[]>>;
}

/** Finds rows about one record with different values for a field. */
export type ConflictFinder = ReturnType<typeof createConflictFinder>;

export function createConflictFinder({ identifyPlan, compared }: ComparedFields) {
  const index = new RecordIndex<RowGroup>((group) => group.identities.map(({ key }) => key));
  const findGroups = (identities: readonly Identity[]) => {
    const groups = identities.flatMap((identity) =>
      index
        .find(identity.key)
        .filter((group) => group.identities.some((one) => isSameIdentity(one, identity))),
    );
    return [...new Map(groups.map((group) => [group.id, group])).values()];
  };
  return {
    add(row: number, plan: RowPlan): void {
      const values = readValues(row, plan, compared);
      if (values.size === 0) return;
      const kinds = identifyPlan(plan);
      const [group, ...others] = kinds.map(findGroups).find((groups) => groups.length > 0) ?? [];
      // A row that matches several records is refused, and conflicts with none.
      if (others.length > 0) return;
      index.put(addRow(group ?? { id: String(row), identities: [], fields: {} }, kinds.flat(), values));
    },
    /**
     * Returns a sentence for each field for which another row about the same record has another value. `identities` are
     * those of the matched record.
     */
    find(row: number, plan: RowPlan, identities: readonly Identity[]): Map<string, string> {
      const groups = findGroups([...identifyPlan(plan).flat(), ...identities]);
      const conflicts = new Map<string, string>();
      for (const [field, value] of readValues(row, plan, compared)) {
        const values = groups.flatMap(({ fields }) => fields[field] ?? []);
        const other = values.find((one) => !isSameValue(one, value));
        if (other) conflicts.set(field, formatConflict(field, value, other));
      }
      return conflicts;
    },
  };
}

const isSameIdentity = (one: Identity, other: Identity) =>
  one.key === other.key &&
  (one.number === other.number ||
    (one.number !== undefined && other.number !== undefined && mayBeSameNumber(one.number, other.number)));

function addRow(
  group: RowGroup,
  identities: readonly Identity[],
  values: ReadonlyMap<string, WantedValue>,
): RowGroup {
  const isNewIdentity = ({ key, number }: Identity) =>
    !group.identities.some((one) => one.key === key && one.number === number);
  const fields = { ...group.fields };
  for (const [field, value] of values) {
    const known = fields[field] ?? [];
    const isNew = known.length < 2 && known.every((one) => !isSameValue(one, value));
    if (isNew) fields[field] = [...known, value];
  }
  return { ...group, identities: [...group.identities, ...identities.filter(isNewIdentity)], fields };
}

function readValues(
  row: number,
  { own, custom, list }: RowPlan,
  compared: ComparedFields['compared'],
): Map<string, WantedValue> {
  const values = new Map<string, WantedValue>();
  const add = (name: string, text: string, normalized: string) =>
    // An import holds the values of all rows.
    values.set(name, { row, text, ...(normalized !== text && { compared: normalized }) });
  for (const [name, normalize] of Object.entries(compared)) {
    const text = own[name]?.[0]?.trim();
    if (text !== undefined) add(name, text, normalize(text));
  }
  for (const value of custom) add(nameCustomField(value), ...compareNamedValue(value));
  for (const value of list) add(nameListField(value), ...compareNamedValue(value));
  return values;
}

const nameCustomField = ({ name }: NamedValue) => `custom field ${name}`;
const nameListField = ({ name }: NamedValue) => `list field ${name}`;

/** Returns the text of a value, and a text that is equal for values with the same meaning. */
function compareNamedValue({ value, data_type }: NamedValue): [string, string] {
  const text = Array.isArray(value) ? value.join('; ') : String(value);
  if (data_type === 'datetime') return [text, String(Date.parse(text))];
  const isEmail = data_type === 'user' || (data_type === 'contact' && text.includes('@'));
  if (isEmail) return [text, text.toLowerCase()];
  return [text, typeof value === 'string' ? text : JSON.stringify(value)];
}

const isSameValue = (one: WantedValue, other: WantedValue) =>
  (one.compared ?? one.text) === (other.compared ?? other.text);

function formatConflict(field: string, own: WantedValue, other: WantedValue): string {
  const [first, second] = own.row < other.row ? [own, other] : [other, own];
  return `${field}: row ${first.row} has "${first.text}" and row ${second.row} has "${second.text}"; it was not written.`;
}

/** Returns a plan without the fields that have a conflict. */
export function removeFields(plan: RowPlan, fields: ReadonlyMap<string, unknown>): RowPlan {
  const { own, custom, list } = plan;
  return {
    ...plan,
    own: Object.fromEntries(Object.entries(own).filter(([name]) => !fields.has(name))),
    custom: custom.filter((value) => !fields.has(nameCustomField(value))),
    list: list.filter((value) => !fields.has(nameListField(value))),
  };
}
