/** Whether a number goes through JSON as it was typed: it is finite, and a whole one has no more digits than fit. */
export function isExactInJson(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}
