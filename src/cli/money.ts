import { Failure } from '../contract/errors.ts';
import type { Option } from './options.ts';

/** An amount of money, given as a decimal with at most two places, as whole cents. */
export function money(summary: string): Option<number | undefined> {
  return { summary, value: 'AMOUNT', read: centsOf };
}

/** `1200.5` -> 120050, digit by digit: a floating-point product would lose cents. */
function centsOf(given: string): number {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d{1,2}))?$/.exec(given) ?? [];
  const cents = whole === undefined ? Number.NaN : Number(`${whole}${decimals.padEnd(2, '0')}`);
  if (Number.isSafeInteger(cents)) return cents;
  const isHuge = whole !== undefined;
  throw new Failure(
    'usage',
    `"${given}" is ${isHuge ? 'more than the interface can hold' : 'not an amount'}.`,
    {
      hint: isHuge ? 'At the most 90071992547409.91.' : 'Type it as 1200 or 1200.50.',
    },
  );
}
