import { Failure } from '../../contract/errors.ts';
import { parseCents } from '../../values/money.ts';
import type { Option } from './options.ts';

/** An amount of money, given as a decimal with at most two places, as whole cents. */
export function money(summary: string): Option<number | undefined> {
  return { summary, placeholder: 'AMOUNT', parse: centsOf };
}

function centsOf(given: string): number {
  const cents = parseCents(given);
  if (cents !== undefined) return cents;
  const isHuge = /^\d+(\.\d{1,2})?$/.test(given);
  throw new Failure(
    'usage',
    `"${given}" is ${isHuge ? 'more than the interface can hold' : 'not an amount'}.`,
    {
      hint: isHuge ? 'At the most 90071992547409.91.' : 'Type it as 1200 or 1200.50.',
    },
  );
}
