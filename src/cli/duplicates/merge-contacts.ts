import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { History } from '../../changes/history.ts';
import { type LoggedCommand, readOwnLog } from '../../changes/log.ts';
import { readRecord, toRequest } from '../../changes/nouns.ts';
import type { Recorder } from '../../changes/recorder.ts';
import { isSameJson } from '../../changes/reversal.ts';
import type { Client } from '../../client/client.ts';
import { contacts } from '../../contract/contacts.ts';
import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { listNames } from '../../files/read-file.ts';
import type { MergedIds } from '../../merge/combine-fields.ts';
import { planMerge } from '../../merge/plan-merge.ts';
import { KeptContactMissing, type MergeRecords, readMergeRecords } from '../../merge/read-merge.ts';
import { restoreKept, returnAddresses } from '../../merge/restore-kept.ts';
import { MergeRun, type Planner } from '../../merge/run-merge.ts';
import { isMergedContact, readStoredMerge, type StoredMerge } from '../../merge/stored-merge.ts';
import { views } from '../../render/views.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';
import type { CommandResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { confirmDeletion } from '../command/interaction.ts';
import { showRecord } from '../command/records.ts';
import { previewRequests } from '../command/writing.ts';
import { identifyWorkspace } from '../connect/connection.ts';
import { withProgress } from '../print/progress.ts';
import { resolveReference, tryCall } from '../references/resolve-reference.ts';
import { resolveWorkspaceLogs } from '../undo/recording.ts';
import { withRevertLock } from '../undo/revert-last.ts';
import { type ContactNames, describeMergePlan } from './merge-plan-text.ts';

interface MergeInput {
  /** References to the contact to keep, and to the contact that is merged into it. */
  readonly keep: string;
  readonly other: string;
  readonly take: readonly string[];
}

/** Merges a contact into another. A merge that was interrupted is finished by the next run. */
export async function mergeContacts(session: Session, input: MergeInput): Promise<CommandResult> {
  const folder = await resolveWorkspaceLogs(session);
  if (session.globals.dryRun) return merge(session, folder, input);
  return withRevertLock(session, folder, () => merge(session, folder, input));
}

async function merge(
  session: Session,
  folder: string,
  { keep, other, take }: MergeInput,
): Promise<CommandResult> {
  const { place } = await identifyWorkspace(session);
  const keepId = await resolveReference(session, 'contact', keep);
  const { otherId, interrupted } = await findOther(session, folder, { keepId, text: other, place });
  if (otherId === undefined) {
    await session.note(`${other} was already merged into ${keepId}.`);
    return { ...(await showContact(session, keepId)), isReadOnly: true };
  }
  const ids = { keep: keepId, other: otherId };
  const stored = interrupted && readStoredMerge(interrupted);
  const first = await planNow(session, ids, take, stored);
  if (!first.records.other && !stored) throw new Failure('not_found', `No contact has the id "${otherId}".`);
  const names = await describeBoth(ids, first.records, stored);
  for (const line of describeMergePlan(first.plan, first.records, names)) await session.note(line);
  if (session.globals.dryRun) return previewRequests(first.plan.steps.map(toRequest));
  const plannedMerge = await confirmMerge(session, { first, names, id: otherId }, () =>
    planNow(session, ids, take, stored),
  );
  const { records } = plannedMerge;
  const merged = {
    place,
    keep: keepId,
    other: { ...records.other, id: otherId },
    entries: listEntries(records, keepId),
  };
  const recorder = await session.createRecorder({ command: 'contacts merge', merge: merged }, interrupted);
  const finalId = await finishMerge(session, ids, { take, names, plannedMerge, recorder });
  await session.note(`Merged ${names.other} into ${names.keep}.`);
  return showContact(session, finalId);
}

const showContact = (session: Session, contact_id: string) =>
  showRecord(session, contacts.get, { contact_id }, views.contacts);

/** A plan with the records that it was made for. */
type PlannedMerge = Awaited<ReturnType<Planner>>;

/** Reads the records of a merge, and plans its remaining steps. */
async function planNow(
  session: Session,
  ids: MergedIds,
  take: readonly string[],
  stored: StoredMerge | undefined,
): Promise<PlannedMerge> {
  const client = await session.client();
  const records = await withProgress(session, (update) =>
    readMergeRecords(client, ids, (count) => update(`Reading ${formatCount(count, 'record')}`)),
  );
  return { records, plan: planMerge(records, ids, new Set(take), stored) };
}

/** The maximum number of times that the question is asked again because the plan has changed. */
const maxQuestions = 3;

/** The plan that a question is about. */
interface MergeQuestion {
  readonly first: PlannedMerge;
  readonly names: ContactNames;
  /** The id of the contact that is deleted. */
  readonly id: string;
}

/** Asks until the plan that was shown is still the current one. Returns the plan to begin with. */
async function confirmMerge(
  session: Session,
  { first, names, id }: MergeQuestion,
  plan: Planner,
): Promise<PlannedMerge> {
  let plannedMerge = first;
  for (let count = 0; count < maxQuestions; count += 1) {
    await confirmDeletion(session, async () => `Merge ${names.other} into ${names.keep}, and delete ${id}?`);
    if (session.globals.yes) return plannedMerge;
    const again = await plan();
    if (isSameJson(again.plan.steps, plannedMerge.plan.steps)) return again;
    await session.note('The contacts changed while kith waited for your answer.');
    for (const line of describeMergePlan(again.plan, again.records, names)) await session.note(line);
    plannedMerge = again;
  }
  throw new Failure('changed', 'Someone else keeps changing the contacts. Nothing was written.');
}

interface StartedMerge {
  readonly take: readonly string[];
  readonly names: ContactNames;
  readonly plannedMerge: PlannedMerge;
  readonly recorder: Recorder;
}

/**
 * Sends the writes of a merge. Returns the id of the contact that has everything. The failure of a write names the command
 * that finishes the merge.
 */
async function finishMerge(
  session: Session,
  ids: MergedIds,
  { take, names, plannedMerge, recorder }: StartedMerge,
): Promise<string> {
  const client = await session.client();
  let latestRecords = plannedMerge.records;
  const planAgain = async () => {
    const again = await planNow(session, ids, take, readStoredMerge(readOwnLog(recorder.log)));
    latestRecords = again.records;
    return again;
  };
  const onChange = () =>
    session.note('The contacts changed during the merge. kith merges these changes too.');
  try {
    await new MergeRun(client, recorder, planAgain, onChange).run(plannedMerge);
  } catch (error) {
    if (!(error instanceof KeptContactMissing))
      throw explainInterruption(session, ids, take, recorder, error);
    const other = await readRecord(client, { noun: 'contact', id: ids.other });
    if (other) return refuseWithoutKept(client, ids, names, recorder);
  }
  const isKept = await readRecord(client, { noun: 'contact', id: ids.keep });
  const id = isKept ? ids.keep : await restoreKept(client, recorder, latestRecords, ids);
  if (!isKept)
    await session.warn(
      `${names.keep} was merged into another contact at the same time. Contact ${id} has all values of both.`,
    );
  recorder.finish();
  return id;
}

/** Ends a merge after someone else deleted the contact to keep: the other contact gets its addresses back. */
async function refuseWithoutKept(
  client: Client,
  { other }: MergedIds,
  names: { readonly keep: string },
  recorder: Recorder,
): Promise<never> {
  const stored = readStoredMerge(readOwnLog(recorder.log));
  if (stored) await returnAddresses(client, recorder, stored);
  recorder.finish();
  throw new Failure(
    'changed',
    `Someone else deleted ${names.keep} during the merge. ${other} was not deleted.`,
    {
      hint: `See what is left: kith contacts show ${other}`,
    },
  );
}

/** Returns the failure of a merge that can be finished later, with the command that finishes it. */
function explainInterruption(
  session: Session,
  ids: MergedIds,
  take: readonly string[],
  recorder: Recorder,
  error: unknown,
): unknown {
  const reason = session.signal.aborted ? session.signal.reason : error;
  const failure = addErrorPrefix('The merge is not finished', reason);
  if (!(failure instanceof Failure)) return error;
  const { profile } = session.globals;
  const words = take
    .flatMap((field) => ['--take', field])
    .concat(profile === undefined ? [] : ['--profile', profile]);
  const line = ['kith contacts merge', ids.keep, ids.other, '--yes', ...words.map(quoteShellWord)].join(' ');
  const hint = `No data is lost: ${recorder.log.path} contains the addresses. To finish: ${line}`;
  return new Failure(failure.code, failure.message, { ...failure.detail, hint });
}

/**
 * Finds the contact to merge, and its merge if that was interrupted. The id is undefined if it was merged already.
 * @throws {Failure} usage if both are one contact, or if an unfinished merge had another contact to keep or another key
 */
async function findOther(
  session: Session,
  folder: string,
  { keepId, text, place }: { readonly keepId: string; readonly text: string; readonly place: string },
): Promise<{ readonly otherId?: string; readonly interrupted?: LoggedCommand }> {
  const foreign = findForeignMerge(folder, place, text);
  if (foreign) {
    throw new Failure('usage', `A merge of ${foreign.other.id} with another API key is not finished.`, {
      hint:
        'Use the key or profile that started it. If the key was revoked, move its log to another folder; it may have the ' +
        `only copy of the addresses. ${foreign.path}`,
    });
  }
  const damaged = findDamagedMerge(folder, text);
  if (damaged)
    throw new Failure('failed', `An earlier merge of ${text} left a damaged log: ${damaged.path}`, {
      hint: 'It may have the email addresses of the contact. Move it to another folder to continue',
    });
  const merges = listMerges(folder).filter(({ merge }) => isMergedContact(merge, text));
  const open = merges.find(({ command }) => !command.isFinished);
  if (open && open.merge.keep !== keepId) {
    const { keep, other } = open.merge;
    throw new Failure('usage', `A merge of ${other.id} into ${keep} is not finished.`, {
      hint: `Finish it first: kith contacts merge ${keep} ${other.id}`,
    });
  }
  if (open) return { otherId: open.merge.other.id, interrupted: open.command };
  const wasMerged = merges.some(({ merge }) => merge.keep === keepId);
  const reference = await tryCall(() => resolveReference(session, 'contact', text));
  if ('value' in reference && reference.value !== keepId) return { otherId: reference.value };
  if (wasMerged) return {};
  if ('failure' in reference) throw reference.failure;
  throw new Failure('usage', `Both references name the contact ${keepId}.`, {
    hint: 'Pass the id of the contact to keep, and then the id of the other. See `kith contacts duplicates`.',
  });
}

/** Lists the merges in a folder of logs that are not undone. */
function listMerges(folder: string) {
  const history = new History(folder);
  return history.commands.flatMap((command) => {
    const merge = history.isReverted(command) ? undefined : readStoredMerge(command);
    return merge ? [{ command, merge }] : [];
  });
}

/** Finds the damaged log of a merge of a contact: it may have the only copy of the addresses. */
const findDamagedMerge = (folder: string, text: string) =>
  new History(folder).damagedCommands.find(({ path }) => {
    const log = accessFile('read', path, () => readFileSync(path, 'utf8'));
    return log.includes('"contacts merge"') && log.includes(JSON.stringify(text));
  });

/** Finds an unfinished merge of a contact that another API key started in the same workspace. */
function findForeignMerge(folder: string, place: string, text: string) {
  const parent = dirname(folder);
  const others = listNames(parent).filter((name) => name !== basename(folder));
  for (const name of others)
    for (const { command, merge } of listMerges(join(parent, name)))
      if (!command.isFinished && command.merge?.place === place && isMergedContact(merge, text))
        return { ...merge, path: command.path };
  return undefined;
}

async function describeBoth(ids: MergedIds, { keep, other }: MergeRecords, stored: StoredMerge | undefined) {
  const { formatName, labelRecord } = await import('../command/record-labels.ts');
  const describe = (contact: object, id: string) => formatName(labelRecord('contacts', { ...contact }, id));
  return { keep: describe(keep, ids.keep), other: describe(stored?.other ?? other ?? {}, ids.other) };
}

const listEntries = ({ lists }: MergeRecords, keepId: string) =>
  lists.flatMap(({ entries }) =>
    entries.flatMap(({ entryable_id, id }) => (entryable_id === keepId && id ? [id] : [])),
  );
