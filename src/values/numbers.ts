/** Parses a decimal number, which may have an exponent; NaN if the text is not a number. */
export const parseNumber = (text: string): number =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;

/** Whether JSON keeps a number exactly: it is finite, and an integer fits into a double. */
export function isExactInJson(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}
