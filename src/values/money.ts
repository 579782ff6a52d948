/** Parses an amount as cents without floating point: `1200.5` -> 120050. Undefined if invalid or too large. */
export function parseCents(text: string): number | undefined {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const cents = whole === undefined ? Number.NaN : Number(`${whole}${decimals.padEnd(2, '0')}`);
  return Number.isSafeInteger(cents) ? cents : undefined;
}

/** Formats cents, a number or a text of digits: `125000` -> `1250.00`. Returns any other value unchanged. */
export function formatCents(cents: unknown): unknown {
  const isExact = Number.isSafeInteger(cents) || (typeof cents === 'string' && /^-?\d{16,}$/.test(cents));
  const [, sign = '', digits] = /^(-?)(\d+)$/.exec(String(cents)) ?? [];
  if (!isExact || digits === undefined) return cents;
  const padded = digits.padStart(3, '0');
  return `${sign}${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** Formats cents with a comma between thousands: `125000` -> `1,250.00`. Returns no text for any other value. */
export function formatAmount(cents: unknown): string {
  const amount = cents === null || cents === undefined ? '' : String(formatCents(cents));
  return amount.replace(/\B(?=(\d{3})+\.)/g, ',');
}

/** Returns a function that formats cents in a currency, as in `€1,250.00`; without one, like `formatAmount`. */
export function createAmountFormat(currency: string | undefined): (cents: number | string) => string {
  if (currency === undefined) return formatAmount;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 2 });
  return (cents) => format.format(formatCents(cents) as `${number}`); // a string keeps all digits of a large amount
}

const periodSuffixes = new Map<unknown, string>([
  ['monthly', '/mo'],
  ['annual', '/yr'],
]);

/** Formats cents with the period in which they recur: `99.00/mo`. */
export function formatRecurringAmount(cents: unknown, period: unknown): string {
  const amount = formatAmount(cents);
  return amount && `${amount}${periodSuffixes.get(period) ?? ''}`;
}
