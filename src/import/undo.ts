import { readRecord, sendWrite } from '../changes/nouns.ts';
import { isSameJson, revertValues } from '../changes/reversal.ts';
import {
  pickStoredValues,
  pickValues,
  replaceValues,
  type StoredRecord,
  type Values,
} from '../changes/values.ts';
import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { entries } from '../contract/entries.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { lists } from '../contract/lists.ts';
import { notes } from '../contract/notes.ts';
import { pathExists } from '../files/read-file.ts';
import { compareWorkspace, type WorkspaceAccess } from '../files/workspace-identity.ts';
import { once } from '../values/concurrency.ts';
import {
  getJournalPath,
  type ImportSubject,
  openJournal,
  readJournal,
  readOutcomes,
} from './import-report.ts';
import { mapInOrder } from './in-order.ts';
import type { CompletedStep } from './outcome.ts';
import { isNumberLike } from './table.ts';
import { openTextTable } from './table-file.ts';

/**
 * Reads the writes of the import that a report belongs to.
 * @throws {Failure} not_found without a journal, usage for an import into another workspace or the report of another
 * import
 */
export async function readImportWrites(report: string, access: WorkspaceAccess) {
  const journal = readJournal(report);
  if (!journal) throw createMissingFailure(report);
  checkWorkspace(report, journal.subject, access);
  const createdIds = new Set<string>();
  const ids = new Set<string>();
  let count = 0;
  for (const { id, completed = [] } of readOutcomes(report, journal)) {
    count += completed.length;
    if (id !== undefined) ids.add(id);
    for (const one of completed) if (!one.before) createdIds.add(one.id);
  }
  if (await belongsToOtherImport(report, ids)) {
    const message = `${report} and its journal ${getJournalPath(report)} belong to different imports.`;
    throw new Failure('usage', message, {
      hint: 'Move a report and its journal together. An undo needs only the journal, so you may delete the report.',
    });
  }
  const rows = new Set([...journal.traces.keys(), ...journal.offsets.keys()]);
  return {
    /** The number of writes. */
    count,
    /** The ids of the records that were created. */
    createdIds,
    /** Rows with a write whose response was lost. */
    unknownRows: [...rows].filter((row) => !journal.actions.has(row)).sort((one, other) => one - other),
    /** Yields the steps of a phase, the last row first. */
    async *steps(phase: Phase) {
      for (const { row = 0, completed = [] } of readOutcomes(report, journal)) {
        for (const step of completed.toReversed()) if (findPhase(step) === phase) yield { row, step };
      }
    },
    /** Records that the import is being undone: it cannot be resumed. */
    markUndone(): void {
      if (journal.isUndone) return;
      const open = openJournal(report, journal);
      try {
        open.append({ undone: true });
      } finally {
        open.close();
      }
    },
  };
}

/** The phases of an undo: changes and entries, then created contacts, then created organizations. */
const phases = ['change', 'contact', 'organization'] as const;
type Phase = (typeof phases)[number];

const findPhase = ({ what, before }: CompletedStep): Phase => (before || what === 'entry' ? 'change' : what);

function createMissingFailure(report: string): Failure {
  if (!pathExists(report)) return new Failure('not_found', `Report not found: ${report}`);
  return new Failure('not_found', `${report} has no journal: ${getJournalPath(report)} is missing.`, {
    hint: 'Move the journal back to that path. Without it the import cannot be undone.',
  });
}

/** Whether a report has only ids that the journal does not have: one of the two files was moved alone. */
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
    // The undo needs only the journal, so a missing or unreadable report is not an error.
    if (error instanceof Failure && error.code === 'usage') return false;
    throw error;
  }
  return hasOtherIds;
}

function checkWorkspace(report: string, subject: ImportSubject | undefined, access: WorkspaceAccess): void {
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

/** Undoes an import concurrently, except that the writes of one record are undone in order. A dry run sends nothing. */
export async function* undoWrites(
  client: Client,
  { createdIds, steps }: Awaited<ReturnType<typeof readImportWrites>>,
  { dryRun, concurrency }: { readonly dryRun: boolean; readonly concurrency: number },
) {
  const undo = createUndo(client, createdIds, dryRun);
  for (const phase of phases) {
    yield* mapInOrder(
      steps(phase),
      concurrency,
      ({ step }) => [toName(step)],
      async ({ row, step }) => {
        const record = toName(step);
        try {
          return { row, record, step, ...(await undo(step)) };
        } catch (error) {
          if (!isRecordFailure(error)) throw error;
          return { row, record, step, status: 'failed' as const, reason: error.message };
        }
      },
    );
  }
}

/** The result of undoing a step. */
interface UndoResult {
  readonly status: 'undone' | 'already' | 'changed';
  /** Why the step was skipped if its record has changed. */
  readonly reason?: string;
}

/**
 * Returns a function that deletes the record that a step created, or restores the values that it changed. It skips a
 * record that was changed since, and a created record to which someone has added something. A dry run sends nothing.
 * `createdIds` are the ids of the records that the import created.
 */
export function createUndo(client: Client, createdIds: ReadonlySet<string>, isDryRun: boolean) {
  /** Records as a dry run would leave them: an import may write a record several times. */
  const predicted = new Map<string, StoredRecord>();
  const deleted = new Set<string>();
  // The API has no filter for references to a record, so each list is read once, when it is first needed.
  const groupEntries = once(() => groupByOwner(createdIds, readEntries(client)));
  const groupOthers = once(() => groupByOwner(createdIds, readContactsAndNotes(client, predicted)));
  const findDependents = async ({ what, id }: CompletedStep): Promise<readonly Reference[]> => {
    if (what === 'entry') return [];
    const inLists = (await groupEntries()).get(id) ?? [];
    return what === 'contact' ? inLists : [...inLists, ...((await groupOthers()).get(id) ?? [])];
  };
  return async (step: CompletedStep): Promise<UndoResult> => {
    const name = toName(step);
    const record = predicted.get(name) ?? (await readRecord(client, step));
    if (!record) {
      deleted.add(name);
      return { status: 'already' };
    }
    const current = step.before ? pickValues(step.before, record) : pickStoredValues(record);
    if (step.before && isSameJson(current, step.before)) return { status: 'already' };
    if (!isSameJson(current, step.after)) return { status: 'changed', reason: 'was changed since' };
    if (step.before) {
      if (isDryRun) predicted.set(name, replaceValues(record, step.before));
      else await restore(client, step, step.before);
      return { status: 'undone' };
    }
    const dependent = (await findDependents(step)).find((one) => !deleted.has(toName(one)));
    if (dependent) return { status: 'changed', reason: `has the ${toName(dependent)} now` };
    if (!isDryRun) await sendWrite(client, { ...step, action: 'delete', body: {} });
    deleted.add(name);
    return { status: 'undone' };
  };
}

const toName = ({ what, id }: Pick<Reference, 'what' | 'id'>) => `${what} ${id}`;

/** Gives a record its earlier values. @throws {Failure} invalid if the interface cannot restore one of them */
async function restore(client: Client, step: CompletedStep, before: Values): Promise<void> {
  const { writes, lost } = revertValues(step, before, step.after);
  if (lost.length > 0) throw new Failure('invalid', `The interface cannot restore the ${lost.join(', ')}.`);
  for (const write of writes) await sendWrite(client, write);
}

/** A record that refers to others. */
interface Reference {
  readonly what: CompletedStep['what'] | 'note';
  readonly id: string;
  readonly owners: readonly (string | null | undefined)[];
}

async function* readEntries(client: Client): AsyncGenerator<Reference> {
  for await (const { value: list } of client.records(lists.list, {})) {
    for await (const { value: entry } of client.records(entries.list, { list_id: list.id ?? '' })) {
      yield { what: 'entry', id: entry.id ?? '', owners: [entry.entryable_id, entry.contact_id] };
    }
  }
}

async function* readContactsAndNotes(
  client: Client,
  predicted: ReadonlyMap<string, StoredRecord>,
): AsyncGenerator<Reference> {
  for (const [what, route] of [
    ['contact', contacts.list],
    ['note', notes.list],
  ] as const) {
    for await (const { value } of client.records(route, {})) {
      const reference = { what, id: value.id ?? '' };
      const { organization_id } = predicted.get(toName(reference)) ?? value;
      yield { ...reference, owners: [organization_id] };
    }
  }
}

/** Groups references by the owners that the import created. */
async function groupByOwner(createdIds: ReadonlySet<string>, references: AsyncIterable<Reference>) {
  const byOwner = new Map<string, Reference[]>();
  for await (const reference of references) {
    for (const owner of reference.owners) {
      if (owner && createdIds.has(owner)) byOwner.set(owner, [...(byOwner.get(owner) ?? []), reference]);
    }
  }
  return byOwner;
}
