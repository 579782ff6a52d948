import { isSameValue, readDataType } from '../contract/field-types.ts';
import type { NamedValue, RowPlan } from './mapping.ts';

/** A row that was matched with its record. */
export interface MatchedRow {
  readonly row: number;
  readonly plan: RowPlan;
  /** Whether an interrupted run has imported it. */
  readonly isCompleted: boolean;
}

/** All rows about one record, in order. `key`: the id of the record, or another text for a new one. */
export interface RowGroup {
  readonly key: string;
  readonly rows: readonly MatchedRow[];
}

/** Collects the rows about each record. They are stored as JSON, which takes less memory than objects. */
export class RowGroups {
  readonly #rows = new Map<string, string[]>();

  add(key: string, row: MatchedRow): void {
    const rows = this.#rows.get(key);
    const json = JSON.stringify(row);
    if (rows) rows.push(json);
    else this.#rows.set(key, [json]);
  }

  /** Yields the groups in the order of their first rows. */
  *list(): Generator<RowGroup> {
    for (const [key, rows] of this.#rows) yield { key, rows: rows.map((json) => JSON.parse(json)) };
  }
}

/** Whether two values of a field mean the same. */
type Comparison = (left: unknown, right: unknown) => boolean;

/** The own columns with one value. Rows about one record must not differ in them. */
export type ComparedColumns = Readonly<Record<string, Comparison>>;

/** The value of a row for a field with one value, or for a custom field or list field. */
interface ComparedValue {
  readonly row: number;
  /** The name of the field in a message. */
  readonly field: string;
  readonly value: unknown;
  readonly isSame: Comparison;
}

/** Sentences about the fields of a row for which another row has a different value, by the name of the field. */
type Contradictions = ReadonlyMap<string, string>;

/** Returns a function that finds the contradictions of a row with the other rows about its record. */
export function compareRows(
  rows: readonly MatchedRow[],
  compared: ComparedColumns,
): (row: MatchedRow) => Contradictions {
  /** The first value of each field, and the first one that differs from it. */
  const known = new Map<string, ComparedValue[]>();
  for (const value of rows.flatMap((row) => listValues(row, compared))) {
    const values = known.get(value.field) ?? [];
    if (values.length < 2 && !values.some((earlier) => value.isSame(earlier.value, value.value)))
      known.set(value.field, [...values, value]);
  }
  return (row) =>
    new Map(
      listValues(row, compared).flatMap((value): [string, string][] => {
        const other = known.get(value.field)?.find((earlier) => !value.isSame(earlier.value, value.value));
        return other ? [[value.field, describeContradiction(value, other)]] : [];
      }),
    );
}

function listValues({ row, plan }: MatchedRow, compared: ComparedColumns): ComparedValue[] {
  const { own, custom, list } = plan;
  const ownValues = Object.entries(compared).flatMap(([field, isSame]) =>
    (own[field] ?? []).slice(0, 1).map((text) => ({ row, field, value: text.trim(), isSame })),
  );
  const toCompared = (toName: (value: NamedValue) => string) => (named: NamedValue) => ({
    row,
    field: toName(named),
    value: named.value,
    isSame: createComparison(named),
  });
  return [...ownValues, ...custom.map(toCompared(nameCustomField)), ...list.map(toCompared(nameListField))];
}

/** A field of type contact may have an id or an email address. */
function createComparison({ data_type, value }: NamedValue): Comparison {
  const isEmail = data_type === 'contact' && String(value).includes('@');
  const type = isEmail ? 'email' : readDataType(data_type);
  return (left, right) => isSameValue(left, right, type);
}

const nameCustomField = ({ name }: NamedValue) => `custom field ${name}`;
const nameListField = ({ name }: NamedValue) => `list field ${name}`;

function describeContradiction(value: ComparedValue, other: ComparedValue): string {
  const [first, second] = value.row < other.row ? [value, other] : [other, value];
  return `${value.field}: row ${first.row} has "${formatText(first)}" and row ${second.row} has "${formatText(second)}"; it was not written.`;
}

const formatText = ({ value }: ComparedValue) => [value].flat().join('; ');

/** Returns a plan without some fields. */
export function removeFields(plan: RowPlan, fields: ReadonlyMap<string, unknown>): RowPlan {
  const { own, custom, list } = plan;
  return {
    ...plan,
    own: Object.fromEntries(Object.entries(own).filter(([name]) => !fields.has(name))),
    custom: custom.filter((value) => !fields.has(nameCustomField(value))),
    list: list.filter((value) => !fields.has(nameListField(value))),
  };
}

/** Returns the values of all rows for each own column. */
export function combineOwn(rows: readonly { readonly plan: RowPlan }[]): RowPlan {
  const own: Record<string, string[]> = {};
  for (const { plan } of rows)
    for (const [name, texts] of Object.entries(plan.own)) own[name] = [...(own[name] ?? []), ...texts];
  return { own, custom: [], list: [] };
}
