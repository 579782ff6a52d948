import sql, { raw } from 'sql-template-tag';
import type { NamedDefinition } from '../../contract/field-table.ts';
import { readDataType } from '../../contract/field-types.ts';
import type { Noun } from '../../contract/singular-nouns.ts';
import { foldEmail } from '../../values/domain.ts';
import { isEmpty } from '../../values/field-values.ts';
import { isObject, readObject } from '../../values/json-object.ts';
import { isIn } from '../db/render-sql.ts';
import { insertRows } from '../db/statements.ts';
import type { FieldRows, RestoreContext } from './restore-context.ts';
import type { NumberedRecord } from './restore-numbers.ts';

/** The longest address or phone number in characters: an index of PostgreSQL takes no long texts. */
const maxAddress = 500;

/**
 * The addresses of a noun. The text in the column `key` is unique among all records. `toKeys`: the comparison form, and
 * the form if another record has it. A backup may have an address twice, with and without invisible characters.
 */
const addressKinds = {
  organizations: {
    table: 'organization_domain',
    owner: 'organization_id',
    field: 'domains',
    key: 'domain',
    toKeys: (domain: string) => [domain],
    toColumns: (domain: string) => ({ domain }),
  },
  contacts: {
    table: 'contact_email',
    owner: 'contact_id',
    field: 'emails',
    key: 'folded',
    toKeys: (email: string) => [foldEmail(email), email.trim().toLowerCase()],
    toColumns: (email: string, folded: string) => ({ email, folded }),
  },
} as const;

/** A record with the texts of its addresses. */
interface AddressOwner {
  readonly row: number;
  readonly id: string;
  readonly texts: readonly string[];
}

/** Stores the domains of organizations or the email addresses of contacts. Each belongs to one record. */
export async function storeAddresses(
  { db, dropped }: RestoreContext,
  noun: keyof typeof addressKinds,
  owners: readonly AddressOwner[],
): Promise<void> {
  const { table, owner, field, key, toKeys, toColumns } = addressKinds[noun];
  const keys = owners.flatMap(({ texts }) => texts.flatMap(toKeys));
  const taken = await db.all<{ key: string }>(
    sql`select ${raw(key)} as key from ${raw(table)} where ${isIn(key, keys)}`,
  );
  const used = new Set(taken.map(({ key }) => key));
  const rows = owners.flatMap(({ row, id, texts }) => {
    const kept = texts.flatMap((text) => {
      const free = toKeys(text).find((key) => !used.has(key));
      if (free !== undefined && text.length <= maxAddress) {
        used.add(free);
        return toColumns(text, free);
      }
      dropped.add(noun, id, field, free === undefined ? 'duplicate address' : 'address too long');
      return [];
    });
    return kept.map((columns, position) => ({ [owner]: row, position, ...columns }));
  });
  await insertRows(db, table, rows);
}

/** Stores the phone numbers of contacts as they are. */
export async function storePhones(
  { db, dropped, parsePhone }: RestoreContext,
  records: readonly NumberedRecord<'contacts'>[],
): Promise<void> {
  const rows: { contact_id: number; position: number; number: string; national: string }[] = [];
  for (const { row, id, value } of records) {
    let position = 0;
    for (const number of value.phone_numbers ?? []) {
      if (number.length > maxAddress) {
        dropped.add('contacts', id, 'phone_numbers', 'number too long');
        continue;
      }
      const phone = parsePhone(number);
      // A number of another country without its country code: a lookup tries the national numbers of all countries.
      rows.push({
        contact_id: row,
        position,
        number,
        national: phone?.national ?? number.replace(/\D/g, '').replace(/^0+/, ''),
      });
      position += 1;
    }
  }
  await insertRows(db, 'contact_phone', rows);
}

/** A record with the values of its defined fields, as the service sends them. */
interface ValueOwner {
  readonly row: number;
  readonly id: string;
  readonly values: unknown;
  readonly fields: FieldRows | undefined;
}

const valueTables = {
  organizations: { table: 'organization_value', container: 'custom_fields' },
  contacts: { table: 'contact_value', container: 'custom_fields' },
  entries: { table: 'entry_value', container: 'list_fields' },
} as const satisfies Partial<Record<Noun, unknown>>;

/** Stores the values of custom fields or list fields unchanged. */
export async function storeValues(
  { db, dropped }: RestoreContext,
  noun: keyof typeof valueTables,
  owners: readonly ValueOwner[],
): Promise<void> {
  const { table, container } = valueTables[noun];
  const rows = owners.flatMap(({ row, id, values, fields }) => {
    const stored = new Map<number, string>();
    for (const [key, item] of Object.entries(readObject(values))) {
      const { name = key, value } = isObject(item) && 'value' in item ? item : { value: item };
      if (isEmpty(value)) continue;
      const field = fields?.byId.get(key) ?? fields?.byName.get(String(name));
      if (field === undefined) dropped.add(noun, id, container, `no field ${JSON.stringify(name)}`);
      else stored.set(field, JSON.stringify(value));
    }
    return Array.from(stored, ([field_id, value]) => ({ record_id: row, field_id, value }));
  });
  await insertRows(db, table, rows);
}

/** Returns the columns of a field definition. A field of an unknown type holds texts. */
export const toFieldColumns = ({ name, data_type, accepts_multiple_values, options }: NamedDefinition) => ({
  name,
  data_type: readDataType(data_type),
  accepts_multiple_values: Number(accepts_multiple_values ?? false),
  options: JSON.stringify(options ?? []),
});
