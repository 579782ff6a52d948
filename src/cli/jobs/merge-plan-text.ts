import type { EntryOutcome } from '../../merge/plan-entries.ts';
import type { MergePlan } from '../../merge/plan-merge.ts';
import type { MergeRecords } from '../../merge/read-merge.ts';
import type { Conflict } from '../../merge/values.ts';
import { readObject } from '../../values/json-object.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';

/** Returns the lines that tell a person what a merge does, what it drops, and what it cannot move. */
export function describeMergePlan(
  { changes, emails, conflicts, lost, entries, mentions }: MergePlan,
  { other, hasDealFields }: MergeRecords,
  names: { readonly keep: string; readonly other: string },
): string[] {
  const { custom_fields, ...fields } = changes;
  const values = Object.entries({
    ...(emails.length > 0 && { emails }),
    ...fields,
    ...readObject(custom_fields),
  });
  return [
    `${names.keep} gets from ${names.other}:${values.length + entries.length === 0 ? ' nothing' : ''}`,
    ...values.map(([name, value]) => `  ${name}: ${formatValue(value)}`),
    ...entries.map((entry) => `  ${describeEntry(entry)}`),
    ...(mentions > 0 ? [`${formatCount(mentions, 'reference')} to it will name ${names.keep}.`] : []),
    ...conflicts.map(
      (conflict) =>
        `${describeConflict(conflict)} (--take ${quoteShellWord(conflict.field)} takes the other)`,
    ),
    ...entries.flatMap(({ entry, conflicts }) =>
      conflicts.map((conflict) => `${entry}: ${describeConflict(conflict)}`),
    ),
    ...lost.map((name) => `Not moved: ${name}, which the API cannot write.`),
    ...(hasDealFields
      ? ['Not moved: fields of deals that name the contact. The API does not show deals.']
      : []),
    ...(other ? [`Not moved: the id of the deleted contact, and its time of creation.`] : []),
  ];
}

function describeEntry({ entry, list, into }: EntryOutcome): string {
  const name = `${entry} in "${list}"`;
  return into === undefined
    ? `${name}: a new entry with its values, and a new id, key and time of creation`
    : `${name}: combined with ${into}`;
}

const describeConflict = ({ field, kept, dropped }: Conflict) =>
  `${field}: keeps ${kept === undefined || kept === null ? 'no value' : formatValue(kept)}, drops ${formatValue(dropped)}`;

const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(formatValue).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
