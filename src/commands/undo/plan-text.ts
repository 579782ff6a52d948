import type { Result } from '../../contract/documents/results.ts';
import { Failure } from '../../contract/errors.ts';
import type { SingularNoun } from '../../contract/singular-nouns.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import type { Conflict, PlannedChange, RevertPlan } from '../../undo/plan.ts';
import { capitalize, formatCount } from '../../values/text.ts';
import { nouns } from '../../writes/nouns.ts';
import type { UnrecordedCommand } from '../../writes/unrecorded.ts';

/** Maximum number of changes that a plan shows to a person, who agrees to all of them. */
export const maxShown = 50;

/** Returns lines that describe a revert and the values that it cannot restore. `title`: such as `Undo`. */
export function describePlan(
  { command, changes, losses, uncountedKinds }: RevertPlan,
  title: string,
  time: string,
): string[] {
  return [
    `${title} \`kith ${command.command}\` from ${time}:`,
    ...describeChanges(changes),
    ...losses,
    ...uncountedKinds.map(
      (name) => `Not checked: ${name} that would be deleted too. There are too many to read.`,
    ),
  ].map(sanitizeIndented);
}

/** Returns lines that describe the first of some changes, and the number of the others. */
export function describeChanges(changes: readonly PlannedChange[], total = changes.length): string[] {
  const more = total - maxShown;
  const lines = changes.slice(0, maxShown).flatMap(describeChange).map(sanitizeIndented);
  return more > 0 ? [...lines, `  and ${formatCount(more, 'more change')}`] : lines;
}

const sanitizeIndented = (line: string) => `${/^ */.exec(line)?.[0]}${sanitizeLine(line)}`;

function describeChange({
  action,
  record,
  id,
  name,
  fields = {},
  related = {},
  references = {},
}: PlannedChange): string[] {
  const title = record === 'action_item' ? 'action item' : nouns[record].title;
  const label = name === undefined ? id : `${shorten(name)} (${id})`;
  if (action === 'delete') return [`  delete ${title} ${label}`];
  if (action === 'create') {
    const [again, restored] = [related, references].map(describeCounts);
    return [
      `  create ${title}${name === undefined ? '' : ` ${shorten(name)}`} again${again ? `, with ${again}` : ''}`,
      ...(restored ? [`  restore values in ${restored}`] : []),
    ];
  }
  return [
    `  update ${title} ${label}`,
    ...Object.entries(fields).map(
      ([field, { from, to }]) => `    ${field}: ${formatValue(from)} -> ${formatValue(to)}`,
    ),
  ];
}

const describeCounts = (counts: Readonly<Partial<Record<SingularNoun, number>>>) =>
  listFormat.format(
    Object.entries(counts).map(([noun, count]) => describeCount(noun as SingularNoun, count)),
  );

const listFormat = new Intl.ListFormat('en');

const describeCount = (noun: SingularNoun, count: number) => formatCount(count, nouns[noun].title);

const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 59).trimEnd()}…` : text);

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '(none)';
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(formatValue).join(', ');
  return shorten(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the failure for records that have changed since the command. */
export function describeConflicts({ command, conflicts }: RevertPlan): Failure {
  const [only, ...others] = conflicts.map(describeConflict);
  const since = `since \`kith ${command.command}\``;
  const hint = 'Nothing was written. To undo the command, first revert these changes by hand.';
  if (only && others.length === 0)
    return new Failure('usage', `${only.subject} ${only.message} ${since}.`, { hint });
  return new Failure('usage', `${conflicts.length} records have changed ${since}:`, {
    hint,
    fieldErrors: conflicts.map(describeConflict).map(({ subject, message }) => ({
      pointer: subject,
      code: 'changed',
      message: `It ${message}.`,
    })),
  });
}

function describeConflict({ noun, id, fields, related = [] }: Conflict) {
  const { title } = nouns[noun];
  const subject = `${capitalize(title)} ${id}`;
  if (fields.length > 0) return { subject, message: `has changed (${fields.join(', ')})` };
  if (related.length === 0) return { subject, message: 'was deleted' };
  const counts = new Map<SingularNoun, number>();
  for (const record of related) counts.set(record.noun, (counts.get(record.noun) ?? 0) + 1);
  const users = [...counts].map(([kind, count]) => describeCount(kind, count));
  return { subject, message: `is used by ${listFormat.format(users)} added` };
}

/** Returns a plan as a JSON document. */
export const toPlanDocument = (
  { command, changes, losses }: RevertPlan,
  unrecorded: readonly UnrecordedCommand[],
  isUndone: boolean,
): Result<'revert'> => ({
  command: command.command,
  number: command.number,
  at: command.at,
  unrecorded: unrecorded.map(({ command = null, at = null }) => ({ command, at })),
  changes,
  not_restored: losses,
  undone: isUndone,
});
