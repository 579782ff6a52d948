import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { resolveWorkspaceLogs } from '../../cli/change-log.ts';
import { type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import type { OptionValues } from '../../cli/command/options.ts';
import { getDefaultConcurrency, identifyWorkspace } from '../../cli/connect/connection.ts';
import { withImportLocks } from '../../cli/connect/workspace-locks.ts';
import { buildFieldDefinition } from '../../cli/flags/definitions.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { type OpenRun, openRun } from '../../cli/write-run.ts';
import { Failure } from '../../contract/errors.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import { toStoredWorkspace } from '../../files/workspace-identity.ts';
import { formatMapping } from '../../import/guess-columns.ts';
import { ImportLog } from '../../import/import-log.ts';
import { chooseReportPath, isInterrupted, replaceReport, writeReport } from '../../import/import-report.ts';
import {
  type ColumnModel,
  createHeaderTest,
  createRowParser,
  describeUnknownColumns,
  inferTypes,
  isExport,
  type Mapping,
  requireKnownColumns,
  resolveTargets,
} from '../../import/mapping.ts';
import type { ImporterOptions } from '../../import/record-index.ts';
import { type Importer, type ImportRun, runImport } from '../../import/run.ts';
import { saveToTemporaryFile, type Table } from '../../import/table.ts';
import { hashInput, openTable } from '../../import/table-file.ts';
import { parseFieldHeader } from '../../render/field-headers.ts';
import { History } from '../../undo/history.ts';
import { formatCount, formatInteger, truncateValue } from '../../values/text.ts';
import { ChangeLog } from '../../writes/log.ts';
import type { importOptions, recordOptions } from './options.ts';
import { createSummary, createWholeNames, type ImportSummary, previewRows } from './summary.ts';

export type ImportFlags = OptionValues<Omit<typeof importOptions, 'undo'>> &
  Partial<OptionValues<typeof recordOptions>> & { readonly file: string };

/** The parts of an import that depend on the kind of record. */
export interface ImportDefinition {
  /** The command in the change log: `contacts import`. */
  readonly command: string;
  readonly model: ColumnModel;
  /** The records for which --create-fields creates custom fields. */
  readonly fieldModel?: PartyNoun;
  /** Everything else that decides the outcome of a row: an interrupted run is resumed only with equal settings. */
  readonly settings: unknown;
  readonly createImporter: (options: ImporterOptions) => Promise<Importer>;
}

export async function importFile(
  session: Session,
  flags: ImportFlags,
  definition: ImportDefinition,
): Promise<CommandResult> {
  const input = await openInput(session, flags, definition);
  try {
    const file = await checkFile(session, flags, definition, input);
    if (session.globals.dryRun) return previewRows(file, input.close);
    if (flags.strict) {
      const summary = createSummary();
      for await (const outcome of runImport(await file.createRun(undefined))) summary.add(outcome);
      requireValidRows(file.name, summary);
    }
    const result = await writeRows(session, flags, definition, file);
    await input.close();
    return result;
  } catch (error) {
    await input.close();
    throw error;
  }
}

const readMapping = ({ map = [], ignore = [], listField = [] }: ImportFlags): Mapping => ({
  map,
  ignore,
  listField,
});

/** Opens the input file. One that can be read only once, stdin or a pipe such as `<(...)`, is copied first. */
async function openInput(session: Session, flags: ImportFlags, { model, fieldModel }: ImportDefinition) {
  const isStdin = flags.file === '-';
  const name = isStdin ? 'stdin' : flags.file;
  const stats = isStdin ? undefined : await stat(flags.file).catch(() => undefined); // opening the file reports the error
  const isStream = isStdin || stats?.isFIFO() || stats?.isCharacterDevice();
  if (isStream && flags.report === undefined && !session.globals.dryRun) {
    throw new Failure('usage', 'Missing required option: --report FILE (the input is a pipe).');
  }
  const copy =
    isStream &&
    (await saveToTemporaryFile(isStdin ? session.streams.stdin.bytes() : createReadStream(flags.file)));
  const path = copy ? copy.path : flags.file;
  try {
    const isHeader = createHeaderTest(model, readMapping(flags));
    const acceptsCards = fieldModel === 'contact';
    const table = await openTable(path, name, { ...flags, isHeader, acceptsCards });
    const close = async () => {
      await table.close?.();
      if (copy) await copy.remove();
    };
    return { name, path, table, close };
  } catch (error) {
    if (copy) await copy.remove();
    throw error;
  }
}

/** A file whose rows were parsed and checked, before anything is sent. */
type CheckedFile = Awaited<ReturnType<typeof checkFile>>;

async function checkFile(
  session: Session,
  flags: ImportFlags,
  definition: ImportDefinition,
  { name, path, table }: Awaited<ReturnType<typeof openInput>>,
) {
  const { fieldModel, createImporter } = definition;
  const mapping = readMapping(flags);
  for (const note of table.notes) await session.messages.note(note);
  const { model, targets, newFields } = await chooseFields(session, flags, definition, table, mapping, name);
  const parseRow = createRowParser(table.columns, targets, model);
  const summary = createSummary();
  const wholeNames = createWholeNames();
  for await (const row of table.rows()) {
    const { errors, plan } = parseRow(row);
    const problems = errors.length > 0 ? errors : (plan.leftOut ?? []);
    summary.add({ row: row.row, action: problems.length > 0 ? 'refused' : 'same' }, problems);
    const { name: [fullName] = [], first_name, last_name } = plan.ownTexts;
    if (fullName !== undefined && first_name && !last_name) wholeNames.add(row.row, fullName);
  }
  if (wholeNames.count > 0) await session.messages.note(wholeNames.format());
  if (flags.strict) requireValidRows(name, summary);
  const client = await session.client();
  const { pageSize } = await session.preferences();
  const concurrency = flags.concurrency ?? (await getDefaultConcurrency(session));
  const { rows } = summary.counts;
  const ownFields = new Set(targets.flatMap((target) => (target?.kind === 'own' ? target.name : [])));
  const fieldNames = new Set(
    targets.flatMap((target) => (target && 'field' in target ? target.field.name : [])),
  );
  return {
    name,
    path,
    table,
    mapping,
    rows,
    /** Prepares a run. If no recording is passed, it is a dry run. */
    async createRun(recording: ImportRun['recording']): Promise<ImportRun> {
      const importer = await createImporter({ client, pageSize, rows, ownFields, fieldNames });
      const bodies = newFields.map((field) => ({ ...field, model: fieldModel }));
      return { client, table, parseRow, importer, newFields: bodies, recording, concurrency };
    },
  };
}

/** Chooses the field of each column, and defines those that --create-fields will create. Names skipped columns. */
async function chooseFields(
  session: Session,
  { strictColumns, createFields }: ImportFlags,
  { model, fieldModel }: ImportDefinition,
  table: Table,
  mapping: Mapping,
  name: string,
) {
  const columns = resolveTargets(table.columns, model, mapping);
  const { unknownColumns } = columns;
  const canCreate = fieldModel !== undefined;
  if (strictColumns && unknownColumns.length > 0)
    throw describeUnknownColumns(unknownColumns, model, canCreate);
  const isCreating = canCreate && createFields === true;
  requireKnownColumns(name, table.columns, columns, model, isCreating);
  if (!isCreating && unknownColumns.length > 0)
    await session.messages.note(describeSkippedColumns(unknownColumns, canCreate));
  const newFields = isCreating ? await defineFields(session, table, unknownColumns, model) : [];
  const fullModel = { ...model, fields: [...model.fields, ...newFields] };
  const { targets, guesses } = resolveTargets(table.columns, fullModel, mapping);
  if (guesses.length > 0)
    await session.messages.note(`Guessed columns: ${guesses.map(formatMapping).join(' ')}`);
  return { model: fullModel, targets, newFields };
}

/** Names the columns that are not imported, and the flags for them. */
function describeSkippedColumns(columns: readonly string[], canCreate: boolean): string {
  const object = columns.length === 1 ? 'it' : 'them';
  const keep = canCreate ? `--create-fields keeps ${object}, ` : '';
  const names = columns.map(truncateValue).join(', ');
  return `Skipped ${formatCount(columns.length, 'column')} without a field: ${names}; ${keep}--strict-columns refuses ${object}.`;
}

/** @throws {Failure} usage if any row was refused */
function requireValidRows(name: string, summary: ImportSummary): void {
  const failure = summary.createFailure('usage', (refusals) => `${name}: ${refusals}; nothing was imported`);
  if (failure) throw failure;
}

/** Returns the custom fields to create for columns, with the type in the header or else the type of all values. */
async function defineFields(session: Session, table: Table, columns: readonly string[], model: ColumnModel) {
  const headers = columns.map((column) => ({ column, ...parseFieldHeader(column) }));
  // In an export of kith, a column without a type has text.
  const hasTypes = isExport(table.columns, model);
  const untyped = headers.flatMap(({ column, parts }) => (parts || hasTypes ? [] : [column]));
  const inferredTypes = await inferTypes(table, untyped);
  const fields = headers.map(({ column, name, parts }) => {
    const { multiple = false, options } = parts ?? {};
    const type = parts?.type ?? inferredTypes.get(column) ?? 'text';
    return buildFieldDefinition({ name, type, multiple, options });
  });
  for (const [index, { name, data_type, accepts_multiple_values }] of fields.entries()) {
    const isInferred = inferredTypes.has(columns[index] ?? '');
    const suffix = `${accepts_multiple_values ? ', multiple' : ''}${isInferred ? ', inferred' : ''}`;
    await session.messages.note(`+ custom field ${name} (${data_type}${suffix})`);
  }
  return fields;
}

async function writeRows(
  session: Session,
  flags: ImportFlags,
  { command, settings }: ImportDefinition,
  { name, path, table, mapping, rows, createRun }: CheckedFile,
): Promise<CommandResult> {
  const reportPath = flags.report ?? chooseReportPath(flags.file);
  await requireReportPath(reportPath, path);
  const workspace = await identifyWorkspace(session);
  const { identity } = toStoredWorkspace(workspace);
  return withImportLocks(session, reportPath, workspace, async () => {
    const input = await hashInput(path, [
      settings,
      mapping,
      table.columns,
      [flags.encoding, flags.sheet, flags.tz],
      'id' in identity ? identity.id : identity.key_hash,
    ]);
    const report = resolve(reportPath);
    const { run, interrupted, recorder, close } = await openRun(session, {
      command,
      input: [input, report],
      report,
      describe: ({ doneRows }) => formatCount(doneRows, 'row'),
      concurrency: flags.concurrency,
    });
    try {
      const log = await openImportLog(session, { reportPath, input, interrupted, recorder });
      try {
        await writeReport(reportPath, table, log);
        const summary = await runWithProgress(session, await createRun({ run, log }), rows);
        await writeReport(reportPath, table, log);
        if (log.isCertain) log.append({ finished: true });
        const text = session.globals.quiet ? '' : `${name}: ${summary.format()}; see ${reportPath}\n`;
        return {
          ...toTextResult(text, { ...summary.counts, report: reportPath }),
          failure: summary.createFailure('partial', (refusals) => refusals, {
            hint: suggestNextRun(summary, reportPath),
          }),
        };
      } catch (error) {
        // The log is complete, so a failure to write the report must not hide the error that ended the run.
        await writeReport(reportPath, table, log).catch(() => {});
        throw error;
      } finally {
        log.close();
      }
    } finally {
      close();
    }
  });
}

function suggestNextRun({ counts: { refused, left_out } }: ImportSummary, reportPath: string): string {
  if (refused + left_out === 0) return 'Run the same command again: it completes these rows.';
  const faulty = refused > 0 ? 'the refused rows' : 'these cells';
  return `Fix ${faulty} in ${reportPath} and import that file; completed rows are skipped.`;
}

/** Opens the log of a run, after the earlier report was renamed. */
async function openImportLog(
  session: Session,
  {
    reportPath,
    input,
    interrupted,
    recorder,
  }: Pick<OpenRun, 'interrupted' | 'recorder'> & { readonly reportPath: string; readonly input: string },
): Promise<ImportLog> {
  const folder = await resolveWorkspaceLogs(session);
  const earlier = interrupted
    ? ImportLog.read(interrupted.path)
    : ImportLog.find(folder, resolve(reportPath));
  if (earlier?.oldHeader?.input === input && isInterrupted(earlier) && !earlier.isUndone) {
    throw new Failure('usage', `An older version of kith has not finished the import into ${reportPath}.`, {
      hint: `Import the report instead: completed rows are skipped. To revert the import: --undo ${reportPath}`,
    });
  }
  const { previousReport, renamedTo } = await replaceReport(reportPath, earlier, interrupted !== undefined);
  const command = earlier?.isOld ? new History(folder).findImport(resolve(reportPath)) : undefined;
  if (command && previousReport !== undefined)
    ChangeLog.continue(command).append({ report: resolve(previousReport) });
  if (renamedTo) await session.messages.note(`The earlier report was renamed to ${renamedTo}.`);
  if (!recorder) throw new Error('an import has a log');
  return ImportLog.read(recorder.open().path).open();
}

async function runWithProgress(session: Session, run: ImportRun, rows: number): Promise<ImportSummary> {
  const summary = createSummary();
  try {
    await withProgress(session, async (update) => {
      for await (const outcome of runImport(run)) {
        summary.add(outcome);
        update({ verb: 'Importing', done: summary.counts.rows, total: rows, unit: 'row' });
      }
    });
    return summary;
  } catch (error) {
    const progress = `Stopped after ${formatInteger(summary.counts.rows)} of ${formatInteger(rows)} rows.`;
    await session.messages.note(`${progress} Run the same command again to import the rest.`);
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
