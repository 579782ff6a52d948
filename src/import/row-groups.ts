import { isSameValue, readDataType } from '../contract/field-types.ts';
import type { NamedValue, RowPlan } from './mapping.ts';

/** A row that was matched with its record. */
export interface MatchedRow {
  readonly row: number;
  readonly plan: RowPlan;
  /** Whether an interrupted run has imported it. */
  readonly isCompleted: boolean;
}

/** All rows about one record, in order. `key`: the id of the record, or another text for a new record. */
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

  /** Removes the groups and yields them in the order of their first rows, so that written groups take no memory. */
  *takeAll(): Generator<RowGroup> {
    for (const [key, rows] of this.#rows) {
      this.#rows.delete(key);
      yield { key, rows: rows.map((json) => JSON.parse(json)) };
    }
  }
}

type Comparison = (left: unknown, right: unknown) => boolean;

/** The own columns with one value, in which rows about one record must not differ. */
export type ComparedColumns = Readonly<Record<string, Comparison>>;

/** The value of a row for a field with one value, or for a custom field or list field. */
interface ComparedValue {
  readonly row: number;
  /** The name of the field in a message. */
  readonly field: string;
  readonly value: unknown;
  readonly isSame: Comparison;
}

/**
 * Returns a function that finds the contradictions of a row with the other rows about its record: a sentence for each
 * field, by field name.
 */
export function compareRows(
  rows: readonly MatchedRow[],
  comparedColumns: ComparedColumns,
): (row: MatchedRow) => ReadonlyMap<string, string> {
  /** The first value of each field, and the first value that differs from it. */
  const valuesByField = new Map<string, ComparedValue[]>();
  for (const value of rows.flatMap((row) => listValues(row, comparedColumns))) {
    const values = valuesByField.get(value.field) ?? [];
    if (values.length < 2 && !values.some((earlier) => value.isSame(earlier.value, value.value)))
      valuesByField.set(value.field, [...values, value]);
  }
  return (row) =>
    new Map(
      listValues(row, comparedColumns).flatMap((value): [string, string][] => {
        const otherValue = valuesByField
          .get(value.field)
          ?.find((earlier) => !value.isSame(earlier.value, value.value));
        return otherValue ? [[value.field, describeContradiction(value, otherValue)]] : [];
      }),
    );
}

function listValues({ row, plan }: MatchedRow, comparedColumns: ComparedColumns): ComparedValue[] {
  const { ownTexts, custom, list } = plan;
  const ownValues = Object.entries(comparedColumns).flatMap(([field, isSame]) =>
    (ownTexts[field] ?? []).slice(0, 1).map((text) => ({ row, field, value: text.trim(), isSame })),
  );
  const toCompared = (toName: (value: NamedValue) => string) => (namedValue: NamedValue) => ({
    row,
    field: toName(namedValue),
    value: namedValue.value,
    isSame: createComparison(namedValue),
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

function describeContradiction(value: ComparedValue, otherValue: ComparedValue): string {
  const [first, second] = value.row < otherValue.row ? [value, otherValue] : [otherValue, value];
  return `${value.field}: row ${first.row} has "${formatText(first)}" and row ${second.row} has "${formatText(second)}"; it was not written.`;
}

const formatText = ({ value }: ComparedValue) => [value].flat().join('; ');

/** Returns a plan without some fields. */
export function removeFields(plan: RowPlan, fields: ReadonlyMap<string, unknown>): RowPlan {
  const { ownTexts, custom, list } = plan;
  return {
    ...plan,
    ownTexts: Object.fromEntries(Object.entries(ownTexts).filter(([name]) => !fields.has(name))),
    custom: custom.filter((value) => !fields.has(nameCustomField(value))),
    list: list.filter((value) => !fields.has(nameListField(value))),
  };
}

/** Returns the values of all rows for each own column. */
export function combineOwnTexts(rows: readonly { readonly plan: RowPlan }[]): RowPlan {
  const ownTexts: Record<string, string[]> = {};
  for (const { plan } of rows)
    for (const [name, texts] of Object.entries(plan.ownTexts))
      ownTexts[name] = [...(ownTexts[name] ?? []), ...texts];
  return { ownTexts, custom: [], list: [] };
}
