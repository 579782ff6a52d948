import { isRecorded } from '../../cli/change-log.ts';
import type { Question, Session } from '../../cli/command/context.ts';
import {
  countRecords,
  isNameUnique,
  type RecordLabel,
  truncateName,
} from '../../cli/writes/record-labels.ts';
import { type DeletableNoun, type SingularNoun, toSingularNoun } from '../../contract/singular-nouns.ts';
import { type RecordPath, toPathKey } from '../../records/path.ts';
import { createRelatedReader, maxRelated } from '../../records/referrers.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { formatCount, formatInteger } from '../../values/text.ts';

/** A record to delete. */
export interface DeletedRecord extends RecordLabel {
  /** The record as received. */
  readonly record?: JsonObject | undefined;
  /** The number of entries of a list, if it is known. */
  readonly entryCount?: number | undefined;
  /** Another effect of the deletion, as a sentence. */
  readonly consequence?: string | undefined;
}

/** The numbers of records that a deletion affects; undefined if not known. */
interface AffectedRecords {
  /** The deleted entries. */
  readonly entries?: number | undefined;
  /** The deleted notes. */
  readonly notes?: number | undefined;
  /** The remaining records that lose their organization, a reference or the values of a field. */
  readonly clearedCount?: number | undefined;
  /** The remaining notes that lose their deal. */
  readonly dealCount?: number | undefined;
  /** Whether entries with keys may be deleted. */
  readonly hasEntryKeys: boolean;
  /** The kinds of affected records that could not be read. */
  readonly unreadKinds: readonly string[];
}

/** Maximum number of records that a question names, and that y confirms. */
export const maxRecordsInQuestion = 10;

/**
 * Builds the question before a deletion. It names `records`, the first of `ids`, the number of other affected records,
 * and the values that cannot be restored. For many records, or a list with entries, the answer must be typed.
 */
export async function buildDeletionQuestion(
  session: Session,
  noun: DeletableNoun,
  records: readonly DeletedRecord[],
  ids: readonly string[],
): Promise<Question> {
  const [first, ...others] = records;
  if (!first) throw new Error('there is no record to delete');
  const isOne = others.length === 0;
  const count = ids.length;
  const { seen, ...counts } = await countAffected(session, noun, records, ids);
  const affectedRecords = {
    ...counts,
    ...(noun === 'lists' && countListEntries(records, count)),
  };
  const contents = describeContents(noun, affectedRecords);
  const names = records.map((record) => quoteName(noun, record));
  const more = count > records.length ? ` and ${count - records.length} more` : '';
  const subject = isOne ? `${first.noun} ${names.join()}` : countRecords(noun, count);
  const question = [
    `Delete ${subject}`,
    contents && ` and ${isOne ? 'its' : 'their'} ${contents}`,
    isOne ? '' : `: ${names.join(', ')}${more}`,
    '?',
  ].join('');
  const isUndoable =
    noun !== 'recordings' &&
    records.every(({ entryCount = 0 }) => entryCount <= maxRelated) &&
    (await isRecorded(session));
  const sentences = [
    question,
    describeCleared(noun, affectedRecords, isOne),
    describeDeals(affectedRecords),
    isUndoable ? describeLoss(noun, records, affectedRecords) : 'This cannot be undone.',
    describeUnread(affectedRecords, isUndoable),
    ...new Set(records.map(({ consequence }) => consequence)),
  ];
  const text = sentences.filter(Boolean).join(' ');
  return { ...requireAnswer(noun, records, count, contents === '', text), seen: [records, ids, seen] };
}

/** Returns the question that requires a name or a number if it is about many records. */
function requireAnswer(
  noun: DeletableNoun,
  [first, ...others]: readonly DeletedRecord[],
  count: number,
  isEmpty: boolean,
  text: string,
): Question {
  if (noun !== 'lists' || isEmpty || !first) return requireCount(text, count);
  if (others.length > 0) return toCountQuestion(text, count);
  const answer = first.name || first.id;
  return { text: `${text} Type ${first.name ? 'its name' : answer} to confirm:`, answer };
}

/** Returns a question before a deletion, which requires the number of records if there are many. */
export function requireCount(text: string, count: number): Question {
  return count > maxRecordsInQuestion ? toCountQuestion(text, count) : { text };
}

const toCountQuestion = (text: string, count: number): Question => ({
  text: `${text} Type ${count} to confirm:`,
  answer: String(count),
});

/** Quotes the name of a record. A name that has to be typed is complete. */
function quoteName(noun: DeletableNoun, { id, key, name }: RecordLabel): string {
  if (name === '') return key ?? id;
  return isNameUnique(noun)
    ? `"${noun === 'lists' ? name : truncateName(name)}"`
    : `"${truncateName(name)}" (${key ?? id})`;
}

/** Adds the numbers of entries of lists. The sum is not known if there are more lists than `records`. */
function countListEntries(records: readonly DeletedRecord[], count: number) {
  let entries: number | undefined = records.length < count ? undefined : 0;
  for (const { entryCount } of records)
    entries = entries === undefined || entryCount === undefined ? undefined : entries + entryCount;
  return { entries, hasEntryKeys: records.some((record) => record.noun === 'process') };
}

/** Counts the records that the deletions affect together, each once. */
async function countAffected(
  session: Session,
  noun: DeletableNoun,
  records: readonly DeletedRecord[],
  ids: readonly string[],
): Promise<AffectedRecords & { readonly seen: readonly string[] }> {
  if (noun === 'notes' || noun === 'recordings') return { hasEntryKeys: false, unreadKinds: [], seen: [] };
  const singular = toSingularNoun(noun);
  const readRelated = createRelatedReader(await session.client());
  const deletedByKey = new Map<string, RecordPath & { readonly record: JsonObject }>();
  const clearedByKey = new Map<string, RecordPath>();
  const unreadKinds = new Set<string>();
  const paths = ids.map((id, index) => ({ noun: singular, id: records[index]?.id ?? id }));
  for (const [index, path] of paths.entries()) {
    const missing = await readRelated(path, records[index]?.record ?? {}, (related) => {
      for (const record of related)
        if ('record' in record) deletedByKey.set(toPathKey(record), record);
        else clearedByKey.set(toPathKey(record), record);
    });
    for (const name of missing) unreadKinds.add(name);
  }
  for (const key of [...paths.map(toPathKey), ...deletedByKey.keys()]) clearedByKey.delete(key);
  // The question already has the number of a list's entries.
  if (noun === 'lists') unreadKinds.delete('entries');
  const deletedRecords = [...deletedByKey.values()];
  const count = (counted: SingularNoun) => deletedRecords.filter((record) => record.noun === counted).length;
  const dealCount = [...clearedByKey.values()].filter((record) => record.noun === 'note').length;
  // The API does not show deals, and `records` may be only the first of many fields.
  const canHaveUnreadValues = ids.some(
    (_, index) => !['contact', 'organization'].includes(String(records[index]?.record?.model)),
  );
  const isUncounted = noun === 'customFields' && (canHaveUnreadValues || unreadKinds.size > 0);
  return {
    entries: unreadKinds.has('entries') ? undefined : count('entry'),
    notes: unreadKinds.has('notes') ? undefined : count('note'),
    clearedCount: isUncounted ? undefined : clearedByKey.size - dealCount,
    dealCount,
    hasEntryKeys:
      unreadKinds.has('entries') || deletedRecords.some(({ record }) => typeof record.key === 'string'),
    unreadKinds: [...unreadKinds],
    seen: [...deletedRecords, ...clearedByKey.values()].map((record) => JSON.stringify(record)).sort(),
  };
}

/** Describes the records that are deleted together: `3 notes and 80 entries`. Omits unknown numbers. */
function describeContents(noun: DeletableNoun, { entries, notes, clearedCount }: AffectedRecords): string {
  const describe = (count: number | undefined, noun: 'entries' | 'notes') =>
    count === undefined ? noun : count > 0 && countRecords(noun, count);
  const values =
    clearedCount === undefined
      ? 'values'
      : clearedCount > 0 && `values in ${formatCount(clearedCount, 'record')}`;
  const contents: Partial<Record<DeletableNoun, readonly (string | false)[]>> = {
    contacts: [describe(entries, 'entries')],
    organizations: [describe(notes, 'notes'), describe(entries, 'entries')],
    customFields: [values],
    lists: [describe(entries, 'entries')],
  };
  return (contents[noun] ?? []).filter(Boolean).join(' and ');
}

/** Describes the records that remain and lose a value: `5 contacts lose their organization.` */
function describeCleared(noun: DeletableNoun, { clearedCount = 0 }: AffectedRecords, isOne: boolean): string {
  if (clearedCount === 0 || (noun !== 'contacts' && noun !== 'organizations')) return '';
  const loser = noun === 'contacts' ? 'other record' : 'contact';
  const value = noun === 'contacts' ? `reference to ${isOne ? 'it' : 'them'}` : 'organization';
  return `${formatCount(clearedCount, loser)} ${clearedCount === 1 ? 'loses its' : 'lose their'} ${value}.`;
}

/** Describes the remaining notes whose deal is deleted: `2 other notes lose their deal.` */
const describeDeals = ({ dealCount = 0 }: AffectedRecords): string =>
  dealCount === 0
    ? ''
    : `${formatCount(dealCount, 'other note')} ${dealCount === 1 ? 'loses its' : 'lose their'} deal.`;

/** Describes the affected records that could not be read. */
function describeUnread({ unreadKinds }: AffectedRecords, isUndoable: boolean): string {
  if (unreadKinds.length === 0) return '';
  const limit = `at most ${formatInteger(maxRelated)} of each kind`;
  const verb = isUndoable ? 'count or restore' : 'count';
  return `kith did not read all records (${limit}), so it cannot ${verb} ${listFormat.format(unreadKinds)}.`;
}

const listFormat = new Intl.ListFormat('en');

/** Names properties that are different or missing in the records that `kith undo` creates. */
function describeLoss(
  noun: DeletableNoun,
  records: readonly DeletedRecord[],
  { entries, notes, hasEntryKeys }: AffectedRecords,
): string {
  const end = records.length > 1 ? 's' : '';
  const entryKeys = entries !== 0 && hasEntryKeys && 'entry keys';
  const losses: Readonly<Record<DeletableNoun, readonly (string | false)[]>> = {
    contacts: [`id${end}`, entryKeys],
    organizations: [`id${end}`, entryKeys, notes !== 0 && 'note dates'],
    notes: [`creation time${end}`],
    customFields: [`id${end}`, records.some(({ noun }) => noun === 'deal field') && 'values in deals'],
    lists: [`id${end}`, entryKeys],
    entries: [records.some(({ key }) => key) && `key${end}`],
    recordings: [],
  };
  const deletionLosses = losses[noun].filter((loss) => loss !== false);
  return deletionLosses.length > 0 ? `The ${listFormat.format(deletionLosses)} cannot be restored.` : '';
}
