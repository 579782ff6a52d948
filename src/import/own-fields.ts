import { findColumnHeaders } from '../contract/column-headers.ts';
import type { RecordField } from '../contract/field-table.ts';
import { cleanValue, isSameValue, parseValue, readMember } from '../contract/field-types.ts';
import { listFieldNames, listWritable } from '../contract/list-fields.ts';
import { isUnknownList } from '../contract/received.ts';
import type { ListedNoun } from '../contract/singular-nouns.ts';
import { isSameFieldValue, listMissing } from '../records/compare.ts';
import { readTexts } from '../values/field-values.ts';
import type { Values } from '../writes/values.ts';
import type { OwnColumn, OwnColumns, RowPlan } from './mapping.ts';
import { Refusal } from './outcome.ts';
import type { ComparedColumns } from './row-groups.ts';

/** Whether a column may refer to a record by name. Only the noun's importer resolves such references. */
const isNamedReference = ({ key, name }: RecordField) => name !== undefined && key === `${name}_id`;

/** Returns the built-in fields that an import writes. */
export const listImported = (noun: ListedNoun) => listWritable(noun, 'update');

const getColumn = ({ key, name = key }: RecordField) => name;

/** Returns the column names of a field: for a reference, one for names and one for ids. */
const listColumns = (field: RecordField) =>
  isNamedReference(field) ? [getColumn(field), field.key] : [getColumn(field)];

/** Returns the columns of fields, by default of the fields that an import writes. */
export function createColumns(noun: ListedNoun, fields = listImported(noun)): OwnColumns {
  const columns = fields.flatMap((field) => {
    const headers = findColumnHeaders(noun, field.key);
    const isReference = isNamedReference(field);
    return listColumns(field).map((name) => [
      name,
      // A guessed column refers to a record by its name.
      {
        ...(!isReference && createColumn(field)),
        headers: name === `${field.name}_id` ? undefined : headers,
      },
    ]);
  });
  return Object.fromEntries(columns);
}

/** Creates a field's column. Amounts are decimal numbers in a column, and cents in a record. */
function createColumn(field: RecordField): OwnColumn {
  const { key, type, listUpdate, body = [] } = field;
  const names = [listFieldNames(field), body].flat();
  return {
    aliases: names.filter((name) => name !== getColumn(field) && !(type === 'money' && name === key)),
    ...(listUpdate && { isMultiple: true }),
    type,
    parse: (text) => cleanValue(text, field),
    check: (text) => {
      const parsed = parseValue(text.trim(), field);
      return 'expected' in parsed ? parsed.expected : undefined;
    },
  };
}

/** Returns a row's values for built-in fields, in the form of a request body. */
export function readOwnValues(noun: ListedNoun, { ownTexts }: Pick<RowPlan, 'ownTexts'>): Values {
  const values = listImported(noun).flatMap((field): [string, unknown][] => {
    const texts = isNamedReference(field) ? undefined : ownTexts[getColumn(field)];
    const { key, body = key, listUpdate } = field;
    return texts ? [[body, listUpdate ? texts : readText(texts[0] ?? '', field)]] : [];
  });
  return Object.fromEntries(values);
}

/** Parses a validated text. Only text fields keep surrounding spaces. */
function readText(text: string, field: RecordField): unknown {
  const parsed = parseValue(field.type === 'text' ? text : text.trim(), field);
  return 'value' in parsed ? parsed.value : undefined;
}

/**
 * Returns the values of a row that a record does not have yet. For a field with several values, returns the values to
 * send so that the record has all of them.
 * @throws {Refusal} if they would replace a list that the service did not return
 */
export const findNewValues = (noun: ListedNoun, plan: Pick<RowPlan, 'ownTexts'>, record: Values): Values =>
  findChangedFields(noun, readOwnValues(noun, plan), record);

/** Returns the built-in fields of a request body that a record does not have yet; see `findNewValues`. */
export function findChangedFields(noun: ListedNoun, values: Values, record: Values): Values {
  const changes = listImported(noun).flatMap((field): [string, unknown][] => {
    const { key, body = key, type, listUpdate } = field;
    const value = values[body];
    if (value === undefined) return [];
    if (!listUpdate) {
      const stored = readMember(record[key], type) ?? null;
      return isSameFieldValue(trim(stored), trim(value), field) ? [] : [[body, value]];
    }
    if (isUnknownList(record, key))
      throw new Refusal(
        `The service did not return the ${key} of "${record.id}", so kith cannot add to them.`,
      );
    const texts = readTexts(record[key]);
    const added = listMissing(readTexts(value), texts, type);
    if (added.length === 0) return [];
    return [[body, listUpdate === 'add' ? added : [...texts, ...added]]];
  });
  return Object.fromEntries(changes);
}

const trim = (value: unknown) => (typeof value === 'string' ? value.trim() : value);

/** Returns the columns with one value, with the comparison of their types. */
export const createComparedColumns = (noun: ListedNoun): ComparedColumns =>
  Object.fromEntries(
    listImported(noun)
      .filter(({ listUpdate }) => !listUpdate)
      .flatMap((field) =>
        listColumns(field).map((name) => [
          name,
          (left: unknown, right: unknown) => isSameValue(left, right, field.type),
        ]),
      ),
  );
