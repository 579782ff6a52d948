import type { CommandResult } from '../../../cli/command/command.ts';
import type { Session } from '../../../cli/command/context.ts';
import { confirmDeletion, confirmWrites } from '../../../cli/command/interaction.ts';
import { readTableStyle } from '../../../cli/print/format-records.ts';
import { formatLabel, labelRecord } from '../../../cli/writes/record-labels.ts';
import { previewRequests } from '../../../cli/writes/writing.ts';
import { writableNouns } from '../../../contract/singular-nouns.ts';
import type { GetName } from '../../../render/collect-references.ts';
import { renderChanges } from '../../../render/edit/changes.ts';
import { sanitizeLine } from '../../../render/text/sanitize.ts';
import { formatCount, formatInteger } from '../../../values/text.ts';
import { toRequest } from '../../../writes/nouns.ts';
import { type FieldChange, isSameField } from '../../edit/edit-document.ts';
import { formatChange } from '../../edit/edit-send.ts';
import type { ReferenceWords } from '../reference-words.ts';
import type { PlannedDeletion, PushPlan } from './plan-push.ts';
import { readProvisionalId } from './read-new.ts';
import { listSteps, listWrites } from './send-push.ts';

/** The number of records whose changes the plan shows. */
const maxShown = 100;

/** Returns the names of records. */
const createGetName =
  (words: ReferenceWords): GetName =>
  (kind, id) =>
    kind === 'contact' || kind === 'organization' ? words.find(kind, id).name : id;

/** Replaces the ids of new records by their files. */
const nameNewRecords = ({ field, after }: FieldChange): FieldChange => {
  const name = (value: unknown) => readProvisionalId(value) ?? value;
  return { field, after: Array.isArray(after) ? after.map(name) : name(after) };
};

/** Shows what a push will send, on stderr. */
export async function showPlan(session: Session, plan: PushPlan, words: ReferenceWords): Promise<void> {
  const { stderr } = session.streams;
  const style = await readTableStyle(stderr, session);
  const getName = createGetName(words);
  const render = (title: string, changes: readonly FieldChange[]) =>
    `${sanitizeLine(title)}:\n${renderChanges(
      changes.map((change) => formatChange(nameNewRecords(change), getName)),
      style,
    )}`;
  const { creates, updates, deletions } = plan;
  const texts = [
    ...creates.map((record) => () => render(`Create ${record.file}`, record.changes)),
    ...updates.map(({ edited, changes }) => () => {
      const { noun, file, base } = edited;
      const label = formatLabel(noun, labelRecord(noun, base, edited.entry.id));
      return render(`Changes to ${label} in ${file}`, changes);
    }),
    ...deletions.map(({ noun, current, entry }) => () => {
      const label = formatLabel(noun, labelRecord(noun, current, entry.id));
      return `Delete ${label}: ${sanitizeLine(entry.file)} was deleted\n`;
    }),
  ];
  for (const text of texts.slice(0, maxShown)) await stderr.write(text());
  if (texts.length > maxShown) await stderr.write(`... and ${formatInteger(texts.length - maxShown)} more\n`);
}

/**
 * Asks before the changes are sent, and separately before records are deleted, unless --yes is set.
 * @throws {Failure} usage without a terminal, cancelled if declined
 */
export async function confirmPush(session: Session, plan: PushPlan): Promise<void> {
  const { creates, updates, deletions } = plan;
  const parts = [
    creates.length > 0 && formatCount(creates.length, 'new record'),
    updates.length > 0 && formatCount(updates.length, 'changed record'),
  ].filter((part) => part !== false);
  if (parts.length > 0) await confirmWrites(session, 'send changes', `Send ${parts.join(' and ')}?`);
  for (const noun of writableNouns) {
    const records = deletions.filter((deletion) => deletion.noun === noun);
    if (records.length > 0) await confirmDeletion(session, () => askDeletion(session, records));
  }
}

async function askDeletion(session: Session, deletions: readonly PlannedDeletion[]) {
  const { buildDeletionQuestion, maxRecordsInQuestion } = await import('../../undo/deletion-question.ts');
  const [{ noun } = { noun: 'contacts' as const }] = deletions;
  const records = deletions
    .slice(0, maxRecordsInQuestion)
    .map(({ current, entry }) => ({ ...labelRecord(noun, current, entry.id), record: current }));
  return buildDeletionQuestion(
    session,
    noun,
    records,
    deletions.map(({ entry }) => entry.id),
  );
}

/** Returns the requests of a push as --dry-run prints them. The ids of new records are the names of their files. */
export const previewPush = (plan: PushPlan): CommandResult =>
  previewRequests(listSteps(plan).flatMap((step) => step.flatMap((item) => listWrites(item).map(toRequest))));

/** Describes a conflict with the values in the file and on the service. */
export function describeConflict(
  { changes, serviceValues, reason }: PushPlan['conflicts'][number],
  words: ReferenceWords,
): string {
  const getName = createGetName(words);
  const format = (change: FieldChange) => formatChange(nameNewRecords(change), getName);
  const show = (value: string | undefined) => (value === undefined ? 'no value' : `"${value}"`);
  const details = serviceValues.map((value) => {
    const { name, after } = format(value);
    const own = changes.find(({ field }) => isSameField(field, value.field));
    const here = own ? `${show(format(own).after)} in the file, ` : '';
    return `${name}: ${here}${show(after)} on the service`;
  });
  const isOwnOnly = ({ field }: FieldChange) =>
    serviceValues.length > 0 && !serviceValues.some((value) => isSameField(field, value.field));
  for (const change of changes.filter(isOwnOnly)) {
    const { name, after } = format(change);
    details.push(`${name}: ${show(after)} in the file`);
  }
  return sanitizeLine([reason, details.join('; ')].filter(Boolean).join(' '));
}
