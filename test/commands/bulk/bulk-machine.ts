import { startControlledService } from '../../import/controlled-service.ts';
import { createDemoMachine, createMachine, type MachineOptions } from '../../support/kith.ts';

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
  const service = await startControlledService();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { id } = await service.sendOk<{ id: string }>('POST /v1/contacts', { first_name: `이름${index}` });
    ids.push(id);
  }
  const machine = createMachine();
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, {
      stdin: ids.join('\n'),
      ...options,
      env: { ...service.env, ...recorded, ...options.env },
    });
  return { ...service, ids, kith };
}
