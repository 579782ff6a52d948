import { addErrorPrefix, Failure } from '../contract/errors.ts';
import type { FieldType } from '../contract/field-types.ts';
import type { JsonObject } from '../values/json-object.ts';
import { foldName } from '../values/names.ts';
import {
  type Comparator,
  type FilterContext,
  getComparator,
  type Key,
  type KeyRange,
} from './comparators.ts';
import type { Comparison, Expression } from './expression.ts';

/** A field of a record by which a list is filtered and sorted. */
export interface Field {
  readonly name: string;
  /** Other names of the field. */
  readonly aliases?: readonly string[];
  readonly type: FieldType;
  /** The only possible values, in order. */
  readonly options?: readonly string[];
  /** Set if the values depend on other records and a record may have many of them. */
  readonly isUnsortable?: true;
  /** Returns the values of a record. Null and empty values are ignored. */
  read(record: JsonObject): readonly unknown[];
  /** Returns the field completed with data from the service, such as its options. */
  define?(): Promise<Field>;
  /** Loads the data that `read` needs for some records. `ids`: the ids that the field is compared with. */
  load?(records: readonly JsonObject[], ids: readonly string[]): Promise<void>;
  /** Whether no record after the loaded records has a value. */
  isExhausted?(id: string): boolean;
}

/** Finds a field by the name in an expression. @throws {Failure} usage if there is none */
export type FieldFinder = (name: string) => Promise<Field>;

/** A comparison with the keys of its values. */
export interface CompiledComparison {
  readonly field: Field;
  readonly operator: Comparison['operator'];
  readonly ranges: readonly KeyRange[];
}

/** A compiled expression. */
export interface Filter {
  /** Loads the data for the comparisons; called before `matches`. */
  load(records: readonly JsonObject[]): Promise<void>;
  matches(record: JsonObject): boolean;
  /** Whether no record after the loaded records matches. */
  isExhausted(): boolean;
  /** The comparisons that each matching record meets: only comparisons joined by `and`. */
  readonly required: readonly CompiledComparison[];
  /** The names of the compared fields. */
  readonly fields: readonly string[];
}

type Test = (record: JsonObject) => boolean;

/** Compiles an expression. @throws {Failure} usage with the column; not_found if a reference does not exist */
export async function compileFilter(
  expression: Expression,
  findField: FieldFinder,
  context: FilterContext,
): Promise<Filter> {
  const comparisons: CompiledComparison[] = [];
  const required: CompiledComparison[] = [];
  const compile = async (expression: Expression, isRequired: boolean): Promise<Test> => {
    if (expression.kind === 'comparison') {
      const comparison = await compileComparison(expression, findField, context);
      comparisons.push(comparison);
      if (isRequired) required.push(comparison);
      return createTest(comparison);
    }
    if (expression.kind === 'not') {
      const test = await compile(expression.operand, false);
      return (record) => !test(record);
    }
    const tests: Test[] = [];
    for (const operand of expression.operands)
      tests.push(await compile(operand, isRequired && expression.kind === 'and'));
    return expression.kind === 'and'
      ? (record) => tests.every((test) => test(record))
      : (record) => tests.some((test) => test(record));
  };
  const matches = await compile(expression, true);
  return {
    required,
    fields: comparisons.map(({ field }) => field.name),
    matches,
    isExhausted: () => required.some(isComparisonExhausted),
    async load(records) {
      for (const { field, ranges } of comparisons)
        await field.load?.(
          records,
          ranges.map(({ low }) => String(low)),
        );
    },
  };
}

/** @throws {Failure} usage with the column if an expression names an unknown field */
export async function checkNames(expression: Expression, findField: FieldFinder): Promise<void> {
  if (expression.kind === 'comparison')
    return void (await findField(expression.name.text).catch(addColumn(expression.name.column)));
  const operands = expression.kind === 'not' ? [expression.operand] : expression.operands;
  for (const operand of operands) await checkNames(operand, findField);
}

const isComparisonExhausted = ({ field, operator, ranges }: CompiledComparison) =>
  field.isExhausted !== undefined &&
  (operator === '=' || operator === 'in') &&
  ranges.every(({ low }) => field.isExhausted?.(String(low)));

async function compileComparison(
  { name, operator, values }: Comparison,
  findField: FieldFinder,
  context: FilterContext,
): Promise<CompiledComparison> {
  const field = await findField(name.text).catch(addColumn(name.column));
  const comparator = getComparator(field.type, field.options);
  if (!comparator.operators.includes(operator)) {
    const problem = `"${operator}" is not supported for "${field.name}"`;
    const failure = new Failure('usage', `${problem}; use ${comparator.operators.join(' ')}.`);
    throw addPosition(name.column, failure);
  }
  const ranges: KeyRange[] = [];
  for (const value of values) {
    const parse = async () => parseValue(value, operator, comparator, context);
    ranges.push(...(await parse().catch(addColumn(value.column))));
  }
  // A search for referenced records has found their ids.
  return { field, operator: operator === '~' && comparator.search ? 'in' : operator, ranges };
}

async function parseValue(
  { kind, text }: Comparison['values'][number],
  operator: Comparison['operator'],
  { parse, search }: Comparator,
  context: FilterContext,
): Promise<readonly KeyRange[]> {
  const isEquality = ['=', '!=', 'in'].includes(operator);
  // Both stand for a missing value; "null" in quotes is a string.
  const isEmpty = text === '' || (kind === 'word' && text.toLowerCase() === 'null' && isEquality);
  if (isEmpty) {
    if (isEquality) return [toRange('')];
    throw new Failure('usage', `"${operator}" requires a non-empty value.`);
  }
  if (operator === '~')
    return search ? (await search(text, context)).map(toRange) : [toRange(foldName(text))];
  const key = await parse(text, context);
  return [typeof key === 'object' ? key : toRange(key)];
}

const toRange = (key: Key): KeyRange => ({ low: key, high: key });

/** Adds a column to a usage failure. Other failures, such as those of a request, are not about the expression. */
function addPosition(column: number | undefined, error: unknown): unknown {
  const isUsage = error instanceof Failure && error.code === 'usage';
  return isUsage && column !== undefined ? addErrorPrefix(`column ${column}`, error) : error;
}

const addColumn = (column: number | undefined) => (error: unknown) => {
  throw addPosition(column, error);
};

function createTest({ field, operator, ranges }: CompiledComparison): Test {
  const { toKey, compare, isSame } = getComparator(field.type, field.options);
  const readKeys = (record: JsonObject) =>
    field.read(record).flatMap((value) => (isMissing(value) ? [] : (toKey(value) ?? [])));
  const [{ low, high, end = low } = toRange('')] = ranges;
  if (operator === '~')
    return (record) => readKeys(record).some((key) => foldName(String(key)).includes(String(low)));
  if (operator === '<') return (record) => readKeys(record).some((key) => compare(key, end) < 0);
  if (operator === '<=') return (record) => readKeys(record).some((key) => compare(key, high) <= 0);
  if (operator === '>') return (record) => readKeys(record).some((key) => compare(key, high) > 0);
  if (operator === '>=') return (record) => readKeys(record).some((key) => compare(key, low) >= 0);
  const exact = new Set(ranges.map(({ low }) => low));
  const wide = ranges.filter(({ low, high }) => low !== high);
  const isEqual: Test = (record) => {
    const keys = readKeys(record);
    if (keys.length === 0) return exact.has('');
    return keys.some(
      (key) =>
        exact.has(key) ||
        wide.some(({ low, high }) => key > low && key <= high) ||
        (isSame !== undefined && ranges.some(({ low }) => isSame(key, low))),
    );
  };
  return operator === '!=' ? (record) => !isEqual(record) : isEqual;
}

/** Whether a value is null or empty, so that its field counts as missing. */
export const isMissing = (value: unknown) => value === undefined || value === null || value === '';
