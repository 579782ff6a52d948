import type { Conflict } from '../../merge/combine-fields.ts';
import type { EntryOutcome } from '../../merge/plan-entries.ts';
import type { MergePlan } from '../../merge/plan-merge.ts';
import type { MergeRecords } from '../../merge/read-merge.ts';
import { listDefinedValues } from '../../values/field-values.ts';
import { readObject } from '../../values/json-object.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';

/** The contacts of a merge, as sentences name them. */
export interface ContactNames {
  readonly keep: string;
  readonly other: string;
}

/** Returns the lines that tell a person what a merge does, what it drops, and what it cannot move. */
export function describeMergePlan(
  { changes, emails, conflicts, lostValues: lost, entries, mentions }: MergePlan,
  { keep, other, hasDealFields }: MergeRecords,
  names: ContactNames,
): string[] {
  const { custom_fields, ...fields } = changes;
  const valuesByName = new Map<string, unknown>([
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
    ...values.map(([name, value]) => `  ${name}: ${formatValue(omitItems(value, valuesByName.get(name)))}`),
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
      ? ['Not moved: deal fields that refer to the contact. The API does not show deals.']
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

/** Returns the items of an array that another one does not have; any other value unchanged. */
const omitItems = (value: unknown, omitted: unknown): unknown =>
  Array.isArray(value) && Array.isArray(omitted) ? value.filter((item) => !omitted.includes(item)) : value;

const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(formatValue).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
