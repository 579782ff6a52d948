import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { type Lock, withLock } from '../../files/lock.ts';
import {
  getWorkspaceSecret,
  identifyWorkspace,
  type WorkspaceAccess,
} from '../../files/workspace-identity.ts';
import { loadMembership, readStatuses } from '../../import/entries.ts';
import { openReport, reportLock } from '../../import/import-report.ts';
import {
  type ColumnModel,
  describeUnknownColumns,
  inferTypes,
  type Mapping,
  type OwnColumns,
  resolveTargets,
} from '../../import/mapping.ts';
import type { ImporterOptions } from '../../import/record-index.ts';
import { checkRows, createRowParser } from '../../import/rows.ts';
import { type Importer, type ImportRun, runImport } from '../../import/run.ts';
import { saveToTemporaryFile, type Table } from '../../import/table.ts';
import { hashInput, openTable } from '../../import/table-file.ts';
import { parseFieldHeader } from '../../render/field-headers.ts';
import { resolveHomeFolder } from '../../settings/paths.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import { getDefaultConcurrency, resolveWorkspaceAccess } from '../connect/connection.ts';
import { withListId } from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { buildFieldDefinition, type FieldDefinition } from '../flags/definitions.ts';
import { listCustomFields } from '../flags/field-values.ts';
import type { importOptions, recordOptions } from '../flags/import-options.ts';
import type { OptionValues } from '../flags/options.ts';
import { withProgress } from '../print/progress.ts';
import {
  createPartialFailure,
  createStrictFailure,
  createSummary,
  type ImportSummary,
  previewRows,
} from './import-summary.ts';

/** The flags of every import. */
export type ImportFlags = OptionValues<Omit<typeof importOptions, 'undo'>> & { readonly file: string };

/** The parts of an import that depend on the kind of record. */
interface ImportDefinition {
  readonly model: ColumnModel;
  /** Columns for the fields of the list for --list. */
  readonly listField?: Mapping['listField'];
  /** Everything else that decides the outcome of a row: an interrupted run is resumed only with equal settings. */
  readonly settings: unknown;
  /** Returns a model with fields for unknown columns; undefined if they are an error. */
  readonly addFields?: (unknown: readonly string[], table: Table) => Promise<ColumnModel | undefined>;
  /** Creates what the rows need in the workspace, after all rows were checked. */
  readonly prepare?: () => Promise<void>;
  /** `own` are the own columns of the file. */
  readonly createImporter: (options: ImporterOptions, own: ReadonlySet<string>) => Promise<Importer>;
}

/** Imports the rows of a file into the workspace. */
export async function importFile(
  session: Session,
  flags: ImportFlags,
  definition: ImportDefinition,
): Promise<CommandResult> {
  const stream = await openStream(session, flags.file);
  if (stream && flags.report === undefined && !session.globals.dryRun) {
    throw new Failure('usage', 'Missing required option: --report FILE (the input is a pipe).');
  }
  const file = await checkFile(session, flags, definition, stream);
  if (session.globals.dryRun) return previewRows(file.name, () => file.createRun(undefined), file.close);
  try {
    if (flags.strict) await requireValidRows(file);
    return await writeRows(session, flags, definition, file);
  } finally {
    await file.close();
  }
}

type Bytes = AsyncIterable<Uint8Array>;

/** Returns the bytes of a file that can be read only once: stdin, or a pipe such as `<(...)`. */
async function openStream({ stdin }: Session, file: string): Promise<Bytes | undefined> {
  if (file === '-') return stdin.bytes();
  const isStream = await stat(file).then(
    (stats) => stats.isFIFO() || stats.isCharacterDevice(),
    () => false, // opening the file reports the error
  );
  return isStream ? createReadStream(file) : undefined;
}

/** A file whose rows were parsed and checked, before anything is sent. */
type CheckedFile = Awaited<ReturnType<typeof checkFile>>;

async function checkFile(
  session: Session,
  flags: ImportFlags,
  definition: ImportDefinition,
  stream: Bytes | undefined,
) {
  const name = flags.file === '-' ? 'stdin' : flags.file;
  const copy = stream && (await saveToTemporaryFile(stream));
  const path = copy?.path ?? flags.file;
  let opened: Table | undefined;
  const close = async () => {
    await opened?.close?.();
    await copy?.remove();
  };
  try {
    const { map = [], ignore = [], strict } = flags;
    const table = await openTable(path, name, flags);
    opened = table;
    if (table.note !== undefined) await session.note(table.note);
    const mapping: Mapping = { map, ignore, listField: definition.listField ?? [] };
    const { unknown } = resolveTargets(table.columns, definition.model, mapping);
    const model = unknown.length > 0 ? await definition.addFields?.(unknown, table) : definition.model;
    if (!model) throw describeUnknownColumns(unknown, definition.model);
    const { targets } = resolveTargets(table.columns, model, mapping);
    const parseRow = createRowParser(table.columns, targets, model.own);
    const check = await checkRows(table, parseRow);
    if (strict && check.invalidRows > 0) throw createStrictFailure(name, check.invalidRows, check.errors);
    const own = new Set<string>();
    const fieldNames = new Set<string>();
    for (const target of targets) {
      if (target?.kind === 'own') own.add(target.name);
      else if (target) fieldNames.add(target.field.name ?? '');
    }
    const client = await session.client();
    const { pageSize } = await session.preferences();
    const concurrency = flags.concurrency ?? (await getDefaultConcurrency(session));
    const options = { client, pageSize, rows: check.rows, fieldNames };
    /** Prepares a run; without a journal it is a dry run. */
    const createRun = async (journal: ImportRun['journal']): Promise<ImportRun> => {
      const importer = await definition.createImporter(options, own);
      return { client, table, parseRow, importer, journal, concurrency };
    };
    return { name, path, table, mapping, rows: check.rows, createRun, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws {Failure} usage if a dry run refuses any row */
async function requireValidRows({ name, createRun }: CheckedFile): Promise<void> {
  const summary = createSummary();
  for await (const outcome of runImport(await createRun(undefined))) summary.add(outcome);
  if (summary.refused > 0) throw createStrictFailure(name, summary.refused, summary.errors);
}

async function writeRows(
  session: Session,
  flags: ImportFlags,
  definition: ImportDefinition,
  { name, path, table, mapping, rows, createRun }: CheckedFile,
): Promise<CommandResult> {
  const reportPath = flags.report ?? chooseReportPath(flags.file);
  await requireReportPath(reportPath, path);
  const access = await resolveWorkspaceAccess(session);
  return withImportLocks(session, reportPath, access, async () => {
    const report = await openReport(reportPath, {
      kith_import: 1,
      ...identifyWorkspace(access),
      input: await hashInput(path, [
        definition.settings,
        mapping,
        table.columns,
        [flags.encoding, flags.sheet, flags.tz],
        getWorkspaceSecret(access),
      ]),
    });
    try {
      if (report.isResumed) await session.note(`Resuming the interrupted import recorded in ${reportPath}.`);
      if (report.renamedTo) await session.note(`The earlier report was renamed to ${report.renamedTo}.`);
      await report.write(table);
      await definition.prepare?.();
      const summary = await runWithProgress(session, await createRun(report.journal), rows);
      await report.finish(table);
      const text = session.globals.quiet ? '' : `${name}: ${summary.format()}; see ${reportPath}\n`;
      return {
        ...toTextResult(text, { ...summary.counts, report: reportPath }),
        failure: summary.refused > 0 ? createPartialFailure(summary, reportPath) : undefined,
      };
    } catch (error) {
      // The journal is complete, so a failure to write the report must not hide why the run ended.
      await report.write(table).catch(() => {});
      throw error;
    } finally {
      report.close();
    }
  });
}

async function runWithProgress(session: Session, run: ImportRun, rows: number): Promise<ImportSummary> {
  const summary = createSummary();
  try {
    await withProgress(session, async (update) => {
      for await (const outcome of runImport(run)) {
        summary.add(outcome);
        update(`Importing ${summary.counts.rows} of ${rows} rows`);
      }
    });
    return summary;
  } catch (error) {
    const progress = `Stopped after ${summary.counts.rows} of ${rows} rows.`;
    await session.note(`${progress} Run the same command again to import the rest.`);
    throw error;
  }
}

/** @throws {Failure} usage if the report would replace the input file or is not a file */
async function requireReportPath(path: string, input: string): Promise<void> {
  const [report, source] = await Promise.all([stat(path).catch(() => undefined), stat(input)]);
  if (!report) return;
  if (report.dev === source.dev && report.ino === source.ino) {
    throw new Failure('usage', `--report: ${path} is the input file.`, { hint: 'Choose another file.' });
  }
  if (!report.isFile()) throw new Failure('usage', `--report: ${path} is not a file.`);
}

/** Returns the default report: the input file's name with `.report.csv`. */
function chooseReportPath(file: string): string {
  return `${file.replace(/\.(csv|tsv|tab|ndjson|jsonl|txt|xlsx|xlsm)$/i, '')}.report.csv`;
}

/**
 * Returns the locks of a workspace: one import or undo at a time may write to it. A workspace file has a lock next to it,
 * and each API key has one for this machine and user. An import into a file also takes the locks of its keys, because
 * the file may be served. Imports from other machines do not see them.
 */
async function listLocks(session: Session, access: WorkspaceAccess): Promise<Lock[]> {
  const work = `is importing into ${access.place}`;
  const home = resolveHomeFolder(session.env);
  const lockKey = (keyHash: string) => {
    const name = sha256(`${home} ${keyHash}`).slice(0, 32);
    return { path: join(tmpdir(), `kith-import-${name}.lock`), work };
  };
  if (access.kind === 'hosted') {
    // A key of a workspace file is random, and of that file behind any base URL.
    return [lockKey(sha256(access.key.startsWith('kith_') ? access.key : getWorkspaceSecret(access)))];
  }
  const keyHashes = await (await session.workspace()).writingKeyHashes(access.place);
  return [{ path: `${await realpath(access.place)}.import.lock`, work }, ...keyHashes.map(lockKey)];
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Runs `work` while holding the locks of the report and the workspace. @throws {Failure} busy if another run does */
export async function withImportLocks<T>(
  session: Session,
  report: string,
  access: WorkspaceAccess,
  work: () => Promise<T>,
): Promise<T> {
  const { lockHolder } = session;
  const locks = [reportLock(report), ...(await listLocks(session, access))];
  return locks.reduceRight((inner, lock) => () => withLock(lock, lockHolder, inner), work)();
}

/** Names of the records that have custom fields and can be added to a list. */
const kinds = {
  contact: { type: 'Contact', what: 'a contact' },
  organization: { type: 'Organization', what: 'an organization' },
} as const;

/** An import of contacts or organizations. */
interface RecordImport {
  readonly kind: keyof typeof kinds;
  readonly own: OwnColumns;
  readonly flags: ImportFlags & OptionValues<typeof recordOptions>;
  /** Everything else that decides the outcome of a row. */
  readonly settings?: unknown;
  readonly createImporter: (options: ImporterOptions, own: ReadonlySet<string>) => Promise<Importer>;
}

/** Columns of an export that an import ignores. */
const readOnly = ['id', 'created_at', 'updated_at'];

/** Imports contacts or organizations. */
export async function importRecords(session: Session, definition: RecordImport): Promise<CommandResult> {
  const { kind, own, flags, settings, createImporter } = definition;
  const client = await session.client();
  const { listField = [], createFields, status } = flags;
  const list =
    flags.list === undefined ? undefined : await findList(session, client, flags.list, kind, status);
  const fields = await listCustomFields(client, kind);
  const model = {
    what: kinds[kind].what,
    own,
    readOnly,
    fields,
    kind: 'custom' as const,
    listFields: list?.fields ?? [],
  };
  let newFields: FieldDefinition[] = [];
  return importFile(session, flags, {
    model,
    listField,
    settings: [kind, list?.id, status, settings],
    async addFields(unknown, table) {
      if (!createFields) return undefined;
      const definitions = await defineFields(table, unknown);
      for (const { definition, isInferred } of definitions) {
        const dataType = `${definition.data_type}${definition.accepts_multiple_values ? ', multiple' : ''}`;
        await session.note(
          `+ custom field ${definition.name} (${dataType}${isInferred ? ', inferred' : ''})`,
        );
      }
      newFields = definitions.map(({ definition }) => definition);
      return { ...model, fields: [...fields, ...newFields] };
    },
    async prepare() {
      for (const field of newFields) await client.record(customFields.create, { ...field, model: kind });
    },
    async createImporter(options, columns) {
      const importer = await createImporter(options, columns);
      if (!list) return importer;
      const { join } = await loadMembership(options, { list_id: list.id, type: kinds[kind].type, status });
      return {
        ...importer,
        async write(row) {
          const record = await importer.write(row);
          await join(record, row.agreed, row.writes);
          return record;
        },
      };
    },
  });
}

/** Returns the custom fields to create for columns, with the type in the header or else the type of all values. */
async function defineFields(table: Table, columns: readonly string[]) {
  const headers = columns.map((column) => ({ column, ...parseFieldHeader(column) }));
  // In an export of kith, a column without a type has text.
  const isExport = readOnly.every((name) => table.columns.includes(name));
  const untyped = headers.flatMap(({ column, parts }) => (parts || isExport ? [] : [column]));
  const inferred = await inferTypes(table, untyped);
  return headers.map(({ column, name, parts }) => {
    const { multiple = false, options } = parts ?? {};
    const type = parts?.type ?? inferred.get(column) ?? 'text';
    const definition = buildFieldDefinition({ name, type, multiple, options });
    return { definition, isInferred: inferred.has(column) };
  });
}

/** Returns a list for --list. @throws {Failure} usage if it does not accept these records or the status */
async function findList(
  session: Session,
  client: Client,
  name: string,
  kind: keyof typeof kinds,
  status: string | undefined,
) {
  const list = await withListId(session, name, (list_id) => client.read(lists.get, { list_id }));
  const { type, what } = kinds[kind];
  if (list.entry_type !== type) {
    const held = (list.entry_type ?? '').toLowerCase();
    throw new Failure('usage', `--list: "${name}" holds ${held}s, not ${what}.`);
  }
  const statuses = readStatuses(list);
  if (status !== undefined && !statuses.includes(status)) {
    throw new Failure('usage', `--status: "${name}" has no status "${status}".`, {
      hint: statuses.length > 0 ? `Its statuses are ${statuses.join(', ')}.` : 'It is not a process.',
    });
  }
  return { id: list.id ?? '', fields: list.fields ?? [] };
}
