import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Failure } from '../../contract/errors.ts';
import { getWorkspaceSecret, identifyWorkspace } from '../../files/workspace-identity.ts';
import { type CheckedRows, checkedRows } from '../../import/checked-rows.ts';
import { type Known, type Mapping, targetsOf } from '../../import/columns.ts';
import { openReport } from '../../import/import-report.ts';
import type { Importer, Importing } from '../../import/importer.ts';
import { type OpenSheet, openSheet } from '../../import/open-file.ts';
import { broughtIn, type Running } from '../../import/run.ts';
import { fingerprintOf, spooled } from '../../import/spool.ts';
import type { Sheet } from '../../import/table-file.ts';
import { rowReader } from '../../import/wishes.ts';
import { type CommandResult, toTextResult } from '../command.ts';
import { getDefaultConcurrency, resolveWorkspaceAccess } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { startProgress } from '../print/progress.ts';
import { whileLockedFor } from './import-lock.ts';
import { rehearsedRows } from './import-rehearsal.ts';
import { refusedRows, setAside, type Tally, tallied } from './import-tally.ts';

/** What the flags of an import say, whatever it brings in. */
export interface Given {
  readonly file: string;
  readonly strict: boolean;
  readonly report: string | undefined;
  readonly encoding: string | undefined;
  /** The worksheet of an .xlsx file. */
  readonly sheet: string | undefined;
  /** The time zone of the dates in an .xlsx file. */
  readonly tz: string | undefined;
  readonly concurrency: number | undefined;
}

/** What brings in the rows of a sheet. */
export interface Bringing {
  readonly known: Known;
  readonly mapping: Mapping;
  /** Whatever else decides what becomes of a row. */
  readonly manner: unknown;
  /** Says what is known once something was done with columns that are for nothing. Throws `usage`. */
  readonly onUnknown: (unknown: readonly string[], sheet: Sheet) => Promise<Known>;
  /** Makes what the rows need in the workspace, once they were read and found right. */
  readonly prepare: () => Promise<void>;
  /** `own`: the own columns that the sheet has. */
  readonly importer: (importing: Importing, own: ReadonlySet<string>) => Promise<Importer>;
}

/** A sheet that was read and checked, before anything is sent. */
interface Ready {
  /** What complaints and the summary call the sheet. */
  readonly name: string;
  readonly path: string;
  readonly sheet: Sheet;
  readonly checked: CheckedRows;
  /** Opens the import of the rows; without a journal it is a dry run. */
  readonly running: (journal: Running['journal']) => Promise<Running>;
  readonly close: () => Promise<void>;
}

/** Brings the rows of a sheet into the workspace (cli.md, "Import"). */
export async function imported(session: Session, given: Given, bringing: Bringing): Promise<CommandResult> {
  const passing = await passingBytes(session, given.file);
  if (passing && given.report === undefined && !session.globals.dryRun) {
    throw new Failure('usage', 'Give --report FILE: what comes through a pipe has no name for one.');
  }
  const ready = await readyFor(session, given, bringing, passing);
  if (session.globals.dryRun) return rehearsedRows(ready.name, () => ready.running(undefined), ready.close);
  try {
    if (given.strict) await mustBeWhole(ready);
    return await carriedOut(session, given, bringing, ready);
  } finally {
    await ready.close();
  }
}

type Bytes = AsyncIterable<Uint8Array>;

/** The bytes of what can be read once: stdin, or a pipe such as `<(…)`. */
async function passingBytes({ stdin }: Session, file: string): Promise<Bytes | undefined> {
  if (file === '-') return stdin.bytes();
  const isOnce = await stat(file).then(
    (found) => found.isFIFO() || found.isCharacterDevice(),
    () => false, // told when it is opened
  );
  return isOnce ? createReadStream(file) : undefined;
}

async function readyFor(
  session: Session,
  given: Given,
  bringing: Bringing,
  passing: Bytes | undefined,
): Promise<Ready> {
  const name = given.file === '-' ? 'stdin' : given.file;
  const spool = passing && (await spooled(passing));
  const path = spool?.path ?? given.file;
  let opened: OpenSheet | undefined;
  try {
    const sheet = await openSheet(path, name, {
      encoding: given.encoding,
      worksheet: given.sheet,
      zone: given.tz,
    });
    opened = sheet;
    if (sheet.note !== undefined) await session.note(sheet.note);
    const { known, mapping } = bringing;
    const { unknown } = targetsOf(sheet.columns, known, mapping);
    const all = unknown.length > 0 ? await bringing.onUnknown(unknown, sheet) : known;
    const { targets } = targetsOf(sheet.columns, all, mapping);
    const read = rowReader(sheet.columns, targets, all.own);
    const checked = await checkedRows(sheet, read);
    if (given.strict && checked.faulty > 0) throw refusedRows(name, checked.faulty, checked.faults);
    const own = new Set(targets.flatMap((target) => (target?.kind === 'own' ? [target.name] : [])));
    const client = await session.client();
    const { pageSize } = await session.preferences();
    const concurrency = given.concurrency ?? (await getDefaultConcurrency(session));
    const files = `kith-import-${session.lockHolder.pid}-${session.now().getTime()}`;
    let importer: Importer | undefined;
    return {
      name,
      path,
      sheet,
      checked,
      async running(journal) {
        importer?.close();
        importer = undefined;
        importer = await bringing.importer({ client, pageSize, rows: checked.rows, name: files }, own);
        return { client, sheet, read, importer, journal, name: files, concurrency };
      },
      async close() {
        importer?.close();
        await sheet.close();
        await spool?.remove();
      },
    };
  } catch (error) {
    await opened?.close();
    await spool?.remove();
    throw error;
  }
}

/** Throws where the rehearsal of a run refuses any row. */
async function mustBeWhole({ name, running }: Ready): Promise<void> {
  const tally = tallied();
  for await (const outcome of broughtIn(await running(undefined))) tally.add(outcome);
  if (tally.refused > 0) throw refusedRows(name, tally.refused, tally.told);
}

async function carriedOut(
  session: Session,
  given: Given,
  bringing: Bringing,
  ready: Ready,
): Promise<CommandResult> {
  const path = given.report ?? reportFor(given.file);
  await mustBePlaceForReport(path, ready.path);
  const access = await resolveWorkspaceAccess(session);
  return whileLockedFor(session, path, access, async () => {
    const report = await openReport(path, {
      kith_import: 1,
      ...identifyWorkspace(access),
      input: await fingerprintOf(ready.path, [
        bringing.manner,
        bringing.mapping,
        ready.sheet.columns,
        [given.encoding, given.sheet, given.tz],
        getWorkspaceSecret(access),
      ]),
    });
    try {
      if (report.isResumed) await session.note(`Resuming the interrupted import recorded in ${path}.`);
      if (report.keptAs) await session.note(`The earlier report was renamed to ${report.keptAs}.`);
      await report.write(ready.sheet);
      await bringing.prepare();
      const tally = await brought(session, await ready.running(report.journal), ready.checked.rows);
      await report.finish(ready.sheet);
      return answerOf(session, ready.name, tally, path);
    } catch (error) {
      // The journal has everything, so a failure to write the report must not hide why the run ended.
      await report.write(ready.sheet).catch(() => {});
      throw error;
    } finally {
      report.close();
    }
  });
}

async function brought(session: Session, running: Running, rows: number): Promise<Tally> {
  const progress = startProgress(session);
  const tally = tallied();
  try {
    for await (const outcome of broughtIn(running)) {
      tally.add(outcome);
      progress.update(`Importing ${tally.rows} of ${rows} rows`);
    }
    return tally;
  } catch (error) {
    progress.end();
    await session.note(
      `Stopped after ${tally.rows} of ${rows} rows. Run the same command again to import the rest.`,
    );
    throw error;
  } finally {
    progress.end();
  }
}

function answerOf({ globals }: Session, name: string, tally: Tally, report: string): CommandResult {
  const text = globals.quiet ? '' : `${name}: ${tally.line()}; see ${report}\n`;
  return {
    ...toTextResult(text, { ...tally.counts(), report }),
    failure: tally.refused > 0 ? setAside(tally, report) : undefined,
  };
}

/** Throws `usage` where a report would take the place of the sheet itself, or of what is no file. */
async function mustBePlaceForReport(path: string, sheet: string): Promise<void> {
  const [there, source] = await Promise.all([stat(path).catch(() => undefined), stat(sheet)]);
  if (!there) return;
  const isSheet = there.dev === source.dev && there.ino === source.ino;
  if (isSheet) {
    throw new Failure('usage', `--report: ${path} is the sheet itself.`, { hint: 'Name another file.' });
  }
  if (!there.isFile()) throw new Failure('usage', `--report: ${path} is no file.`);
}

/** Where the report goes where nothing is said: beside the sheet. */
function reportFor(file: string): string {
  return `${file.replace(/\.(csv|tsv|tab|ndjson|jsonl|txt|xlsx|xlsm)$/i, '')}.report.csv`;
}
