import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { History } from '../../changes/history.ts';
import { type LoggedCommand, readOwnLog } from '../../changes/log.ts';
import { readRecord, toRequest } from '../../changes/nouns.ts';
import type { Recorder } from '../../changes/recorder.ts';
import { isSameJson } from '../../changes/reversal.ts';
import type { Client } from '../../client/client.ts';
import { contacts } from '../../contract/contacts.ts';
import { addErrorPrefix, Failure, isRecordFailure } from '../../contract/errors.ts';
import { organizations } from '../../contract/organizations.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { listNames } from '../../files/read-file.ts';
import { type MergedIds, type MergeNoun, mergeNouns } from '../../merge/merge-nouns.ts';
import { planMerge } from '../../merge/plan-merge.ts';
import { KeptRecordMissing, type MergeRecords, readMergeRecords } from '../../merge/read-merge.ts';
import { restoreKept, returnToOther } from '../../merge/restore-kept.ts';
import { MergeRun, type PlannedMerge, type Planner } from '../../merge/run-merge.ts';
import { isMergedName, isMergedRecord, readStoredMerge, type StoredMerge } from '../../merge/stored-merge.ts';
import { views } from '../../render/views.ts';
import { capitalize, formatCount, quoteShellWord } from '../../values/text.ts';
import type { CommandResult } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { confirmDeletion } from '../command/interaction.ts';
import { showRecord } from '../command/records.ts';
import { previewRequests } from '../command/writing.ts';
import { identifyWorkspace } from '../connect/connection.ts';
import { withProgress } from '../print/progress.ts';
import { findByName } from '../references/name-search.ts';
import { resolveReference, tryCall } from '../references/resolve-reference.ts';
import { resolveWorkspaceLogs } from '../undo/recording.ts';
import { withRevertLock } from '../undo/revert-last.ts';
import { describeMergePlan, type RecordNames } from './merge-plan-text.ts';

interface MergeInput {
  readonly noun: MergeNoun;
  /** References to the record to keep, and to the record that is merged into it. */
  readonly keep: string;
  readonly other: string;
  readonly take: readonly string[];
}

/** Merges a record into another. The next run finishes an interrupted merge. */
export async function mergeRecords(session: Session, input: MergeInput): Promise<CommandResult> {
  const folder = await resolveWorkspaceLogs(session);
  if (session.globals.dryRun) return merge(session, folder, input);
  return withRevertLock(session, folder, () => merge(session, folder, input));
}

async function merge(
  session: Session,
  folder: string,
  { noun, keep, other, take }: MergeInput,
): Promise<CommandResult> {
  const { place } = await identifyWorkspace(session);
  const keepId = await resolveReference(session, noun, keep);
  const { otherId, interrupted } = await findOther(session, folder, { noun, keepId, text: other, place });
  if (otherId === undefined) {
    await session.note(`${other} was already merged into ${keepId}.`);
    return { ...(await showMerged(session, noun, keepId)), isReadOnly: true };
  }
  const ids = { noun, keep: keepId, other: otherId };
  const stored = interrupted && readStoredMerge(interrupted);
  const first = await planNow(session, ids, take, stored);
  if (!first.records.other && !stored) throw new Failure('not_found', `No ${noun} has the id "${otherId}".`);
  const names = await describeBoth(ids, first.records, stored);
  for (const line of describeMergePlan(first, noun, names)) await session.note(line);
  if (session.globals.dryRun) return previewRequests(first.plan.steps.map(toRequest));
  const plannedMerge = await confirmMerge(session, { first, names, ids }, () =>
    planNow(session, ids, take, stored),
  );
  const { records } = plannedMerge;
  const merged = {
    noun,
    place,
    keep: keepId,
    other: { ...records.other, id: otherId },
    ...listOwnIds(records, keepId),
  };
  const command = `${mergeNouns[noun].collection} merge`;
  const recorder = await session.createRecorder({ command, merge: merged }, interrupted);
  const finalId = await finishMerge(session, ids, { take, names, plannedMerge, recorder });
  await session.note(`Merged ${names.other} into ${names.keep}.`);
  return showMerged(session, noun, finalId);
}

const showMerged = (session: Session, noun: MergeNoun, id: string) =>
  noun === 'contact'
    ? showRecord(session, contacts.get, { contact_id: id }, views.contacts)
    : showRecord(session, organizations.get, { organization_id: id }, views.organizations);

/** Reads the records of a merge, and plans its remaining steps. */
async function planNow(
  session: Session,
  ids: MergedIds,
  take: readonly string[],
  stored: StoredMerge | undefined,
): Promise<PlannedMerge> {
  const client = await session.client();
  const records = await withProgress(session, (update) =>
    readMergeRecords(client, ids, {
      interrupted: stored,
      onRead: (count) => update(`Reading ${formatCount(count, 'record')}`),
    }),
  );
  return { records, plan: planMerge(records, ids, new Set(take), stored) };
}

/** The maximum number of times that the question is asked again because the plan has changed. */
const maxQuestions = 3;

/** The plan and the names that the question before a merge shows. */
interface MergeQuestion {
  readonly first: PlannedMerge;
  readonly names: RecordNames;
  readonly ids: MergedIds;
}

/** Asks until the plan that was shown is still the current one. Returns the plan to begin with. */
async function confirmMerge(
  session: Session,
  { first, names, ids: { noun, other } }: MergeQuestion,
  plan: Planner,
): Promise<PlannedMerge> {
  const { collection } = mergeNouns[noun];
  let plannedMerge = first;
  for (let count = 0; count < maxQuestions; count += 1) {
    await confirmDeletion(session, async () => ({
      text: `Merge ${names.other} into ${names.keep}, and delete ${other}?`,
    }));
    if (session.globals.yes) return plannedMerge;
    const again = await plan();
    if (isSameJson(again.plan.steps, plannedMerge.plan.steps)) return again;
    await session.note(`The ${collection} changed while kith waited for your answer.`);
    for (const line of describeMergePlan(again, noun, names)) await session.note(line);
    plannedMerge = again;
  }
  throw new Failure('changed', `Someone else keeps changing the ${collection}. Nothing was written.`);
}

interface StartedMerge {
  readonly take: readonly string[];
  readonly names: RecordNames;
  readonly plannedMerge: PlannedMerge;
  readonly recorder: Recorder;
}

/**
 * Sends the writes of a merge. Returns the id of the record that has everything. The failure of a write names the command
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
    session.note(
      `The ${mergeNouns[ids.noun].collection} changed during the merge. kith merges these changes too.`,
    );
  const readKept = () => readRecord(client, { noun: ids.noun, id: ids.keep });
  try {
    await withProgress(session, (update) => {
      const onWrite = (done: number, total: number) =>
        update({ verb: 'Merging', done, total, unit: 'write' });
      return new MergeRun({ client, recorder }).run(plannedMerge, { plan: planAgain, onChange, onWrite });
    });
  } catch (error) {
    const isLost = error instanceof KeptRecordMissing || (isRecordFailure(error) && !(await readKept()));
    if (!isLost) throw explainInterruption(session, ids, take, recorder, error);
    const other = await readRecord(client, { noun: ids.noun, id: ids.other });
    if (other) return refuseWithoutKept(client, ids, names, recorder);
  }
  const isKept = await readKept();
  const id = isKept ? ids.keep : await restoreKept(client, recorder, latestRecords, ids);
  if (!isKept)
    await session.warn(
      `${names.keep} was merged into another ${ids.noun} at the same time. ${capitalize(ids.noun)} ${id} has all values of both.`,
    );
  recorder.finish();
  return id;
}

/** Ends a merge after someone else deleted the record to keep. Returns the moved values to the other record. */
async function refuseWithoutKept(
  client: Client,
  { noun, other }: MergedIds,
  names: { readonly keep: string },
  recorder: Recorder,
): Promise<never> {
  const log = readOwnLog(recorder.log);
  const stored = readStoredMerge(log);
  if (stored) await returnToOther(client, recorder, stored, log);
  recorder.finish();
  throw new Failure(
    'changed',
    `Someone else deleted ${names.keep} during the merge. ${other} was not deleted.`,
    {
      hint: `See the remaining record: kith ${mergeNouns[noun].collection} show ${other}`,
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
  const { collection, addresses } = mergeNouns[ids.noun];
  const line = [`kith ${collection} merge`, ids.keep, ids.other, '--yes', ...words.map(quoteShellWord)].join(
    ' ',
  );
  const hint = `No data is lost: ${recorder.log.path} contains the ${addresses}. To finish: ${line}`;
  return new Failure(failure.code, failure.message, { ...failure.detail, hint });
}

/** The other record of a merge, as a person typed it. */
interface OtherReference {
  readonly noun: MergeNoun;
  readonly keepId: string;
  readonly text: string;
  readonly place: string;
}

/**
 * Finds the record to merge, and its interrupted merge if there is one. The id is undefined if the record was already
 * merged.
 * @throws {Failure} usage if both are one record, or if an unfinished merge had another record to keep or another key
 */
async function findOther(
  session: Session,
  folder: string,
  { noun, keepId, text, place }: OtherReference,
): Promise<{ readonly otherId?: string; readonly interrupted?: LoggedCommand }> {
  const { collection, addresses } = mergeNouns[noun];
  const foreignMerge = findForeignMerge(folder, place, { noun, text });
  if (foreignMerge) {
    throw new Failure('usage', `A merge of ${foreignMerge.other.id} with another API key is not finished.`, {
      hint:
        'Use the key or profile that started it. If the key was revoked, move its log to another folder; it may have the ' +
        `only copy of the addresses. ${foreignMerge.path}`,
    });
  }
  const damagedMerge = findDamagedMerge(folder, `${collection} merge`, text);
  if (damagedMerge)
    throw new Failure('failed', `An earlier merge of ${text} left a damaged log: ${damagedMerge.path}`, {
      hint: `It may have the ${addresses} of the ${noun}. Move it to another folder to continue.`,
    });
  const allMerges = listMerges(folder, noun);
  const merges = allMerges.filter(({ merge }) => isMergedRecord(merge, text));
  const namesakes = allMerges.filter(({ merge }) => merge.keep === keepId && isMergedName(merge, text));
  const unfinished = [...merges, ...namesakes].find(({ command }) => !command.isFinished);
  if (unfinished && unfinished.merge.keep !== keepId) {
    const { keep, other } = unfinished.merge;
    throw new Failure('usage', `A merge of ${other.id} into ${keep} is not finished.`, {
      hint: `Finish it first: kith ${collection} merge ${keep} ${other.id}`,
    });
  }
  if (unfinished) return { otherId: unfinished.merge.other.id, interrupted: unfinished.command };
  // Another record may have the name of a merged record.
  if (namesakes.length > 0 && !(await hasNamesake(session, noun, { text, keepId }))) return {};
  const wasMerged = merges.some(({ merge }) => merge.keep === keepId);
  const reference = await tryCall(() => resolveReference(session, noun, text));
  if ('value' in reference && reference.value !== keepId) return { otherId: reference.value };
  if (wasMerged) return {};
  if ('failure' in reference) throw reference.failure;
  throw new Failure('usage', `Both references name the ${noun} ${keepId}.`, {
    hint: `List pairs to merge: kith ${collection} duplicates`,
  });
}

/** Whether a record other than the one to keep has a name. */
async function hasNamesake(
  session: Session,
  noun: MergeNoun,
  { text, keepId }: Pick<OtherReference, 'text' | 'keepId'>,
): Promise<boolean> {
  const { exact } = await findByName(session, noun, text);
  return exact.some(({ id }) => id !== keepId);
}

/** Lists the merges of a noun in a folder of logs, except reverted ones. */
function listMerges(folder: string, noun: MergeNoun) {
  const history = new History(folder);
  return history.commands.flatMap((command) => {
    const merge = history.isReverted(command) ? undefined : readStoredMerge(command);
    return merge?.noun === noun ? [{ command, merge }] : [];
  });
}

/** Finds the damaged log of a merge of a record: it may have the only copy of the addresses. */
const findDamagedMerge = (folder: string, command: string, text: string) =>
  new History(folder).damagedCommands.find(({ path }) => {
    const log = accessFile('read', path, () => readFileSync(path, 'utf8'));
    return log.includes(JSON.stringify(command)) && log.includes(JSON.stringify(text));
  });

/** Finds an unfinished merge of a record that another API key started in the same workspace. */
function findForeignMerge(
  folder: string,
  place: string,
  { noun, text }: Pick<OtherReference, 'noun' | 'text'>,
) {
  const parent = dirname(folder);
  const others = listNames(parent).filter((name) => name !== basename(folder));
  for (const name of others)
    for (const { command, merge } of listMerges(join(parent, name), noun))
      if (!command.isFinished && command.merge?.place === place && isMergedRecord(merge, text))
        return { ...merge, path: command.path };
  return undefined;
}

async function describeBoth(ids: MergedIds, { keep, other }: MergeRecords, stored: StoredMerge | undefined) {
  const { formatName, labelRecord } = await import('../command/record-labels.ts');
  const { collection } = mergeNouns[ids.noun];
  const describe = (record: object, id: string) => formatName(labelRecord(collection, { ...record }, id));
  return { keep: describe(keep, ids.keep), other: describe(stored?.other ?? other ?? {}, ids.other) };
}

/** Lists the ids of the entries and the notes of the record to keep. */
const listOwnIds = ({ lists, notes }: MergeRecords, keepId: string) => ({
  entries: lists.flatMap(({ entries }) =>
    entries.flatMap(({ entryable_id, id }) => (entryable_id === keepId ? [id] : [])),
  ),
  notes: notes.flatMap(({ organization_id, id }) => (organization_id === keepId ? [id] : [])),
});
