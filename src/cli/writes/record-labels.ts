import type { Route } from '../../contract/grammar.ts';
import { type DeletableNoun, singularNouns } from '../../contract/singular-nouns.ts';
import { getLabel } from '../../records/label.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { truncate } from '../../render/text/width.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import { isObject, type JsonObject, readObject } from '../../values/json-object.ts';
import { formatCount } from '../../values/text.ts';
import { hasSentValues } from '../../writes/bodies.ts';

/** The texts that identify a record in messages. They are sanitized. */
export interface RecordLabel {
  /** `contact`, `process`. */
  readonly noun: string;
  readonly id: string;
  /** The key of an entry of a process. */
  readonly key?: string | undefined;
  /** Empty if the record has no name. */
  readonly name: string;
}

/** Whether the name of a record identifies it, so that its question needs no id. */
export const isNameUnique = (noun: DeletableNoun) => noun === 'customFields' || noun === 'lists';

/** Maximum columns of a name in a sentence. */
const maxName = 40;

/** Maximum number of changed fields or removed values that a sentence names. */
const maxListed = 4;

/** Returns the label of a record. `id`: the id to use if the record has none. */
export function labelRecord(noun: DeletableNoun, record: JsonObject, id: string): RecordLabel {
  const label = sanitizeLine(getLabel(noun, record));
  const isEntry = noun === 'entries';
  return {
    noun: sanitizeLine(findPreciseNoun(noun, record) ?? singularNouns[noun]),
    id: sanitizeLine(typeof record.id === 'string' ? record.id : id),
    key: isEntry && label !== '' ? label : undefined,
    name: isEntry ? '' : label,
  };
}

function findPreciseNoun(noun: DeletableNoun, { model, process }: JsonObject): string | undefined {
  if (noun === 'customFields' && model) return `${model} field`;
  return noun === 'lists' && process ? 'process' : undefined;
}

export const truncateName = (name: string) => truncate(name, maxName);

/** Formats the identification of a record: `Ada Lovelace (0rlnky)`, `DEAL-1 (m7lwpy)`, or only its id. */
export function formatName({ id, key, name }: RecordLabel): string {
  const [title = '', detail] = [truncateName(name), key, id].filter(Boolean);
  return detail ? `${title} (${detail})` : title;
}

/** Formats a label: `contact Ada Lovelace (0rlnky)`. A message after a write does not repeat the text of a note. */
export const formatLabel = (noun: DeletableNoun, label: RecordLabel) =>
  `${label.noun} ${formatName(noun === 'notes' ? { ...label, name: '' } : label)}`.trim();

/** Returns a count with the noun: `3 contacts`. */
export function countRecords(noun: DeletableNoun, count: number): string {
  return formatCount(count, singularNouns[noun]);
}

/** Describes a deletion: `Deleted contact Ada Lovelace (0rlnky).` `labels` has the known labels. */
export function describeDeletion(
  noun: DeletableNoun,
  ids: readonly string[],
  labels: readonly RecordLabel[],
): string {
  const [only = '', ...others] = ids;
  if (others.length > 0) return `Deleted ${countRecords(noun, ids.length)}.`;
  const label = labels.find(({ id }) => id === only) ?? labelRecord(noun, {}, only);
  return `Deleted ${formatLabel(noun, label)}.`;
}

/**
 * Describes a completed write: `Updated contact Ada Lovelace (0rlnky): last_name, emails.` `before`: the record before an
 * update, if it is known.
 */
export function describeWrite(
  noun: DeletableNoun,
  { method }: Pick<Route, 'method'>,
  record: JsonObject,
  { body, id, before }: { readonly body: JsonObject; readonly id: string; readonly before?: unknown },
): string {
  const label = formatLabel(noun, labelRecord(noun, record, id));
  if (method === 'POST') return `${noun === 'entries' ? 'Added' : 'Created'} ${label}.`;
  if (method === 'PATCH') {
    if (before && hasSentValues(body, readObject(before)))
      return `Nothing changed: ${label} already had these values.`;
    const fields = listFields(body);
    return `Updated ${label}${fields.length > 0 ? `: ${listBriefly(fields, 'fields')}` : ''}.`;
  }
  const [[field, values] = ['values', []]] = Object.entries(body);
  return `Removed ${listBriefly([values].flat(), field)} from ${label}.`;
}

/** Returns the names of the fields that a body sets, including custom fields and list fields. */
function listFields(body: JsonObject): unknown[] {
  return Object.entries(body).flatMap(([field, value]) => {
    if (value === undefined) return [];
    return isFieldContainer(field) && Array.isArray(value)
      ? value.map((item) => (isObject(item) ? item.name : field))
      : [field];
  });
}

/** Lists a few texts, or the number of many: `a, b`, `7 fields`. */
function listBriefly(texts: readonly unknown[], plural: string): string {
  if (texts.length > maxListed) return `${texts.length} ${plural}`;
  return texts.map((text) => truncateName(sanitizeLine(String(text)))).join(', ');
}
