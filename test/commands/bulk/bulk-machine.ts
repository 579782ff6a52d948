import { startControlledMachine } from '../../import/controlled-service.ts';
import { createDemoMachine, type MachineOptions } from '../../support/kith.ts';

/** A line of results. */
export interface ResultLine {
  readonly id: string;
  readonly status: string;
  readonly error?: { readonly code: string; readonly message: string };
  readonly record?: Readonly<Record<string, unknown>>;
}

/** Parses NDJSON. */
export const parseLines = (text: string): ResultLine[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** Returns the statuses of results, in order. */
export const readStatuses = (text: string) => parseLines(text).map(({ status }) => status);

const recorded = { KITH_UNDO: 'auto' };

/** A machine on the sample workspace that records commands as it does by default. */
export function createRecordedDemo() {
  const kith = createDemoMachine();
  return (line: string | readonly string[], options: MachineOptions = {}) =>
    kith(line, { ...options, env: { ...recorded, NO_COLOR: '1', ...options.env } });
}

/** A machine on a service with contacts; a test controls the responses. */
export async function createControlledContacts(count: number) {
  const machine = await startControlledMachine(recorded);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push(await machine.create('contacts', { first_name: `이름${index}` }));
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine.kith(line, { stdin: ids.join('\n'), ...options });
  return { ...machine, ids, kith };
}
