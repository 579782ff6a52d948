/**
 * `1200.5` -> 120050, digit by digit: a floating-point product would lose cents. Undefined for what is no amount,
 * or more than the interface can hold.
 */
export function centsIn(text: string): number | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const cents = whole === undefined ? Number.NaN : Number(`${whole}${decimals.padEnd(2, '0')}`);
  return Number.isSafeInteger(cents) ? cents : undefined;
}
