import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { serviceInFront } from '../../import/service-in-front.ts';
import {
  type CommandResult,
  createMachine,
  createTemporaryFolder,
  type MachineOptions,
  splitWords,
} from '../../support/kith.ts';

/** A contact, an organization or an entry as a test reads it. */
export type Shown = Readonly<Record<string, unknown>>;

/** A line of a report by the names of its columns. */
export type Told = Readonly<Record<string, string>>;

/** A machine that is signed in to an empty workspace, or led to a service by `env`; with a folder for sheets. */
export async function importingMachine(setting: MachineOptions = {}) {
  const folder = createTemporaryFolder();
  const bare = createMachine(folder);
  const kith = (line: string | readonly string[], more: MachineOptions = {}) =>
    bare(line, { ...setting, ...more });
  if (!setting.env) await kith(['auth', 'login', '--local', '--database', join(folder, 'work.sqlite')]);
  const file = (name: string, text: string | Uint8Array) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const at = (name: string) => join(folder, name);
  return {
    kith,
    folder,
    database: at('work.sqlite'),
    at,
    file,
    /** What a line prints as JSON; it must end well. */
    async json<T = Shown[]>(line: string): Promise<T> {
      return JSON.parse((await good(kith, `${line} --json`)).out);
    },
    good: (line: string | readonly string[], more?: MachineOptions) => good(kith, line, more),
    /** Writes a sheet and brings it in; `flags` follow. */
    async bring(noun: string, text: string | Uint8Array, flags = '', name = 'sheet.csv') {
      return kith([...splitWords(noun), 'import', file(name, text), ...splitWords(flags)]);
    },
    /** The lines of a report. */
    report: (name = 'sheet.report.csv') => reportAt(at(name)),
  };
}

type Kith = (line: string | readonly string[], more?: MachineOptions) => Promise<CommandResult>;

async function good(
  kith: Kith,
  line: string | readonly string[],
  more?: MachineOptions,
): Promise<CommandResult> {
  const ended = await kith(line, more);
  expect({ line, ...ended, out: '' }).toEqual({ line, code: 0, out: '', err: ended.err });
  return ended;
}

/** The rows of a report by the names of its columns, with the number that each row has in a spreadsheet. */
export function reportAt(path: string): Told[] {
  const lines: Told[] = parse(readFileSync(path), { columns: true, record_delimiter: '\r\n' });
  return lines.map((line, at) => ({ ...line, row: String(at + 2) }));
}

/** The lines of the journal of a report. */
export function journalAt(report: string): Shown[] {
  const path = join(dirname(report), `.${basename(report)}.kith-journal`);
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Returns the rows of a report as `2 create`, with the error if there is one. */
export function told(report: readonly Told[]): string[] {
  return report.map(({ row, action, error }) => [row, action, error].filter(Boolean).join(' '));
}

const own = new Set(['id', 'created_at', 'updated_at']);

/** A record without its id and times, and its custom fields by their names. */
export function bare(record: Shown): Shown {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !own.has(name))
      .map(([name, value]) => [name, name.endsWith('_fields') ? valuesOf(value) : value]),
  );
}

function valuesOf(map: unknown): Shown {
  const fields = Object.values(map as Record<string, { name: string; value: unknown }>);
  return Object.fromEntries(
    fields.filter(({ value }) => value !== null).map(({ name, value }) => [name, value]),
  );
}

/** Starts a service that records its requests, and a machine that uses it. */
export async function watched() {
  const front = await serviceInFront();
  return { ...front, ...(await importingMachine({ env: front.env })) };
}

/** The complaint of a command line that ended badly. */
export const complaint = (err: string) => JSON.parse(err).error;

/** A sheet with a row at fault in each way. */
export const faulty = [
  'email,phone,first_name,Rooms',
  'a@x.example,,A,1',
  'none,call me,B,2',
  'c@x.example,,C,many',
  ',,D,4',
  'e@x.example,+8210555',
].join('\r\n');
