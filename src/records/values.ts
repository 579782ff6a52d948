import * as v from 'valibot';
import type { Contact } from '../contract/contacts.ts';
import type { Entry } from '../contract/entries.ts';
import { Failure } from '../contract/errors.ts';
import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { extractHost } from '../values/domain.ts';
import { isFieldContainer, isSameValue, normalizeTexts, readTexts } from '../values/field-values.ts';
import { readObject } from '../values/json-object.ts';
import type { NamedValue } from './mapping.ts';

/** A contact, organization or entry, as the service returned it or as a dry run predicts it. */
export type StoredRecord = Received<Contact & Organization & Entry> & {
  /** Whether it exists only in a dry run. */
  readonly isPredicted?: boolean;
};

/** Values of a record or a request body, by field name. */
export type Values = Readonly<Record<string, unknown>>;

const FieldValues = v.record(v.string(), v.unknown());
const place = {
  what: v.picklist(['contact', 'organization', 'entry']),
  /** The list of an entry. */
  list_id: v.exactOptional(v.string()),
};

/** A write that a row asks for. */
export const Step = v.object({
  ...place,
  /** The record to update; if omitted, one is created. */
  id: v.exactOptional(v.string()),
  body: FieldValues,
  /** The values that the fields of the body had, by field name. */
  before: v.exactOptional(FieldValues),
});
export type Step = Readonly<v.InferOutput<typeof Step>>;

/** The records that an import writes. */
export type RecordKind = Step['what'];

/** A step that the service has carried out. */
export const CompletedStep = v.object({
  ...place,
  id: v.pipe(v.string(), v.nonEmpty()),
  /** The earlier values; if omitted, the record was created. */
  before: v.exactOptional(FieldValues),
  /** The new values of the changed fields, or the whole created record. */
  after: FieldValues,
});
export type CompletedStep = Readonly<v.InferOutput<typeof CompletedStep>>;

/** The possible actions of a row, in the order in which they are counted. */
export const actions = ['create', 'update', 'same', 'refused', 'unknown'] as const;

/** The action of a row; `unknown` if a write was sent and its response was lost. */
export type Action = (typeof actions)[number];

/** The outcome of a row, or of its dry run. */
export interface Outcome {
  readonly action: Action;
  /** The record of the row. */
  readonly id?: string | undefined;
  /** Why the row was refused. */
  readonly error?: string | undefined;
  /** The ids of the records that match the row, if several do. */
  readonly candidates?: readonly string[] | undefined;
  /** The writes that the row needs, in order. */
  readonly steps: readonly Step[];
  readonly completed: readonly CompletedStep[];
}

/** The refusal of one row. The other rows are still imported. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly candidates: readonly string[] | undefined;

  constructor(message: string, candidates?: readonly string[]) {
    super(message);
    this.candidates = candidates;
  }
}

/**
 * Returns the only record among matches, undefined if there is none. `message` introduces the ids of several.
 * @throws {Refusal} if several records match: kith does not guess
 */
export function requireOne(matches: readonly StoredRecord[], message: string): StoredRecord | undefined {
  const byId = new Map(matches.map((record) => [record.id ?? '', record]));
  if (byId.size < 2) return [...byId.values()][0];
  const ids = [...byId.keys()];
  throw new Refusal(`${message}: ${ids.join(', ')}.`, ids);
}

/** Whether the service refused a write because another record has one of its values. */
export function isTaken(error: unknown): boolean {
  const fieldErrors = error instanceof Failure ? error.detail.fieldErrors : undefined;
  return fieldErrors?.some(({ code }) => code === 'taken') ?? false;
}

/** The values of a record's custom fields, or of an entry's list fields. */
type FieldMap = StoredRecord['custom_fields'];

/** Returns the value of a field in a record's map of fields; null if it has none. */
function findValue(map: FieldMap, name: string): unknown {
  return Object.values(map ?? {}).find((field) => field?.name === name)?.value ?? null;
}

/** Returns values by field name, as steps hold them. */
export function toValues(values: readonly NamedValue[]): Values {
  return Object.fromEntries(values.map(({ name, value }) => [name, value]));
}

/** Returns the new values that differ from those in a map of fields. */
export function findChangedValues(map: FieldMap, newValues: readonly NamedValue[]): NamedValue[] {
  return newValues.filter(
    ({ name, value, data_type }) => !isSameValue(findValue(map, name), value, data_type),
  );
}

/** Returns the values of a step in the form of a request body. */
export function toBody(values: Values): Values {
  const toNamedValues = (map: unknown) =>
    Object.entries(readObject(map)).map(([name, value]) => ({ name, value }));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isFieldContainer(name) ? toNamedValues(value) : value,
    ]),
  );
}

/** Returns the email address of an entry's assignee. Bodies call it `assignee_email`. */
export function readAssigneeEmail({ assignee }: StoredRecord): string | null {
  return assignee?.email ?? null;
}

/** Returns a record's values in the fields of a step. */
export function pickValues(fields: Values, record: StoredRecord): Values {
  const values: Values = record;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (name === 'assignee_email') return [name, readAssigneeEmail(record)];
      if (!isFieldContainer(name)) return [name, normalizeTexts(name, values[name]) ?? null];
      const map = record[name];
      return [
        name,
        Object.fromEntries(Object.keys(readObject(value)).map((key) => [key, findValue(map, key)])),
      ];
    }),
  );
}

/** Returns a record without empty values and without its times of creation and update. */
export function pickStoredValues({ created_at: _, updated_at: __, ...record }: StoredRecord): Values {
  const isStored = (value: unknown) => value !== null && !(Array.isArray(value) && value.length === 0);
  const stored = Object.entries(record).filter(([, value]) => isStored(value));
  return Object.fromEntries(
    stored.map(([name, value]) => {
      if (!isFieldContainer(name)) return [name, value];
      const fields = Object.entries(record[name] ?? {}).filter(([, field]) => isStored(field?.value));
      return [name, Object.fromEntries(fields)];
    }),
  );
}

/** Returns a record with the values of a step in place of its own. */
export function replaceValues(record: StoredRecord | undefined, values: Values): StoredRecord {
  const { assignee_email, custom_fields, list_fields, ...own } = values;
  const replaced: Values = {
    ...record,
    ...own,
    ...(assignee_email !== undefined && { assignee: assignee_email && { email: assignee_email } }),
    ...(custom_fields !== undefined && { custom_fields: setFields(record?.custom_fields, custom_fields) }),
    ...(list_fields !== undefined && { list_fields: setFields(record?.list_fields, list_fields) }),
  };
  return replaced as StoredRecord; // a step has the fields of its record
}

function setFields(map: FieldMap, values: unknown): NonNullable<FieldMap> {
  const fields = new Map(Object.entries(map ?? {}));
  for (const [name, value] of Object.entries(readObject(values))) {
    const [id = name, field] = [...fields].find(([, one]) => one?.name === name) ?? [];
    fields.set(id, { ...field, name, value });
  }
  return Object.fromEntries(fields);
}

/** Whether an id is that of a record that exists only in a dry run. */
export const isPredictedId = (id: unknown) => typeof id === 'string' && /^row \d+$/.test(id);

/** Returns the record as it would be after a step. */
export function predictRecord(
  { body, id }: Step,
  current: StoredRecord | undefined,
  row: number,
): StoredRecord {
  const { emails, domains } = body;
  return replaceValues(current, {
    ...body,
    id: id ?? `row ${row}`,
    isPredicted: id === undefined || (current?.isPredicted ?? false),
    ...(emails !== undefined && { emails: addTexts(current?.emails, emails, (email) => email.trim()) }),
    ...(domains !== undefined && {
      domains: addTexts(current?.domains, domains, (domain) => extractHost(domain) ?? domain),
    }),
  });
}

/** Adds texts as the service does: in its format, and without duplicates that differ only in case. */
function addTexts(stored: unknown, added: unknown, format: (text: string) => string): string[] {
  const texts = [...readTexts(stored), ...readTexts(added)].map(format);
  const folded = texts.map((text) => text.toLowerCase());
  return texts.filter((_, index) => folded.indexOf(folded[index] ?? '') === index);
}
