import { types } from 'pg';

const { builtins } = types;

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
