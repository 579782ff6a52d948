import { toRequest } from '../../changes/nouns.ts';
import { contacts } from '../../contract/contacts.ts';
import { Failure, prefixError } from '../../contract/errors.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/permissions.ts';
import type { Conflict, MergedIds } from '../../merge/combine-fields.ts';
import {
  openMergeJournal,
  readMerges,
  removeOldMerges,
  resolveMergeFolder,
  type StoredMerge,
} from '../../merge/journal.ts';
import type { EntryOutcome } from '../../merge/plan-entries.ts';
import { type MergePlan, planMerge } from '../../merge/plan-merge.ts';
import { type MergeRecords, readMergeRecords } from '../../merge/read-merge.ts';
import { sendSteps } from '../../merge/steps.ts';
import { views } from '../../render/views.ts';
import { resolveDataFolder } from '../../settings/paths.ts';
import { listDefinedValues, readTexts } from '../../values/field-values.ts';
import { readObject } from '../../values/json-object.ts';
import { foldName } from '../../values/names.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';
import type { CommandResult } from '../command.ts';
import { resolveWorkspaceAccess } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { confirmDeletion } from '../interaction.ts';
import { withProgress } from '../print/progress.ts';
import { showRecord } from '../records.ts';
import { resolveReference, tryCall } from '../references/resolve-reference.ts';
import { previewRequests } from '../writing.ts';

interface MergeInput {
  /** References to the contact that stays, and to the one that is merged into it. */
  readonly keep: string;
  readonly other: string;
  readonly take: readonly string[];
}

/** Milliseconds to wait for another merge on this machine. */
const lockTimeout = 10_000;

/** Merges a contact into another. A merge that was interrupted is finished by the next run. */
export async function mergeContacts(session: Session, input: MergeInput): Promise<CommandResult> {
  const folder = resolveMergeFolder(resolveDataFolder(session.env));
  if (session.globals.dryRun) return merge(session, folder, input);
  makeFolder(folder, 0o700);
  const lock = { path: `${folder}/merge.lock`, work: 'is merging contacts' };
  return withLock(lock, session.lockHolder, () => merge(session, folder, input), lockTimeout);
}

async function merge(
  session: Session,
  folder: string,
  { keep, other, take }: MergeInput,
): Promise<CommandResult> {
  const access = await resolveWorkspaceAccess(session);
  const merges = readMerges(folder, access);
  const keepId = await resolveReference(session, 'contact', keep);
  const { otherId, stored } = await findOther(session, merges, keepId, other);
  if (otherId === undefined) {
    await session.note(`${other} was already merged into ${keepId}.`);
    return {
      ...(await showRecord(session, contacts.get, { contact_id: keepId }, views.contacts)),
      isReadOnly: true,
    };
  }
  const ids = { keep: keepId, other: otherId };
  const client = await session.client();
  const records = await withProgress(session, (update) =>
    readMergeRecords(client, ids, (count) => update(`Reading ${formatCount(count, 'record')}`)),
  );
  const plan = planMerge(records, ids, new Set(take), stored);
  if (!records.other && !stored) throw new Failure('not_found', `No contact has the id "${otherId}".`);
  const names = await describeBoth(ids, records, stored);
  for (const line of describeMergePlan(plan, records, names)) await session.note(line);
  if (session.globals.dryRun) return previewRequests(plan.steps.map(toRequest));
  await confirmDeletion(
    session,
    async () => `Merge ${names.other} into ${names.keep}, and delete ${otherId}?`,
  );
  removeOldMerges(merges, session.now());
  const current = { ...ids, other: { ...records.other, id: otherId }, entries: listEntries(records, keepId) };
  const journal = await openMergeJournal(folder, access, stored ?? current);
  await runMerge(session, ids, plan, journal, { take, isResumed: stored !== undefined });
  await session.note(`Merged ${names.other} into ${names.keep}.`);
  return showRecord(session, contacts.get, { contact_id: keepId }, views.contacts);
}

/** Sends the writes of a merge. The failure of one names the command that finishes the merge. */
async function runMerge(
  session: Session,
  ids: MergedIds,
  { steps }: MergePlan,
  journal: Awaited<ReturnType<typeof openMergeJournal>>,
  { take, isResumed }: { readonly take: readonly string[]; readonly isResumed: boolean },
): Promise<void> {
  try {
    const client = await session.createRecordingClient({
      command: 'contacts merge',
      ...(isResumed && {
        incomplete: `It completed an interrupted merge. ${journal.path} has the deleted contact.`,
      }),
    });
    await sendSteps(client, steps);
    await journal.finish(session.now());
  } catch (error) {
    const reason = session.signal.aborted ? session.signal.reason : error;
    const failure = prefixError('The merge is not finished', reason);
    if (!(failure instanceof Failure)) throw error;
    const { profile } = session.globals;
    const words = take
      .flatMap((field) => ['--take', field])
      .concat(profile === undefined ? [] : ['--profile', profile]);
    const line = ['kith contacts merge', ids.keep, ids.other, '--yes', ...words.map(quoteShellWord)].join(
      ' ',
    );
    const hint = `Nothing is lost; ${journal.path} has the addresses. Finish with: ${line}`;
    throw new Failure(failure.code, failure.message, { ...failure.detail, hint });
  }
}

/**
 * Finds the contact to merge, and its merge if that was interrupted. The id is undefined if it was merged already.
 * @throws {Failure} usage if both are one contact, or if an unfinished merge had another contact to keep or another key
 */
async function findOther(
  session: Session,
  merges: readonly StoredMerge[],
  keepId: string,
  text: string,
): Promise<{ readonly otherId?: string; readonly stored?: StoredMerge }> {
  const named = merges.filter((one) => isNamed(one, text));
  const foreign = named.find(({ hasOtherKey, finishedAt }) => hasOtherKey && !finishedAt);
  if (foreign) {
    throw new Failure('usage', `A merge of ${foreign.other.id} with another API key is not finished.`, {
      hint:
        'Use the key or profile that began it. If the key was revoked, move the journal to another folder; it may have the ' +
        `only copy of the addresses. ${foreign.path}`,
    });
  }
  const known = named.filter(({ hasOtherKey }) => !hasOtherKey);
  const open = known.find(({ finishedAt }) => !finishedAt);
  if (open && open.keep !== keepId) {
    throw new Failure('usage', `A merge of ${open.other.id} into ${open.keep} is not finished.`, {
      hint: `Finish it first: kith contacts merge ${open.keep} ${open.other.id}`,
    });
  }
  if (open) return { otherId: open.other.id, stored: open };
  const wasMerged = known.some(({ keep }) => keep === keepId);
  const found = await tryCall(() => resolveReference(session, 'contact', text));
  if ('value' in found && found.value !== keepId) return { otherId: found.value };
  if (wasMerged) return {};
  if ('failure' in found) throw found.failure;
  throw new Failure('usage', `Both references name the contact ${keepId}.`, {
    hint: 'Pass the id of the contact to keep, and then the id of the other. See `kith contacts duplicates`.',
  });
}

/** Whether a text names the contact that was merged: by its id or by an email address, which now belongs to nobody. */
const isNamed = ({ other }: StoredMerge, text: string) =>
  other.id === text || readTexts(other.emails).some((email) => foldName(email) === foldName(text));

async function describeBoth(ids: MergedIds, { keep, other }: MergeRecords, stored: StoredMerge | undefined) {
  const { formatName, labelRecord } = await import('../record-labels.ts');
  const describe = (contact: object, id: string) => formatName(labelRecord('contacts', { ...contact }, id));
  return { keep: describe(keep, ids.keep), other: describe(stored?.other ?? other ?? {}, ids.other) };
}

const listEntries = ({ lists }: MergeRecords, keepId: string) =>
  lists.flatMap(({ entries }) =>
    entries.flatMap(({ entryable_id, id }) => (entryable_id === keepId && id ? [id] : [])),
  );

/** Returns the lines that tell a person what a merge does, what it drops, and what it cannot move. */
function describeMergePlan(
  { changes, emails, conflicts, lost, entries, mentions }: MergePlan,
  { keep, other, hasDealFields }: MergeRecords,
  names: { readonly keep: string; readonly other: string },
): string[] {
  const { custom_fields, ...fields } = changes;
  const own = new Map<string, unknown>([
    ...Object.entries(keep),
    ...listDefinedValues(keep.custom_fields).map(({ name, value }) => [name, value] as const),
  ]);
  const values = Object.entries({
    ...(emails.length > 0 && { emails }),
    ...fields,
    ...readObject(custom_fields),
  });
  return [
    `${names.keep} gets from ${names.other}:${values.length + entries.length === 0 ? ' nothing' : ''}`,
    ...values.map(([name, value]) => `  ${name}: ${formatValue(omitItems(value, own.get(name)))}`),
    ...entries.map((entry) => `  ${describeEntry(entry)}`),
    ...(mentions > 0
      ? [`${formatCount(mentions, 'reference')} to ${names.other} will point to ${names.keep}.`]
      : []),
    ...conflicts.map(
      (conflict) =>
        `${describeConflict(conflict)} (--take ${quoteShellWord(conflict.field)} uses the other value)`,
    ),
    ...entries.flatMap(({ entry, conflicts }) =>
      conflicts.map((conflict) => `${entry}: ${describeConflict(conflict)}`),
    ),
    ...lost.map((name) => `Not moved: ${name}, which the API cannot write.`),
    ...(hasDealFields
      ? ['Not moved: fields of deals that name the contact. The API does not show deals.']
      : []),
    ...(other ? ['Not moved: the id and the creation time of the deleted contact.'] : []),
  ];
}

function describeEntry({ entry, list, into }: EntryOutcome): string {
  const name = `${entry} in "${list}"`;
  return into === undefined
    ? `${name}: copied to a new entry with a new id, key and creation time`
    : `${name}: combined with ${into}`;
}

const describeConflict = ({ field, kept, dropped }: Conflict) =>
  `${field}: keeps ${kept === undefined || kept === null ? 'no value' : formatValue(kept)}, drops ${formatValue(dropped)}`;

/** Returns the items of an array that another one does not have; any other value as it is. */
const omitItems = (value: unknown, omitted: unknown): unknown =>
  Array.isArray(value) && Array.isArray(omitted) ? value.filter((item) => !omitted.includes(item)) : value;

const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(formatValue).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
