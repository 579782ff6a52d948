import { Failure } from '../contract/errors.ts';
import type { NamedDefinition } from '../contract/field-table.ts';
import {
  type DataType,
  describeMismatch,
  type FieldType,
  parseValue,
  readDataType,
} from '../contract/field-types.ts';
import { splitFieldValues, splitValues, unescapeFormula } from '../render/cells.ts';
import { formatHeaderName, parseFieldHeader, stripPrefix } from '../render/field-headers.ts';
import { cleanEnds, removeInvisible } from '../values/clean-text.ts';
import { isDate, isDateTime, isEmptyDate } from '../values/dates.ts';
import { isUrl } from '../values/domain.ts';
import { findNamed } from '../values/names.ts';
import { isExactInJson } from '../values/numbers.ts';
import { quote } from '../values/text.ts';
import { findBodyErrors, type RowBody } from './body-errors.ts';
import {
  createCandidateFinder,
  findIntendedHeader,
  type GuessedColumn,
  guessTargets,
  listTargetKeys,
  mayHaveSeveral,
} from './guess-columns.ts';
import type { Row, Table } from './table.ts';

/** A column of a built-in field. */
export interface OwnColumn {
  readonly aliases?: readonly string[];
  /** Headers by which the column is guessed, separated by commas. */
  readonly headers?: string | undefined;
  /** Whether a cell may have several values, separated by `;` or as values of `type` are. */
  readonly isMultiple?: true;
  readonly type?: FieldType;
  /** Converts a text to the value to send. The value is checked afterwards. Default: removes invisible characters. */
  readonly parse?: (text: string) => string;
  /** Describes valid texts if the text is invalid; undefined otherwise. */
  readonly check?: (text: string) => string | undefined;
  /** Splits a cell into the values of other own columns. */
  readonly split?: { readonly columns: readonly string[]; readonly read: (text: string) => object };
}
export type OwnColumns = Readonly<Record<string, OwnColumn>>;

/** The field for the cells of a column. */
export type FieldTarget =
  | { readonly kind: 'own'; readonly name: string }
  | { readonly kind: 'custom' | 'list'; readonly field: NamedDefinition };

/** undefined if the column is ignored or has no field. */
export type Target = FieldTarget | undefined;

/** The fields that columns may be mapped to. */
export interface ColumnModel {
  /** The kind of record in a sentence: `a contact`. */
  readonly subject: string;
  readonly ownColumns: OwnColumns;
  /** Columns of an export that are ignored. */
  readonly readOnly: readonly string[];
  /** The definitions of custom fields, or of the list's fields for entries. */
  readonly fields: readonly NamedDefinition[];
  readonly kind: 'custom' | 'list';
  /** The fields of the list for --list. */
  readonly listFields: readonly NamedDefinition[];
  /** Returns the bodies of the requests that a row may need. */
  readonly planBodies: (plan: RowPlan) => readonly RowBody[];
}

/** The mapping of columns to fields by flags. */
export interface Mapping {
  readonly map: readonly (readonly [column: string, field: string])[];
  readonly ignore: readonly string[];
  readonly listField: readonly (readonly [column: string, field: string])[];
}

/** The targets of the columns of a file. */
interface ResolvedColumns {
  readonly targets: readonly Target[];
  readonly guesses: readonly GuessedColumn[];
  /** The columns without a field. */
  readonly unknownColumns: readonly string[];
}

/**
 * Returns the target of each column. A field with the exact name of a column has precedence over a guess.
 * @throws {Failure} usage if a flag names an unknown column or field, or two columns have the same target
 */
export function resolveTargets(
  columns: readonly string[],
  model: ColumnModel,
  mapping: Mapping,
): ResolvedColumns {
  const mapped = [...mapping.map, ...mapping.listField].map(([name]) => name);
  for (const name of [...mapped, ...mapping.ignore]) {
    if (columns.some((column) => isNamed(column, name))) continue;
    const hint = `Its columns are ${columns.join(', ')}.`;
    throw new Failure('usage', `The file has no column "${name}".`, { hint });
  }
  const findField = (pairs: Mapping['map'], column: string) =>
    pairs.findLast(([name]) => isNamed(column, name))?.[1];
  const unknownColumns: string[] = [];
  const exactTargets = columns.map((column): Target => {
    if (column === '' || mapping.ignore.some((name) => isNamed(column, name))) return undefined;
    const listField = findField(mapping.listField, column);
    if (listField !== undefined) return { kind: 'list', field: findListField(listField, model) };
    const field = findField(mapping.map, column);
    if (field === undefined && isNameColumn(column, columns)) return undefined;
    const target = findTarget(field ?? column, model, field === undefined);
    if (target && target !== 'ignored') return target;
    if (field !== undefined)
      throw new Failure('usage', `--map: ${model.subject} has no field "${field}".`, {
        hint: listAvailableFields(model),
      });
    if (!target) unknownColumns.push(column);
    return undefined;
  });
  rejectDuplicates(columns, exactTargets, model.ownColumns);
  // The headers of an export are exact: a header that looks like another field names a custom field.
  const guessable = isExport(columns, model) ? [] : unknownColumns;
  const guesses = guessTargets(columns, exactTargets, guessable, model);
  const findGuess = (column: string) => guesses.find((guess) => guess.column === column)?.target;
  return {
    targets: exactTargets.map((target, index) => target ?? findGuess(columns[index] ?? '')),
    guesses,
    unknownColumns: unknownColumns.filter((column) => !findGuess(column)),
  };
}

/** Whether a file is an export of kith with all fields. */
export const isExport = (columns: readonly string[], { readOnly }: Pick<ColumnModel, 'readOnly'>): boolean =>
  readOnly.every((name) => columns.includes(name));

/** Whether a column of an export has the names of the records whose ids another column has. */
function isNameColumn(column: string, columns: readonly string[]): boolean {
  const member = /^(.+)\.name$/.exec(column)?.[1];
  const idColumns = [member, `${member}_id`, 'entryable_id'];
  return member !== undefined && columns.some((other) => idColumns.includes(parseFieldHeader(other).name));
}

/** Headers are short: a long text is a value. */
const maxHeaderLength = 100;

/** Returns a function that tells whether a text is the header of a field, or a flag names it. */
export function createHeaderTest(model: ColumnModel, mapping: Mapping): (text: string) => boolean {
  const findCandidates = createCandidateFinder(model);
  const named = [...mapping.map, ...mapping.listField].map(([name]) => name).concat(mapping.ignore);
  return (text) =>
    text !== '' &&
    text.length <= maxHeaderLength &&
    (named.some((name) => isNamed(text, name)) ||
      findTarget(text, model, true) !== undefined ||
      findCandidates(text).length > 0);
}

/** Whether a flag names a column, by its whole header or by the name before the type. */
function isNamed(column: string, name: string): boolean {
  return column === name || parseFieldHeader(column).name === name;
}

/**
 * Returns the target of a name. An exact name has precedence over a variant such as `First Name`. A header that several
 * fields share is only guessed.
 */
function findTarget(name: string, model: ColumnModel, isHeader: boolean): Target | 'ignored' {
  const header = name.toLowerCase();
  const ownColumns = Object.entries(model.ownColumns).filter(([, { split }]) => !(isHeader && split));
  const own = findOwnColumn(header, ownColumns);
  if (own) return own;
  if (model.readOnly.includes(header)) return 'ignored';
  const findField = (fieldName: string) => findNamed(model.fields, fieldName, (field) => field.name);
  const field = findField(parseFieldHeader(name).name) ?? findField(stripPrefix(name));
  return field ? { kind: model.kind, field } : findOwnColumn(header.replace(/[\s-]+/g, '_'), ownColumns);
}

function findOwnColumn(header: string, columns: readonly (readonly [string, OwnColumn])[]): Target {
  const own = columns.find(([name, { aliases = [] }]) => name === header || aliases.includes(header));
  return own && { kind: 'own', name: own[0] };
}

function findListField(name: string, { listFields }: ColumnModel): NamedDefinition {
  const field = findNamed(listFields, name, (listField) => listField.name);
  if (field) return field;
  const names = listFields.map((listField) => listField.name).join(', ');
  const hint = names === '' ? undefined : `Its fields are ${names}.`;
  throw new Failure('usage', `--list-field: the list has no field "${name}".`, { hint });
}

/** Only fields with several values may come from several columns. */
function rejectDuplicates(
  columns: readonly string[],
  targets: readonly Target[],
  ownColumns: OwnColumns,
): void {
  const columnsByKey = new Map<string, string>();
  for (const [index, target] of targets.entries()) {
    const column = columns[index] ?? '';
    for (const key of target ? listTargetKeys(target, ownColumns) : []) {
      const other = columnsByKey.get(key);
      if (other !== undefined) throw createDuplicateFailure(other, column);
      columnsByKey.set(key, column);
    }
  }
}

const createDuplicateFailure = (first: string, second: string) =>
  new Failure('usage', `The columns "${first}" and "${second}" are mapped to the same field.`, {
    hint: `Ignore one of them: --ignore "${second}"`,
  });

const listAvailableFields = ({ ownColumns, fields }: ColumnModel) =>
  `Available fields: ${[...Object.keys(ownColumns), ...fields.map(({ name }) => formatHeaderName(name))].join(', ')}.`;

/** Returns the failure for columns without a field. `canCreate`: whether the command has --create-fields. */
export function describeUnknownColumns(
  columns: readonly string[],
  model: ColumnModel,
  canCreate: boolean,
): Failure {
  const names = columns.map((column) => parseFieldHeader(column).name);
  const quoted = new Intl.ListFormat('en', { type: 'conjunction' }).format(names.map((name) => `"${name}"`));
  const verb = names.length > 1 ? "don't" : "doesn't";
  const [first = ''] = names;
  const flags = [`--map "${first}=FIELD"`, `--ignore "${first}"`];
  const choices = canCreate ? `${flags.join(', ')} or --create-fields` : flags.join(' or ');
  return new Failure('usage', `${quoted} ${verb} match any field of ${model.subject}.`, {
    hint: `Pass ${choices}. ${listAvailableFields(model)}`,
  });
}

/**
 * `isCreating`: whether columns without a field become fields, so that no header has a typo.
 * @throws {Failure} usage if no column has a field, or the header of a column has a typo
 */
export function requireKnownColumns(
  name: string,
  columns: readonly string[],
  { targets, unknownColumns }: ResolvedColumns,
  model: ColumnModel,
  isCreating: boolean,
): void {
  if (isExport(columns, model)) return;
  for (const column of isCreating ? [] : unknownColumns) {
    const intended = findIntendedHeader(column, model);
    if (intended === undefined) continue;
    throw new Failure('usage', `"${column}" doesn't match any field of ${model.subject}.`, {
      hint: `Did you mean "${intended.header}"? Pass --map "${column}=${intended.field}" or --ignore "${column}".`,
    });
  }
  if (targets.some((target) => target !== undefined)) return;
  throw new Failure('usage', `${name}: no column matches a field of ${model.subject}.`, {
    hint: `Its columns are ${unknownColumns.join(', ')}. Pass --map "COLUMN=FIELD". ${listAvailableFields(model)}`,
  });
}

/**
 * Tests for data types, the most specific first. `007` is text, because a number would lose digits. Long texts and texts
 * with line breaks are of type textarea.
 */
const typeTests: readonly (readonly [DataType, (text: string) => boolean])[] = [
  [
    'number',
    (text) => /^[\d.-]+$/.test(text) && String(Number(text)) === text && isExactInJson(Number(text)),
  ],
  ['date', isDate],
  ['datetime', isDateTime],
  ['url', isUrl],
  ['text', (text) => !text.includes('\n') && text.length <= 200],
  ['textarea', () => true],
];

/** Infers the data types of columns from all their values, by column name. An empty column has type text. */
export async function inferTypes(table: Table, columns: readonly string[]): Promise<Map<string, DataType>> {
  const inferred = columns.map((column) => {
    const index = table.columns.indexOf(column);
    return { column, index, isEmpty: true, tests: typeTests };
  });
  for await (const { cells } of table.rows()) {
    for (const target of inferred) {
      const text = readCell(cells[target.index]);
      if (text.trim() === '' || isEmptyDate(text)) continue;
      target.isEmpty = false;
      target.tests = target.tests.filter(([, isType]) => isType(text));
    }
  }
  return new Map(
    inferred.map(({ column, isEmpty, tests }) => [column, (!isEmpty && tests[0]?.[0]) || 'text']),
  );
}

/** A value for a field, by the field's name. */
export interface NamedValue {
  readonly name: string;
  readonly value: unknown;
  readonly data_type: unknown;
}

/** The values in a row. An empty cell changes nothing. */
export interface RowPlan {
  /** The texts by the names of the own columns. */
  readonly ownTexts: Readonly<Record<string, readonly string[]>>;
  readonly custom: readonly NamedValue[];
  readonly list: readonly NamedValue[];
  /** The id of the row's record, if the file is the report of an earlier import. */
  readonly recordId?: string | undefined;
  /** The cells and values that are invalid, and not imported with the row. */
  readonly leftOut?: readonly LeftOutValue[];
}

/** A validation error of a row. */
export interface CellError {
  /** If omitted, the error is about the whole row. */
  readonly column?: string;
  readonly message: string;
}

/** An invalid value of a field. The other values of its row are imported. */
interface LeftOutValue extends CellError {
  /** The name of the field: an own column, a custom field or a field of the list. */
  readonly field: string;
}

export interface ParsedRow {
  readonly row: Row;
  readonly plan: RowPlan;
  /** Why the whole row is refused. */
  readonly errors: readonly CellError[];
}

const readCell = (cell = '') => cleanEnds(unescapeFormula(cell));

/** Returns a function that parses rows according to the targets of their columns. */
export function createRowParser(
  columns: readonly string[],
  targets: readonly Target[],
  { ownColumns, planBodies }: Pick<ColumnModel, 'ownColumns' | 'planBodies'>,
): (row: Row) => ParsedRow {
  const names = columns.map((column) => parseFieldHeader(column).name);
  const fields = targets.map((target) => (target?.kind === 'own' ? target.name : target?.field.name));
  const splits = targets.map((target) =>
    target?.kind === 'own' ? ownColumns[target.name]?.split : undefined,
  );
  const hasSeveral = names.map(mayHaveSeveral);
  const findColumn = (field: string) =>
    names[fields.indexOf(field)] ??
    names[splits.findIndex((split) => split?.columns.includes(field))] ??
    field;
  return (row) => {
    const ownTexts: Record<string, string[]> = {};
    const values: Record<'custom' | 'list', NamedValue[]> = { custom: [], list: [] };
    const leftOut: LeftOutValue[] = [];
    for (const [index, target] of targets.entries()) {
      const text = readCell(row.cells[index]);
      const [column, field] = [names[index] ?? '', fields[index] ?? ''];
      const isSeveral = hasSeveral[index] && splitValues(text).length > 1;
      const several = isSeveral ? `${quote(text)} names several organizations.` : undefined;
      const cellError = row.cellErrors?.[index] ?? several;
      if (target && cellError !== undefined) leftOut.push({ field, column, message: cellError });
      if (!target || cellError !== undefined || text.trim() === '' || isEmptyDate(text)) continue;
      const reject = (value: string, expected: string) => {
        leftOut.push({ field, column, message: describeMismatch(value, expected) });
      };
      if (target.kind === 'own') {
        const { isMultiple, type = 'text', check, parse = removeInvisible } = ownColumns[target.name] ?? {};
        const parts = isMultiple ? splitFieldValues(text, type) : [text];
        const texts = parts.map(parse).filter((value) => {
          const expected = check?.(value);
          if (expected !== undefined) reject(value, expected);
          return expected === undefined;
        });
        if (texts.length === 0) continue;
        ownTexts[target.name] = [...(ownTexts[target.name] ?? []), ...texts];
        for (const [part, value] of Object.entries(splits[index]?.read(removeInvisible(text)) ?? {}))
          ownTexts[part] = [value];
      } else {
        const { name, data_type } = target.field;
        const value = parseCell(text, target.field, reject);
        if (value !== undefined) values[target.kind].push({ name, value, data_type });
      }
    }
    const errors = row.error === undefined ? [] : [{ message: row.error }];
    const plan = { ownTexts, ...values, recordId: row.recordId };
    return { row, ...leaveOutInvalid({ ...plan, leftOut }, errors, { ownColumns, planBodies, findColumn }) };
  };
}

/** Checks the bodies of a row, and leaves out invalid values. An error about a whole body refuses the row. */
function leaveOutInvalid(
  plan: RowPlan & Pick<Required<RowPlan>, 'leftOut'>,
  rowErrors: readonly CellError[],
  model: Pick<ColumnModel, 'ownColumns' | 'planBodies'> & { readonly findColumn: (field: string) => string },
): Omit<ParsedRow, 'row'> {
  const { planBodies, findColumn, ownColumns } = model;
  const bodyErrors = rowErrors.length > 0 ? [] : planBodies(plan).flatMap(findBodyErrors);
  const invalid = bodyErrors.flatMap(({ field, message }): LeftOutValue[] =>
    field === undefined ? [] : [{ field, column: findColumn(field), message }],
  );
  const isKept = (name: string) => !invalid.some(({ field }) => field === name);
  const isOwnKept = (name: string) => isKept(name) && (ownColumns[name]?.split?.columns ?? []).every(isKept);
  const checked = {
    ...plan,
    ownTexts: Object.fromEntries(Object.entries(plan.ownTexts).filter(([name]) => isOwnKept(name))),
    custom: plan.custom.filter(({ name }) => isKept(name)),
    list: plan.list.filter(({ name }) => isKept(name)),
    leftOut: [...plan.leftOut, ...invalid],
  };
  const others = bodyErrors.filter(({ field }) => field === undefined);
  const isValid = invalid.length === 0 || planBodies(checked).flatMap(findBodyErrors).length === 0;
  if (rowErrors.length === 0 && others.length === 0 && isValid) return { plan: checked, errors: [] };
  const messages = others.map(({ message }) => ({ message }));
  return { plan, errors: [...rowErrors, ...checked.leftOut, ...messages] };
}

/**
 * Parses a cell for a field, which may accept several values; undefined if no value is valid. Only texts and options
 * keep the spaces around them.
 */
function parseCell(
  text: string,
  field: NamedDefinition,
  reject: (text: string, expected: string) => void,
): unknown {
  const parse = (value: string) => {
    const parsed = parseValue(value, { type: readDataType(field.data_type), options: field.options });
    if ('value' in parsed) return parsed.value;
    reject(value, parsed.expected);
    return undefined;
  };
  if (field.accepts_multiple_values === true) {
    const values = splitValues(text)
      .map(parse)
      .filter((value) => value !== undefined);
    return values.length > 0 ? values : undefined;
  }
  const isText = [undefined, null, 'text', 'textarea'].some((type) => type === field.data_type);
  const isOption = field.options?.includes(text);
  return parse(isText || isOption ? text : text.trim());
}

/** Returns the errors of a row in one line. */
export function formatErrors(errors: readonly CellError[]): string {
  return errors
    .map(({ column, message }) => (column === undefined ? message : `${column}: ${message}`))
    .join(' ');
}
