import sql, { raw, type Sql } from 'sql-template-tag';

/** A list of values that is one parameter, so that lists of any length have the same text. */
export class ValueList {
  readonly values: readonly (string | number)[];

  constructor(values: readonly (string | number)[]) {
    this.values = values;
  }
}

/** Why a row is locked: `update`, because the transaction will change it; `share`, because it relies on its values. */
type LockStrength = 'update' | 'share';

/** The place of a row lock in a statement. */
class RowLock {
  readonly strength: LockStrength;

  constructor(strength: LockStrength) {
    this.strength = strength;
  }
}

/** At the end of a select: locks its rows until the transaction ends, so that only this transaction can change them. */
export const forUpdate = sql`${new RowLock('update')}`;

/** At the end of a select: until the transaction ends, no transaction changes its rows, but others may lock them too. */
export const forShare = sql`${new RowLock('share')}`;

/** The condition that a column holds one of some values. */
export const isIn = (column: string, values: readonly (string | number)[]): Sql =>
  sql`${raw(column)} ${new ValueList(values)}`;

/** Whether the statement that begins with a text only reads. */
export const isRead = (text = ''): boolean => /^\s*(select|with)\b/i.test(text);

/** The parts of SQL that differ between engines. */
export interface Dialect {
  /** Returns the placeholder of a parameter by its number, from 1. */
  readonly parameter: (number: number) => string;
  /** The rest of the condition that a column holds one value of a list, which is a parameter. */
  readonly isInList: (parameter: string) => string;
  /** The value of this parameter. */
  readonly toListParameter: (values: readonly (string | number)[]) => unknown;
  readonly locks: Readonly<Record<LockStrength, string>>;
  /** The function that creates a JSON object from names and values. */
  readonly jsonObject: string;
  /** The JSON array of the values that an expression has in all rows. */
  readonly jsonArray: (item: string) => string;
}

/** Returns the text of a statement for an engine. `before` is the number of parameters in front of it. */
export function renderText({ strings, values }: Sql, dialect: Dialect, before = 0): string {
  let text = strings[0] ?? '';
  let number = before;
  values.forEach((value: unknown, index) => {
    if (value instanceof RowLock) text += dialect.locks[value.strength];
    else {
      number += 1;
      const parameter = dialect.parameter(number);
      text += value instanceof ValueList ? dialect.isInList(parameter) : parameter;
    }
    text += strings[index + 1];
  });
  return text;
}

/** Returns the parameters of a statement for an engine. */
export function renderParameters(values: readonly unknown[], dialect: Dialect): unknown[] {
  const parameters: unknown[] = [];
  for (const value of values) {
    if (value instanceof RowLock) continue;
    parameters.push(value instanceof ValueList ? dialect.toListParameter(value.values) : value);
  }
  return parameters;
}
