import type { Session } from '../../../cli/command/context.ts';
import { getDefaultConcurrency } from '../../../cli/connect/connection.ts';
import type { Client } from '../../../client/client.ts';
import { customFields } from '../../../contract/custom-fields.ts';
import { lists } from '../../../contract/lists.ts';
import { isWritableNoun, toSingularNoun, type WritableNoun } from '../../../contract/singular-nouns.ts';
import { readAll } from '../../../records/read-all.ts';
import { mapConcurrently } from '../../../values/concurrency.ts';
import { type JsonObject, readObject } from '../../../values/json-object.ts';
import { readTagged } from '../../../writes/nouns.ts';
import { type FieldChange, listDifferences, mergeChanges } from '../../edit/edit-document.ts';
import type { EditContext } from '../../edit/edit-nouns.ts';
import type { DeletedFile } from '../deletions.ts';
import { listDocumentFields } from '../document-fields.ts';
import type { LocalChanges } from '../local-changes.ts';
import { createFileFailure } from '../local-files.ts';
import { readChanges } from '../read-changes.ts';
import { type Definitions, getContext } from '../record-files.ts';
import type { FileEntry } from '../state.ts';
import type { WorkingCopy } from '../working-copy.ts';
import type { EditedRecord } from './read-edited.ts';
import type { NewRecord } from './read-new.ts';

/** A record to update, with the changes that the service does not have yet. */
export interface PlannedUpdate {
  readonly edited: EditedRecord;
  readonly changes: readonly FieldChange[];
  /** The record on the service. */
  readonly current: JsonObject;
  readonly etag: string | undefined;
}

/** A record to delete. */
export interface PlannedDeletion extends DeletedFile {
  readonly noun: WritableNoun;
  readonly context: EditContext;
  readonly current: JsonObject;
  readonly etag: string | undefined;
}

/** A record that changed both in its file and on the service. */
interface Conflict {
  readonly entry: FileEntry;
  readonly file: string;
  /** The changes in the file, and the changes on the service; empty if the record was deleted on one side. */
  readonly changes: readonly FieldChange[];
  readonly serviceValues: readonly FieldChange[];
  readonly reason?: string;
}

/** The writes of a push, and the conflicts. */
export interface PushPlan {
  readonly creates: readonly NewRecord[];
  readonly updates: readonly PlannedUpdate[];
  readonly deletions: readonly PlannedDeletion[];
  readonly conflicts: readonly Conflict[];
  /** Edited files whose changes the service has already, with the record on the service. */
  readonly alreadySent: readonly { readonly edited: EditedRecord; readonly current: JsonObject }[];
  /** Deleted files whose records were also deleted on the service. */
  readonly alreadyDeleted: readonly DeletedFile[];
}

/** Reads the custom fields and lists of the workspace in use. */
export async function readCurrentDefinitions(client: Client): Promise<Definitions> {
  const allLists = await readAll(client, lists.list, {});
  return {
    customFields: await readAll(client, customFields.list, {}),
    lists: new Map(allLists.map((list) => [list.id, list])),
  };
}

export interface PlanOptions {
  readonly copy: WorkingCopy;
  readonly definitions: Definitions;
  /** Whether to send the changes of records that changed on the service too. */
  readonly overwrite: boolean;
}

/**
 * Reads all changed files, compares their changes with the records on the service, and returns what to send.
 * @throws {Failure} usage with all errors in the files
 */
export async function planPush(
  session: Session,
  local: LocalChanges,
  options: PlanOptions,
): Promise<PushPlan> {
  const { copy, definitions, overwrite } = options;
  const { edited, records, errors } = await readChanges(session, copy, local, definitions);
  if (errors.length > 0) throw createFileFailure(errors);
  const client = await session.client();
  const concurrency = await getDefaultConcurrency(session);
  const plan: MutablePlan = {
    creates: [...records],
    updates: [],
    deletions: [],
    conflicts: [],
    alreadySent: [],
    alreadyDeleted: [],
  };
  const readCurrent = ({ noun, id, list_id }: FileEntry) =>
    isWritableNoun(noun) ? readTagged(client, { noun: toSingularNoun(noun), id, list_id }) : undefined;
  await mapConcurrently(edited, concurrency, async (record) => {
    planUpdate(plan, record, await readCurrent(record.entry), overwrite);
  });
  await mapConcurrently(local.deleted, concurrency, async (deleted) => {
    const current = await readCurrent(deleted.entry);
    if (!current) plan.alreadyDeleted.push(deleted);
    else planDeletion(plan, options, deleted, current);
  });
  return plan;
}

type MutablePlan = {
  [Name in keyof PushPlan]: PushPlan[Name][number][];
};

type Current = { readonly value: JsonObject; readonly etag: string | undefined };

function planUpdate(
  plan: MutablePlan,
  edited: EditedRecord,
  found: Current | undefined,
  overwrite: boolean,
): void {
  const { noun, entry, file, context } = edited;
  if (!found) {
    const reason =
      'The record was deleted on the service. Delete the file, or remove its id and rename it to create the record again.';
    plan.conflicts.push({ entry, file, changes: edited.changes, serviceValues: [], reason });
    return;
  }
  const { value, etag } = found;
  const before = listDocumentFields(noun, edited.base, context);
  const current = listDocumentFields(noun, value, context);
  const { changes, serviceChanges } = mergeChanges(edited.changes, before, current);
  if (changes.length === 0) plan.alreadySent.push({ edited, current: value });
  else if (serviceChanges.length === 0 || overwrite)
    plan.updates.push({ edited, changes, current: value, etag });
  else plan.conflicts.push({ entry, file, changes: edited.changes, serviceValues: serviceChanges });
}

function planDeletion(
  plan: MutablePlan,
  { copy: { state }, definitions, overwrite }: PlanOptions,
  deleted: DeletedFile,
  { value, etag }: Current,
): void {
  const { entry } = deleted;
  const { noun, list_id, file } = entry;
  if (!isWritableNoun(noun)) return;
  const context = getContext(definitions, noun, list_id);
  const base = listDocumentFields(noun, readObject(JSON.parse(state.read(entry).record)), context);
  const conflicts = listDifferences(base, listDocumentFields(noun, value, context));
  if (conflicts.length === 0 || overwrite)
    plan.deletions.push({ ...deleted, noun, context, current: value, etag });
  else {
    const reason = 'The file was deleted, and the record changed on the service.';
    plan.conflicts.push({ entry, file, changes: [], serviceValues: conflicts, reason });
  }
}
