import { resolve } from 'node:path';
import type { Client } from '../client/client.ts';
import { Failure } from '../contract/errors.ts';
import type { SingularNoun } from '../contract/singular-nouns.ts';
import { pathExists } from '../files/read-file.ts';
import { compareWorkspace, type WorkspaceIdentity } from '../files/workspace-identity.ts';
import { type RecordPath, toPathKey } from '../records/path.ts';
import { createRelatedReader } from '../records/referrers.ts';
import { type RecordRevert, revertRecord } from '../undo/revert-record.ts';
import { mapInOrder } from '../values/in-order.ts';
import type { JsonObject } from '../values/json-object.ts';
import { type CreateMatch, findMatches } from '../writes/created.ts';
import type { LoggedWrite } from '../writes/log.ts';
import { nouns } from '../writes/nouns.ts';
import type { WriteRun } from '../writes/run.ts';
import { ImportLog, type IndexedWrite, type OldHeader, type RecordWrites } from './import-log.ts';
import { hashReport } from './import-report.ts';
import { isNumberLike } from './table.ts';
import { openTextTable } from './table-file.ts';

/**
 * Finds the log of the import that a report belongs to. `folder`: of the logs of the workspace.
 * @throws {Failure} not_found if there is none
 */
export async function findImportLog(folder: string, report: string): Promise<ImportLog> {
  const log = ImportLog.find(folder, resolve(report));
  if (log) return log;
  if (!pathExists(report)) throw new Failure('not_found', `Report not found: ${report}`);
  const moved = ImportLog.findWritten(folder, await hashReport(report));
  if (moved) return moved;
  throw new Failure('not_found', `No import into this workspace with the report ${report} is recorded.`, {
    hint: 'Use the key, the profile or the workspace of the import. List its recorded commands: kith undo --list',
  });
}

/**
 * Runs work with the log of the import that a report belongs to.
 * @throws {Failure} usage if the import or the report belongs elsewhere
 */
export async function useImportLog<T>(
  report: string,
  log: ImportLog,
  access: WorkspaceIdentity,
  work: () => Promise<T>,
): Promise<T> {
  if (log.isUnreadable)
    throw new Failure('usage', `${report} is from an older version of kith, which can undo the import.`);
  if (log.isOld) checkWorkspace(report, log.oldHeader, access);
  log.open();
  try {
    if (!(await belongsToOtherImport(report, log.readIds()))) return await work();
  } finally {
    log.close();
  }
  throw new Failure('usage', `${report} and its log ${log.path} belong to different imports.`, {
    hint: 'An undo needs only the log, so you may delete the report, or move it elsewhere.',
  });
}

/** Whether a report has only ids that its log does not have, because one of the two files was moved alone. */
async function belongsToOtherImport(report: string, ids: ReadonlySet<string>): Promise<boolean> {
  let hasOtherIds = false;
  try {
    for await (const { recordId } of (await openTextTable(report, report)).rows()) {
      if (recordId === undefined) continue;
      if (ids.has(recordId)) return false;
      // A spreadsheet may have converted an id to a number.
      hasOtherIds ||= !isNumberLike(recordId);
    }
  } catch (error) {
    // The undo needs only the log, so a missing or unreadable report is not an error.
    if (error instanceof Failure && error.code === 'usage') return false;
    throw error;
  }
  return hasOtherIds;
}

function checkWorkspace(report: string, subject: OldHeader | undefined, access: WorkspaceIdentity): void {
  const relation = subject ? compareWorkspace(subject, access) : 'other';
  if (relation === 'same') return;
  const { place } = access;
  if (relation === 'other_key') {
    throw new Failure('usage', `${report} is the report of an import into ${place} with another API key.`, {
      hint: 'Use the key or the profile that the import used.',
    });
  }
  const into = subject && subject.workspace !== place ? subject.workspace : 'another workspace';
  throw new Failure('usage', `${report} is the report of an import into ${into}, not into ${place}.`);
}

/** The result of undoing the writes of one record. */
export interface UndoResult extends Omit<RecordRevert, 'status'> {
  readonly status: RecordRevert['status'] | 'unknown';
  /** The number of writes. */
  readonly count: number;
  /** The row of the last write. */
  readonly row: number;
}

interface UndoOptions {
  readonly client: Client;
  readonly run: WriteRun;
  readonly log: ImportLog;
  readonly isDryRun: boolean;
  /** Maximum number of records to undo at once. */
  readonly concurrency: number;
}

/** Created records that others use. They are undone last, each kind before those that it uses. */
const owners: readonly SingularNoun[] = ['contact', 'organization', 'custom_field'];

/** The order of an undo: changes, entries and notes, then created contacts, organizations and custom fields. */
const phases: readonly ((record: RecordWrites) => boolean)[] = [
  (record) => !owners.includes(record.noun) || !isCreated(record),
  ...owners.map((noun) => (record: RecordWrites) => record.noun === noun && isCreated(record)),
];

const isCreated = ({ writes: [first] }: RecordWrites) => first?.action === 'create';

/**
 * Undoes an import record by record, the last record first. A changed record does not stop the undo. Yields a result
 * for each record, and for each lost create with several matches. A dry run sends nothing.
 */
export async function* undoRecords(options: UndoOptions): AsyncGenerator<UndoResult> {
  const { client, log, concurrency } = options;
  const lostCreates = log.listLostCreates();
  const command = { writes: lostCreates.map((write) => log.load(write)), at: log.at };
  const matchesByWrite = await findMatches(client, command, log.createdIds, createEarlierReader(log));
  const created = new Map<number, JsonObject>();
  for (const { n, row, noun } of lostCreates) {
    const matches = matchesByWrite.get(n) ?? []; // no match: the service did not carry out the create
    const [only, ...others] = matches;
    if (only?.isNew && others.length === 0) created.set(n, only.record);
    else if (only) yield { status: 'unknown', count: 1, row, message: describeMatches(noun, matches) };
  }
  const records = log.groupByRecord(created);
  const undo = createUndo(options, records, created);
  for (const isInPhase of phases)
    yield* mapInOrder(
      records.filter(isInPhase),
      concurrency,
      (record) => [toPathKey(record)],
      async (record) => ({
        count: record.writes.length,
        row: record.writes.at(-1)?.row ?? 0,
        ...(await undo(record)),
      }),
    );
}

/** Returns a function that reads a record as it was before the first update by the import. */
function createEarlierReader(log: ImportLog): (path: RecordPath) => JsonObject | undefined {
  const updatedRecords = log.groupByRecord(new Map()).filter((record) => !isCreated(record));
  const firsts = new Map(updatedRecords.map((record) => [toPathKey(record), record.writes[0]]));
  return (path) => {
    const first = firsts.get(toPathKey(path));
    return first && log.load(first).before;
  };
}

const describeMatches = (noun: SingularNoun, matches: readonly CreateMatch[]) =>
  `The response was lost, and the import may have created ${matches.map(({ record }) => `${nouns[noun].title} ${record.id}`).join(' or ')}. Check before you delete it.`;

/** Returns a function that undoes the writes of one record. `created`: the records of lost creates, by write number. */
function createUndo(
  { client, run, log, isDryRun }: UndoOptions,
  records: readonly RecordWrites[],
  created: ReadonlyMap<number, JsonObject>,
) {
  /** The records that are or will be reverted. */
  const revertedKeys = new Set(records.map(toPathKey));
  // A note names an entry without its list.
  const newRecords = new Set(
    records.filter(isCreated).flatMap(({ noun, list_id, id }) =>
      [
        { noun, list_id, id },
        { noun, id },
      ].map(toPathKey),
    ),
  );
  const isNew = (path: RecordPath) => newRecords.has(toPathKey(path));
  const options = {
    ids: { newIds: new Map(), creationTimes: new Map() },
    isDryRun,
    readRelated: createRelatedReader(client, { limit: Number.POSITIVE_INFINITY, isOwner: isNew }),
    isReverted: (path: RecordPath) => revertedKeys.has(toPathKey(path)),
  };
  const load = (write: IndexedWrite): LoggedWrite => {
    const after = created.get(write.n);
    return { ...log.load(write), ...(after && { outcome: 'done', after }) };
  };
  return async (record: RecordWrites): Promise<RecordRevert> => {
    const writes = record.writes.map(load);
    const result = await revertRecord(client, run, { ...record, writes }, options);
    if (result.message !== undefined) revertedKeys.delete(toPathKey(record));
    return result;
  };
}
