import { types } from 'pg';

const { builtins } = types;

/** The casts of columns of some types in JSON, so that rows have the same values as in a workspace file. */
export const jsonCasts: ReadonlyMap<number, string> = new Map([
  [builtins.JSON, '::text'],
  [builtins.JSONB, '::text'],
  [builtins.BOOL, '::integer'],
]);

const parsers = new Map<number, (text: string) => unknown>([
  // No number here exceeds 2^53.
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.BOOL, (text) => (text === 't' ? 1 : 0)],
  [builtins.JSON, (text) => text],
  [builtins.JSONB, (text) => text],
]);

/** Parses the cells of rows: booleans as 0 or 1, JSON as its text, as in a workspace file. */
export const cellTypes = {
  getTypeParser(type: number, format?: 'text' | 'binary') {
    return parsers.get(type) ?? types.getTypeParser(type, format === 'binary' ? 'binary' : 'text');
  },
};
