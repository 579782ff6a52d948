import { resolveWorkspaceLogs } from '../../cli/change-log.ts';
import type { CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { confirmPlan } from '../../cli/command/interaction.ts';
import { showRecord } from '../../cli/command/records.ts';
import { identifyWorkspace } from '../../cli/connect/connection.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { findByName } from '../../cli/references/name-search.ts';
import { resolveReference, tryCall } from '../../cli/references/resolve-reference.ts';
import { type OpenRun, startRun } from '../../cli/write-run.ts';
import { previewRequests } from '../../cli/writes/writing.ts';
import { contacts } from '../../contract/contacts.ts';
import { addErrorPrefix, Failure, isUnreadable } from '../../contract/errors.ts';
import { organizations } from '../../contract/organizations.ts';
import { type PartyNoun, pluralNouns } from '../../contract/singular-nouns.ts';
import { type MergedIds, mergeNouns } from '../../merge/merge-nouns.ts';
import { planMerge } from '../../merge/plan-merge.ts';
import { readMergeRecords } from '../../merge/read-merge.ts';
import { MergeConflict, MergeRun, type PlannedMerge } from '../../merge/run-merge.ts';
import { views } from '../../render/views.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';
import { toRequest } from '../../writes/nouns.ts';
import type { Recorder } from '../../writes/recorder.ts';
import { withRevertLock } from '../undo/revert-last.ts';
import {
  isMergedName,
  isMergedRecord,
  listMerges,
  requireUsableLogs,
  revertInterrupted,
  revertLogged,
} from './interrupted-merges.ts';
import { describeMergePlan } from './merge-plan-text.ts';

interface MergeInput {
  readonly noun: PartyNoun;
  /** References to the record to keep, and to the record that is merged into it. */
  readonly keep: string;
  readonly other: string;
  readonly take: readonly string[];
}

/** Merges a record into another. Reverts an interrupted merge first. */
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
  requireUsableLogs(folder, place, noun, other);
  const newIds = await revertInterrupted(session, folder);
  const [keepText, otherText] = [keep, other].map((text) => newIds.get(text) ?? text) as [string, string];
  const keepId = await resolveReference(session, noun, keepText);
  const otherId = await findOther(session, folder, noun, keepId, otherText);
  if (otherId === undefined) {
    await session.messages.note(`${other} was already merged into ${keepId}.`);
    return { ...(await showMerged(session, noun, keepId)), isReadOnly: true };
  }
  const ids = { noun, keep: keepId, other: otherId };
  const read = () => proposeMerge(session, ids, take);
  if (session.globals.dryRun) {
    const { lines, plan } = await read();
    for (const line of lines) await session.messages.note(line);
    return previewRequests(plan.steps.map(toRequest));
  }
  const { names, ...plannedMerge } = await confirmPlan(session, 'delete', read);
  const merged = { noun, place, keep: keepId, other: { ...plannedMerge.records.other, id: otherId } };
  const command = `${pluralNouns[noun]} merge`;
  const opened = await startRun(session, {}, async ({ connections }) => ({
    recorder: await connections.createRecorder({ command, merge: merged }),
  }));
  try {
    await runMerge(session, folder, ids, plannedMerge, take, opened);
  } finally {
    opened.close();
  }
  await session.messages.note(`Merged ${names.other} into ${names.keep}.`);
  return showMerged(session, noun, keepId);
}

const showMerged = (session: Session, noun: PartyNoun, id: string) =>
  noun === 'contact'
    ? showRecord(session, contacts.get, { contact_id: id }, views.contacts)
    : showRecord(session, organizations.get, { organization_id: id }, views.organizations);

/** Reads the records of a merge, plans it, and describes it for the question. */
async function proposeMerge(session: Session, ids: MergedIds, take: readonly string[]) {
  const client = await session.client();
  const records = await withProgress(session, (update) =>
    readMergeRecords(client, ids, (count) => update(`Reading ${formatCount(count, 'record')}`)),
  );
  const plan = planMerge(records, ids, new Set(take));
  const { formatName, labelRecord } = await import('../../cli/writes/record-labels.ts');
  const describe = (record: object, id: string) =>
    formatName(labelRecord(pluralNouns[ids.noun], { ...record }, id));
  const names = { keep: describe(records.keep, ids.keep), other: describe(records.other, ids.other) };
  return {
    plan,
    records,
    names,
    text: `Merge ${names.other} into ${names.keep}, and delete ${ids.other}?`,
    lines: describeMergePlan({ plan, records }, ids.noun, names),
    seen: [records.keep, records.other, plan.steps],
  };
}

/** Sends the writes of a merge. If it must stop, reverts them. */
async function runMerge(
  session: Session,
  folder: string,
  ids: MergedIds,
  { plan, records }: PlannedMerge,
  take: readonly string[],
  { run, recorder }: OpenRun<{ readonly recorder: Recorder }>,
): Promise<void> {
  const client = await session.client();
  const total = plan.steps.length;
  try {
    await withProgress(session, (update) => {
      const onRead = (count: number) => update(`Reading ${formatCount(count, 'record')}`);
      const onWrite = (done: number) => update({ verb: 'Merging', done, total, unit: 'write' });
      return new MergeRun(records, { client, run, ids, onRead, onWrite }).run(plan);
    });
    recorder.finish();
  } catch (error) {
    const line = formatMergeLine(session, ids, take);
    const log = recorder.open();
    const explain = (interruption: unknown) => {
      const failure = addErrorPrefix('The merge is not finished', interruption);
      if (!(failure instanceof Failure)) return interruption;
      const hint = `No data is lost: ${log.path} contains the ${mergeNouns[ids.noun].addresses}. To revert: kith undo. To finish: ${line}`;
      return new Failure(failure.code, failure.message, { ...failure.detail, hint });
    };
    const reason = session.signal.aborted ? session.signal.reason : error;
    if (!(reason instanceof MergeConflict || isRefusal(reason))) throw explain(reason);
    const { reasons } = await withProgress(session, (update) => {
      update('Reverting the merge');
      return revertLogged(session, folder, ids, log);
    }).catch((failure: unknown) => {
      throw explain(failure);
    });
    const message =
      reason instanceof MergeConflict
        ? `${reason.message}, so kith reverted it: run it again.`
        : `The merge was reverted: ${reason.message}`;
    const hint = `Run it again: ${line}`;
    throw new Failure(reason.code, [message, ...reasons].join(' '), { ...reason.detail, hint });
  }
}

/** Whether the service refused a write for a reason that concerns only this merge. */
const isRefusal = (error: unknown): error is Failure => isUnreadable(error) && error.code !== 'unknown';

function formatMergeLine(
  session: Session,
  { noun, keep, other }: MergedIds,
  take: readonly string[],
): string {
  const { profile } = session.globals;
  const words = take
    .flatMap((field) => ['--take', field])
    .concat(profile === undefined ? [] : ['--profile', profile]);
  return [`kith ${pluralNouns[noun]} merge`, keep, other, '--yes', ...words.map(quoteShellWord)].join(' ');
}

/**
 * Finds the record to merge, which a person typed as `text`. Returns undefined if it was already merged.
 * @throws {Failure} usage if both are one record
 */
async function findOther(
  session: Session,
  folder: string,
  noun: PartyNoun,
  keepId: string,
  text: string,
): Promise<string | undefined> {
  const merges = listMerges(folder).filter(({ merge }) => merge.noun === noun && merge.keep === keepId);
  if (merges.some((logged) => isMergedName(logged, text))) {
    const { exact } = await findByName(session, noun, text);
    // Another record may have the name of a merged record.
    if (!exact.some(({ id }) => id !== keepId)) return undefined;
  }
  const reference = await tryCall(() => resolveReference(session, noun, text));
  const wasMerged = merges.some((logged) => isMergedRecord(logged, text));
  if ('value' in reference && reference.value !== keepId) return reference.value;
  if (wasMerged) return undefined;
  if ('failure' in reference) throw reference.failure;
  throw new Failure('usage', `Both references name the ${noun} ${keepId}.`, {
    hint: `List pairs to merge: kith ${pluralNouns[noun]} duplicates`,
  });
}
