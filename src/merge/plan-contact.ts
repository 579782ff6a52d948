import { Failure } from '../contract/errors.ts';
import type { StoredRecord, Values } from '../records/values.ts';
import { listDefinedValues, readTexts } from '../values/field-values.ts';
import { foldName } from '../values/names.ts';
import { type Conflict, combineFields, isEmpty, type MergedIds } from './values.ts';

/** The fields with one value, other than custom fields. */
const singleFields = ['first_name', 'last_name', 'organization_id'] as const;
type SingleField = (typeof singleFields)[number];

/** All fields of a contact that the interface lets a client write, or that every record has. */
const knownFields = new Set<string>(
  ['id', 'emails', 'phone_numbers', 'custom_fields', 'created_at', 'updated_at'].concat(singleFields),
);

/** What the contact that stays gets from the other. */
export interface ContactPlan {
  /** The new values, by the names of their fields; without email addresses. */
  readonly changes: Values;
  /** The addresses that the other contact has, and this one does not. */
  readonly emails: readonly string[];
  readonly conflicts: readonly Conflict[];
  /** Fields of the other contact with a value that the interface cannot write. */
  readonly lost: readonly string[];
}

/**
 * Plans the values of a contact that another is merged into. `takes` names the fields whose value is that of the other.
 * @throws {Failure} usage if it names a field that neither contact has
 */
export function planContact(
  keep: StoredRecord,
  other: StoredRecord,
  takes: ReadonlySet<string>,
): ContactPlan {
  checkTakes(keep, other, takes);
  const ids: MergedIds = { keep: keep.id ?? '', other: other.id ?? '' };
  const fields = combineFields(keep.custom_fields, other.custom_fields, ids, takes);
  const conflicts: Conflict[] = [];
  const changes: Record<string, unknown> = {};
  for (const field of singleFields) {
    const [own, others] = [keep[field], other[field]];
    if (isEmpty(others) || isSame(own, others)) continue;
    if (takes.has(field) || (isEmpty(own) && mayFill(field, keep, other))) changes[field] = others;
    else conflicts.push({ field, kept: own, dropped: others });
  }
  const phones = addTexts(keep.phone_numbers, other.phone_numbers, (number) => number.replace(/[^+\d]/g, ''));
  if (phones.length > 0) changes.phone_numbers = [...readTexts(keep.phone_numbers), ...phones];
  if (Object.keys(fields.changes).length > 0) changes.custom_fields = fields.changes;
  return {
    changes,
    emails: addTexts(keep.emails, other.emails, (email) => email.toLowerCase()),
    conflicts: [...conflicts, ...fields.conflicts],
    lost: Object.entries(other).flatMap(([name, value]) =>
      knownFields.has(name) || isEmpty(value) ? [] : [name],
    ),
  };
}

function checkTakes(keep: StoredRecord, other: StoredRecord, takes: ReadonlySet<string>): void {
  const defined = [keep, other].flatMap(({ custom_fields }) => listDefinedValues(custom_fields));
  const names = [...new Set([...singleFields, ...defined.map(({ name }) => name)])];
  const unknown = [...takes].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new Failure('usage', `--take: unknown field "${unknown}". Available fields: ${names.join(', ')}.`);
}

const isSame = (one: unknown, other: unknown) =>
  typeof one === 'string' && typeof other === 'string' && foldName(one) === foldName(other);

/** Whether a missing part of a name may come from the other contact: two parts of two names would make a third. */
function mayFill(field: SingleField, keep: StoredRecord, other: StoredRecord): boolean {
  if (field === 'organization_id') return true;
  const counterpart = field === 'first_name' ? 'last_name' : 'first_name';
  const [own, others] = [keep[counterpart], other[counterpart]];
  return isEmpty(own) || isEmpty(others) || isSame(own, others);
}

/** Returns the texts to add to those of the contact that stays. */
function addTexts(kept: unknown, added: unknown, fold: (text: string) => string): string[] {
  const keys = new Set(readTexts(kept).map(fold));
  return readTexts(added).filter((text) => !keys.has(fold(text)) && keys.add(fold(text)));
}
