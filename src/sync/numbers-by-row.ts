/** A number for each row that has one, in eight bytes a row. */
export interface NumbersByRow {
  set(row: number, value: number): void;
  /** undefined: it has none. */
  get(row: number): number | undefined;
}

/** No numbers yet. */
export function numbersByRow(): NumbersByRow {
  let values = new Float64Array(1024).fill(Number.NaN);
  return {
    set(row, value) {
      if (row >= values.length) {
        const grown = new Float64Array(Math.max(row + 1, values.length * 2)).fill(Number.NaN);
        grown.set(values);
        values = grown;
      }
      values[row] = value;
    },
    get(row) {
      const value = values[row];
      return value === undefined || Number.isNaN(value) ? undefined : value;
    },
  };
}
