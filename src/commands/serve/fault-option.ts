import type { Option } from '../../cli/command/options.ts';
import { Failure } from '../../contract/errors.ts';
import { type Fault, type FaultPlan, faults } from '../../contract/workspace.ts';

type Faults = Omit<FaultPlan, 'seed'>;

/** The flag for the faults that `kith serve` injects: `503:0.1,reset:0.02,slow:200ms`. */
export const faultOption: Option<Faults | undefined> = {
  summary:
    'Fail some requests to test scripts: a fault and its probability, or `slow` and a delay, comma-separated',
  placeholder: 'FAULT:P,slow:MS',
  parse: parseFaults,
};

/** @throws {Failure} usage */
function parseFaults(text: string): Faults {
  const probabilities = new Map<Fault, number>();
  let delay: number | undefined;
  for (const item of text.split(',')) {
    const [name = '', value = '', ...rest] = item.trim().split(':');
    const fault = faults.find((word) => word === name);
    if ((!fault && name !== 'slow') || rest.length > 0)
      throw createFailure(`"${item}" is not a fault. Use ${faults.join(', ')} or slow.`);
    if (fault ? probabilities.has(fault) : delay !== undefined) throw createFailure(`${name} is repeated.`);
    if (fault) probabilities.set(fault, parseProbability(item, value));
    else delay = parseDelay(item, value);
  }
  const sum = [...probabilities.values()].reduce((total, probability) => total + probability, 0);
  if (sum > 1 + 1e-9)
    throw createFailure(`The probabilities add up to ${Number(sum.toFixed(6))}, more than 1.`);
  return { probabilities: [...probabilities], delay: delay ?? 0 };
}

function parseProbability(item: string, value: string): number {
  const probability = /^(\d|\d?\.\d{1,9})$/.test(value) ? Number(value) : Number.NaN;
  if (probability <= 1) return probability;
  throw createFailure(`"${item}" needs a probability from 0 to 1.`);
}

/** Returns milliseconds. */
function parseDelay(item: string, value: string): number {
  const [, digits, unit] = /^(\d{1,7})(ms|s)$/.exec(value) ?? [];
  const delay = Number(digits) * (unit === 's' ? 1000 : 1);
  if (delay > 0 && delay <= maxDelay) return delay;
  throw createFailure(`"${item}" needs a delay from 1ms to 3600s, such as 200ms.`);
}

const maxDelay = 3_600_000;

const createFailure = (message: string) =>
  new Failure('usage', message, { hint: 'For example: --fault 503:0.1,429:0.05,reset:0.02,slow:200ms' });
