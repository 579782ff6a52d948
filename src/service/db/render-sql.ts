import sql, { raw, type Sql } from 'sql-template-tag';
import type { Queries } from './database.ts';

/** A list of values that is one parameter, so that lists of any length have the same text. */
export class ValueList {
  readonly values: readonly (string | number)[];

  constructor(values: readonly (string | number)[]) {
    this.values = values;
  }
}

/** A part of a statement that each engine renders differently. */
export class EngineText {
  readonly render: (dialect: Dialect) => string;

  constructor(render: (dialect: Dialect) => string) {
    this.render = render;
  }
}

/** Locks the rows of a select until the transaction ends, so that only this transaction can change them. */
export const forUpdate = sql`${new EngineText(({ lockForUpdate }) => lockForUpdate)}`;

/**
 * Protects the rows of a select from changes until the transaction ends. Other transactions may lock them in the same
 * way.
 */
export const forShare = sql`${new EngineText(({ lockForShare }) => lockForShare)}`;

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
  readonly lockForUpdate: string;
  readonly lockForShare: string;
  /** The expression for the value of a column, which is not null, as JSON that equals JSON.stringify. */
  readonly quote: (column: string) => string;
}

function renderText({ strings, values }: Sql, dialect: Dialect): string {
  let text = strings[0] ?? '';
  let number = 0;
  values.forEach((value: unknown, index) => {
    if (value instanceof EngineText) text += value.render(dialect);
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
function renderParameters(values: readonly unknown[], dialect: Dialect): unknown[] {
  const parameters: unknown[] = [];
  for (const value of values) {
    if (value instanceof EngineText) continue;
    parameters.push(value instanceof ValueList ? dialect.toListParameter(value.values) : value);
  }
  return parameters;
}

/** The result of a statement: all rows, the first row, or the number of changed rows. */
export type Result = 'all' | 'first' | 'run';

export type Execute = (result: Result, text: string, parameters: readonly unknown[]) => Promise<unknown>;

/** Creates an engine's queries. A statement that runs with different values is rendered once. */
export function createQueries(dialect: Dialect, execute: Execute): Queries {
  const texts = new WeakMap<Sql, string>();
  const renderOnce = (statement: Sql) => {
    const text = texts.get(statement) ?? renderText(statement, dialect);
    texts.set(statement, text);
    return text;
  };
  const query = (result: Result, statement: Sql, values?: readonly unknown[]) =>
    execute(
      result,
      values ? renderOnce(statement) : renderText(statement, dialect),
      renderParameters(values ?? statement.values, dialect),
    );
  // The callers name the types of the rows.
  return {
    all: <Row>(statement: Sql) => query('all', statement) as Promise<Row[]>,
    first: <Row>(statement: Sql, values?: readonly unknown[]) =>
      query('first', statement, values) as Promise<Row | undefined>,
    run: (statement) => query('run', statement) as Promise<number>,
  };
}
