import type { PartyNoun } from '../../contract/singular-nouns.ts';
import type { Conflict } from '../../merge/combine-fields.ts';
import { mergeNouns } from '../../merge/merge-nouns.ts';
import type { EntryOutcome } from '../../merge/plan-entries.ts';
import type { MergePlan } from '../../merge/plan-merge.ts';
import type { MergeRecords } from '../../merge/read-merge.ts';
import type { PlannedMerge } from '../../merge/run-merge.ts';
import { isEmpty, listDefinedValues } from '../../values/field-values.ts';
import { readObject } from '../../values/json-object.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';

/**
 * Returns the lines that tell a person what a merge does, what it drops, and what it cannot move. `names`: the records,
 * as sentences name them.
 */
export function describeMergePlan(
  { plan, records }: PlannedMerge,
  noun: PartyNoun,
  names: { readonly keep: string; readonly other: string },
): string[] {
  const { conflicts, entries, mentions, deals, lostValues } = plan;
  const { hasDealFields } = records;
  const gains = describeGains(plan, records, noun);
  return [
    `${names.keep} gets from ${names.other}:${gains.length === 0 ? ' nothing' : ''}`,
    ...gains.map((line) => `  ${line}`),
    ...(mentions > 0
      ? [`${formatCount(mentions, 'reference')} to ${names.other} will point to ${names.keep}.`]
      : []),
    ...(deals > 0 ? [`${formatCount(deals, 'other note')} will refer to the new entries.`] : []),
    ...conflicts.map(
      (conflict) =>
        `${describeConflict(conflict)} (--take ${quoteShellWord(conflict.field)} uses the other value)`,
    ),
    ...entries.flatMap(({ entry, conflicts }) =>
      conflicts.map((conflict) => `${entry}: ${describeConflict(conflict)}`),
    ),
    ...lostValues.map((name) => `Not moved: ${name}, which the API cannot write.`),
    ...(hasDealFields
      ? ['Not moved: deal fields that refer to the contact. The API does not show deals.']
      : []),
    `Not moved: the id and the creation time of the deleted ${noun}.`,
  ];
}

/** Describes what the record to keep gets: values, contacts, entries and notes. */
function describeGains(
  { changes, addresses, contacts, entries, notes }: MergePlan,
  { keep }: MergeRecords,
  noun: PartyNoun,
): string[] {
  const { custom_fields, ...fields } = changes;
  const valuesByName = new Map<string, unknown>([
    ...Object.entries(keep),
    ...listDefinedValues(keep.custom_fields).map(({ name, value }) => [name, value] as const),
  ]);
  const values = Object.entries({ ...fields, ...readObject(custom_fields) });
  return [
    ...(addresses.length > 0 ? [`${mergeNouns[noun].addresses}: ${formatValue(addresses)}`] : []),
    ...values.map(([name, value]) => `${name}: ${describeGain(value, valuesByName.get(name))}`),
    ...(contacts > 0 ? [formatCount(contacts, 'contact')] : []),
    ...entries.map(describeEntry),
    ...(notes > 0
      ? [`${formatCount(notes, 'note')}: ${describeCopy('note', notes, ['id', 'creation time'])}`]
      : []),
  ];
}

function describeEntry({ entry, list, into, lostProperties }: EntryOutcome): string {
  return `${entry} in "${list}": ${into === undefined ? describeCopy('entry', 1, lostProperties) : `combined with ${into}`}`;
}

/** Describes records that are created again, with the properties that they cannot keep. */
function describeCopy(noun: string, count: number, lost: readonly string[]): string {
  const [copy, end] = count === 1 ? [`a new ${noun}`, ''] : [`new ${noun}s`, 's'];
  const properties = listFormat.format(lost.map((name) => `${name}${end}`));
  return `copied to ${copy} with ${count === 1 ? 'a new' : 'new'} ${properties}`;
}

const listFormat = new Intl.ListFormat('en-GB'); // without a comma before "and"

const describeConflict = ({ field, kept, dropped }: Conflict) =>
  `${field}: keeps ${kept === undefined || kept === null ? 'no value' : formatValue(kept)}, drops ${formatValue(dropped)}`;

/** Describes the items that a value adds to an earlier value, or both values if it replaces the earlier one. */
function describeGain(value: unknown, replaced: unknown): string {
  if (isEmpty(replaced)) return formatValue(value);
  if (Array.isArray(value) && Array.isArray(replaced) && replaced.every((item) => value.includes(item)))
    return formatValue(value.filter((item) => !replaced.includes(item)));
  return `${formatValue(value)} instead of ${formatValue(replaced)}`;
}

const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(formatValue).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);
