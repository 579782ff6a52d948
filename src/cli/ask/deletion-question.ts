import type { Session } from '../context.ts';
import type { TypedQuestion } from '../interaction.ts';
import {
  countRecords,
  nounLabels,
  type RecordLabel,
  truncateName,
  type WrittenNoun,
} from '../record-labels.ts';

/** A record that is to be deleted. */
export interface DeletedRecord extends RecordLabel {
  /** The number of its entries, if it is known. */
  readonly entryCount?: number | undefined;
  /** Another effect of its deletion, as a sentence. */
  readonly consequence?: string | undefined;
}

/** Maximum number of records that a question names, and that are deleted after y. */
export const maxNamed = 10;

/**
 * Builds the question before a deletion of `count` records, of which `records` are named: with what is deleted with
 * them, and what cannot be restored. For a list with entries or many records, the answer must be typed.
 */
export async function buildDeletionQuestion(
  session: Session,
  noun: WrittenNoun,
  records: readonly DeletedRecord[],
  count: number,
): Promise<string | TypedQuestion> {
  const [first, ...others] = records;
  if (!first) throw new Error('there is no record to delete');
  const isOne = others.length === 0;
  const contents = describeContents(noun, records, count);
  const names = records.map((record) => quoteName(noun, record));
  const more = count > records.length ? ` and ${count - records.length} more` : '';
  const subject = isOne ? `${first.noun} ${names.join()}` : countRecords(noun, count);
  const question = [
    `Delete ${subject}`,
    contents && ` and ${isOne ? 'its' : 'their'} ${contents}`,
    isOne ? '' : `: ${names.join(', ')}${more}`,
    '?',
  ].join('');
  const loss = (await canUndo(session, noun, records))
    ? describeLoss(noun, records, contents, await findUnreadable(session, records))
    : 'This cannot be undone.';
  const consequences = new Set(records.map(({ consequence }) => consequence));
  const text = [question, loss, ...consequences].filter(Boolean).join(' ');
  if (noun !== 'lists' || contents === '') return requireCount(text, count);
  if (!isOne) return toCountQuestion(text, count);
  const answer = first.name || first.id;
  return { text: `${text} Type ${first.name ? 'its name' : answer} to confirm:`, answer };
}

/** Returns a question before a deletion, which requires the number of records if there are many. */
export function requireCount(text: string, count: number): string | TypedQuestion {
  return count > maxNamed ? toCountQuestion(text, count) : text;
}

const toCountQuestion = (text: string, count: number): TypedQuestion => ({
  text: `${text} Type ${count} to confirm:`,
  answer: String(count),
});

/** Quotes the name of a record. A name that has to be typed is complete. */
function quoteName(noun: WrittenNoun, { id, key, name }: RecordLabel): string {
  if (name === '') return key ?? id;
  return nounLabels[noun].isNameUnique
    ? `"${noun === 'lists' ? name : truncateName(name)}"`
    : `"${truncateName(name)}" (${key ?? id})`;
}

/** Describes what is deleted with the records: `80 entries`, or `entries` if their number is not known. */
function describeContents(noun: WrittenNoun, records: readonly DeletedRecord[], count: number): string {
  const { contents = '' } = nounLabels[noun];
  let total = 0;
  for (const { entryCount } of records) {
    if (entryCount === undefined) return contents;
    total += entryCount;
  }
  if (records.length < count) return contents;
  return total === 0 ? '' : countRecords('entries', total);
}

/** Whether `kith undo` can create the records again. */
async function canUndo(
  session: Session,
  noun: WrittenNoun,
  records: readonly DeletedRecord[],
): Promise<boolean> {
  if (noun === 'recordings') return false;
  const { canRestoreEntries } = await import('../../changes/losses.ts');
  return (
    records.every(({ entryCount = 0 }) => canRestoreEntries(entryCount)) &&
    (await import('../jobs/undo-recording.ts')).isRecorded(session)
  );
}

/** Returns what is too large to be read for `kith undo` before the deletion. */
async function findUnreadable(session: Session, records: readonly DeletedRecord[]): Promise<string[]> {
  const { listUnreadable } = await import('../../changes/losses.ts');
  const client = await session.client();
  const unreadable: string[] = [];
  for (const noun of new Set(records.map((record) => record.noun)))
    unreadable.push(...(await listUnreadable(client, noun)));
  return [...new Set(unreadable)];
}

/** Names what matters elsewhere and is different in the records that `kith undo` creates, or missing. */
function describeLoss(
  noun: WrittenNoun,
  records: readonly DeletedRecord[],
  contents: string,
  unreadable: readonly string[],
): string {
  const end = records.length > 1 ? 's' : '';
  const isAny = (exactNoun: string) => records.some((record) => record.noun === exactNoun);
  const losses: Readonly<Record<WrittenNoun, readonly (string | false)[]>> = {
    contacts: [`id${end}`, 'entry keys'],
    organizations: [`id${end}`, 'entry keys', 'note dates'],
    notes: [`creation time${end}`],
    customFields: [`id${end}`, isAny('deal field') && 'values in deals'],
    lists: [`id${end}`, contents !== '' && isAny('process') && 'entry keys'],
    entries: [records.some(({ key }) => key) && `key${end}`],
    recordings: [],
  };
  const lost = [...losses[noun].filter((loss) => loss !== false), ...unreadable];
  return lost.length > 0 ? `The ${new Intl.ListFormat('en').format(lost)} cannot be restored.` : '';
}
