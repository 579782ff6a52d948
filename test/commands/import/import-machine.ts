import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { createPage, sendJson } from '../../client/loopback.ts';
import {
  disturb,
  funnel,
  type RequestControl,
  startControlledService,
} from '../../import/controlled-service.ts';
import {
  type CommandResult,
  createLocalMachine,
  createMachine,
  createTemporaryFolder,
  type MachineOptions,
  splitWords,
} from '../../support/kith.ts';
import { listLogs } from '../../undo/recording-machine.ts';

/** A contact, an organization or an entry as parsed JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** A row of a report, by column. */
export type ReportRow = Readonly<Record<string, string>>;

/** Creates a machine with a folder for files. It is signed in to an empty workspace, or to the service in `env`. */
export async function createImportMachine(options: MachineOptions = {}) {
  const folder = createTemporaryFolder();
  const run = options.env ? createMachine(folder) : createLocalMachine(folder, 'work.sqlite');
  const kith = (line: string | readonly string[], more: MachineOptions = {}) =>
    run(line, { ...options, ...more });
  const writeTestFile = (name: string, text: string | Uint8Array) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const toPath = (name: string) => join(folder, name);
  return {
    kith,
    folder,
    database: toPath('work.sqlite'),
    toPath,
    writeTestFile,
    /** Returns the JSON that a command prints; it must succeed. */
    async json<T = JsonRecord[]>(line: string): Promise<T> {
      return JSON.parse((await runSuccessfully(kith, `${line} --json`)).out);
    },
    runSuccessfully: (line: string | readonly string[], more?: MachineOptions) =>
      runSuccessfully(kith, line, more),
    /** Writes a CSV file and imports it with more flags. */
    async importRows(noun: string, text: string | Uint8Array, flags = '', name = 'sheet.csv') {
      return kith([...splitWords(noun), 'import', writeTestFile(name, text), ...splitWords(flags)]);
    },
    /** Reads a report. */
    readReport: (name = 'sheet.report.csv') => readReport(toPath(name)),
  };
}

type Kith = (line: string | readonly string[], more?: MachineOptions) => Promise<CommandResult>;

async function runSuccessfully(
  kith: Kith,
  line: string | readonly string[],
  more?: MachineOptions,
): Promise<CommandResult> {
  const result = await kith(line, more);
  expect({ line, ...result, out: '' }).toEqual({ line, code: 0, out: '', err: result.err });
  return result;
}

/** Reads the rows of a report, with their row numbers in a spreadsheet. */
export function readReport(path: string): ReportRow[] {
  const lines: ReportRow[] = parse(readFileSync(path), { columns: true, record_delimiter: '\r\n' });
  return lines.map((line, toPath) => ({ ...line, row: String(toPath + 2) }));
}

/** Returns the path of the last log in a data folder. */
export function findLastLog(folder: string): string {
  const path = listLogs(folder).at(-1);
  if (path === undefined) throw new Error('there is no log');
  return path;
}

/** Reads a log. */
export function readLog(path: string): JsonRecord[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** Returns the rows of a report as `2 create`, with the error and the cells that were left out. */
export function formatReportRows(report: readonly ReportRow[]): string[] {
  return report.map(({ row, action, error, left_out }) =>
    [row, action, error, left_out && `(left out: ${left_out})`].filter(Boolean).join(' '),
  );
}

const generatedFields = new Set(['id', 'created_at', 'updated_at']);

/** Returns a record without its id and times, and with its custom fields by name. */
export function stripGenerated(record: JsonRecord): JsonRecord {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !generatedFields.has(name))
      .map(([name, value]) => [name, name.endsWith('_fields') ? toFieldValues(value) : value]),
  );
}

function toFieldValues(map: unknown): JsonRecord {
  const fields = Object.values(map as Record<string, { name: string; value: unknown }>);
  return Object.fromEntries(
    fields.filter(({ value }) => value !== null).map(({ name, value }) => [name, value]),
  );
}

/** Starts a service that records its requests, and a machine that uses it. */
export async function createWatchedImport() {
  const service = await startControlledService();
  return { ...service, ...(await createImportMachine({ env: service.env })) };
}

/** Creates such a machine, with custom fields and a process. */
export async function createUndoMachine() {
  const machine = await createWatchedImport();
  const { create } = machine;
  const createField = (name: string, data_type: string, more: object = {}) =>
    create('custom_fields', { model: 'contact', name, data_type, ...more });
  await createField('Rooms', 'number');
  await createField('Visit', 'datetime');
  await createField('Tags', 'text', { accepts_multiple_values: true });
  await createField('Size', 'number', { model: 'organization' });
  await create('lists', funnel);
  const undo = (flags = '', name = 'sheet.report.csv') =>
    machine.kith(`contacts import --undo ${machine.toPath(name)} --yes ${flags}`);
  return { ...machine, undo };
}

export const parseCounts = (out: string) => out.replace(/^.*?: /, '').trim();

/** Lets a service return no records of a noun, so that a create whose response was lost is not found. */
export const hideRecords = (control: RequestControl, noun: string): void =>
  disturb(
    control,
    'before',
    ({ method, url }) => method === 'GET' && url.startsWith(`/v1/${noun}`),
    (response) => sendJson(response, 200, createPage([])),
  );

/** Parses the error that a command printed as JSON. */
export const parseError = (err: string) => JSON.parse(err).error;

/** A CSV file with one invalid row of each kind. */
export const invalidRows = [
  'email,phone,first_name,Rooms',
  'a@x.example,,A,1',
  'none,call me,B,2',
  'c@x.example,,C,many',
  ',,D,4',
  'e@x.example,+8210555',
].join('\r\n');
