/** A number for each index that has one, in eight bytes an index. */
export interface Numbers {
  set(index: number, value: number): void;
  delete(index: number): void;
  /** undefined: it has none. */
  get(index: number): number | undefined;
}

/** No numbers yet. */
export function numbers(): Numbers {
  let values = new Float64Array(1024).fill(Number.NaN);
  return {
    set(index, value) {
      if (index >= values.length) {
        const grown = new Float64Array(Math.max(index + 1, values.length * 2)).fill(Number.NaN);
        grown.set(values);
        values = grown;
      }
      values[index] = value;
    },
    delete(index) {
      if (index < values.length) values[index] = Number.NaN;
    },
    get(index) {
      const value = values[index];
      return value === undefined || Number.isNaN(value) ? undefined : value;
    },
  };
}
