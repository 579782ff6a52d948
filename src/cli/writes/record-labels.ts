import type { Contact } from '../../contract/contacts.ts';
import type { CustomField } from '../../contract/custom-fields.ts';
import type { Entry } from '../../contract/entries.ts';
import type { Route } from '../../contract/grammar.ts';
import type { List } from '../../contract/lists.ts';
import type { Note } from '../../contract/notes.ts';
import type { Organization } from '../../contract/organizations.ts';
import type { Received } from '../../contract/received.ts';
import { type DeletableNoun, singularNouns } from '../../contract/singular-nouns.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { truncate } from '../../render/text/width.ts';
import { isFieldContainer } from '../../values/field-values.ts';
import { isObject, type JsonObject } from '../../values/json-object.ts';
import { getContactName, getOrganizationName } from '../../values/record-names.ts';
import { formatCount } from '../../values/text.ts';

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

interface NounLabels<T = JsonObject> {
  /** Returns a more precise noun for one record. */
  readonly getNoun?: (record: T) => string | undefined;
  readonly getName: (record: T) => unknown;
  readonly getKey?: (record: T) => string | null | undefined;
  /** Whether the name identifies a record, so that its question needs no id. */
  readonly isNameUnique?: boolean;
  /** Whether the name is the beginning of the record's text. A message after a write does not repeat it. */
  readonly isExcerpt?: boolean;
}

const createLabels = <T>(labels: NounLabels<T>) => labels as unknown as NounLabels; // the client has checked the records

/** Every noun whose records a command writes or deletes. */
export const nounLabels = {
  contacts: createLabels<Received<Contact>>({
    getName: getContactName,
  }),
  organizations: createLabels<Received<Organization>>({
    getName: getOrganizationName,
  }),
  notes: createLabels<Received<Note>>({ getName: ({ body }) => body, isExcerpt: true }),
  customFields: createLabels<Received<CustomField>>({
    getNoun: ({ model }) => (model ? `${model} field` : undefined),
    getName: ({ name }) => name,
    isNameUnique: true,
  }),
  lists: createLabels<Received<List>>({
    getNoun: ({ process }) => (process ? 'process' : undefined),
    getName: ({ name }) => name,
    isNameUnique: true,
  }),
  entries: createLabels<Received<Entry>>({
    getName: () => '',
    getKey: ({ key }) => key,
  }),
  recordings: createLabels<{ readonly title: string }>({
    getName: ({ title }) => title,
  }),
} as const;

/** Maximum columns of a name in a sentence. */
const maxName = 40;

/** Maximum number of changed fields or removed values that a sentence names. */
const maxListed = 4;

/** Returns the label of a record. `id`: the id to use if the record has none. */
export function labelRecord(noun: DeletableNoun, record: JsonObject, id: string): RecordLabel {
  const { getNoun, getName, getKey } = nounLabels[noun];
  const name = getName(record);
  const key = getKey?.(record);
  return {
    noun: sanitizeLine(getNoun?.(record) ?? singularNouns[noun]),
    id: sanitizeLine(typeof record.id === 'string' ? record.id : id),
    key: key ? sanitizeLine(key) : undefined,
    name: typeof name === 'string' ? sanitizeLine(name) : '',
  };
}

export const truncateName = (name: string) => truncate(name, maxName);

/** Formats the identification of a record: `Ada Lovelace (0rlnky)`, `DEAL-1 (m7lwpy)`, or only its id. */
export function formatName({ id, key, name }: RecordLabel): string {
  const [title = '', detail] = [truncateName(name), key, id].filter(Boolean);
  return detail ? `${title} (${detail})` : title;
}

/** Formats a label: `contact Ada Lovelace (0rlnky)`. */
export const formatLabel = (noun: DeletableNoun, label: RecordLabel) =>
  `${label.noun} ${formatName(nounLabels[noun].isExcerpt ? { ...label, name: '' } : label)}`.trim();

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

/** Describes a completed write: `Updated contact Ada Lovelace (0rlnky): last_name, emails.` */
export function describeWrite(
  noun: DeletableNoun,
  { method }: Pick<Route, 'method'>,
  record: JsonObject,
  { body, id }: { readonly body: JsonObject; readonly id: string },
): string {
  const label = formatLabel(noun, labelRecord(noun, record, id));
  if (method === 'POST') return `${noun === 'entries' ? 'Added' : 'Created'} ${label}.`;
  if (method === 'PATCH') {
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
