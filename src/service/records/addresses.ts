import sql, { raw } from 'sql-template-tag';
import { contactRequirement } from '../../contract/contacts.ts';
import { describeMismatch } from '../../contract/field-types.ts';
import type { PartyNoun } from '../../contract/singular-nouns.ts';
import { extractHost, foldEmail, parseEmail } from '../../values/domain.ts';
import { quote } from '../../values/text.ts';
import type { Database } from '../db/database.ts';
import { encodeId } from '../db/foreign-ids.ts';
import { isIn } from '../db/render-sql.ts';
import { getOnly, insertRows } from '../db/statements.ts';
import type { Validation } from './record-rows.ts';

/** An email address or a domain as stored; `key` is the form that is compared, unique among all records. */
export interface Address {
  readonly key: string;
  readonly columns: Readonly<Record<string, string>>;
}

/** The addresses of contacts and organizations. Without the field for its name, a record needs an address. */
const kinds = {
  contact: {
    field: 'emails',
    nameField: 'first_name',
    table: 'contact_email',
    owner: 'contact_id',
    key: 'folded',
    parse(text: string): Address | undefined {
      const email = parseEmail(text);
      const folded = foldEmail(text);
      return email === undefined ? undefined : { key: folded, columns: { email, folded } };
    },
    expected: 'an email address',
    // Clients search for phrases of these two messages.
    formatTaken: (text: string, owner: string) =>
      `The email address ${quote(parseEmail(text) ?? text)} has already been taken by the contact ${owner}.`,
    required: contactRequirement,
    last: 'A contact needs a first name or an email address; these are its last email addresses.',
  },
  organization: {
    field: 'domains',
    nameField: 'name',
    table: 'organization_domain',
    owner: 'organization_id',
    key: 'domain',
    parse(text: string): Address | undefined {
      const domain = extractHost(text);
      return domain === undefined ? undefined : { key: domain, columns: { domain } };
    },
    expected: 'a domain or a URL',
    formatTaken: (text: string, owner: string) =>
      `The domain ${quote(extractHost(text) ?? text)} has already been taken: ${owner} has the same organization domain.`,
    required: 'name, or at least one valid URL in domains, is required.',
    last: 'An organization needs a name or a domain; these are its last domains.',
  },
} as const satisfies Readonly<Record<PartyNoun, object>>;

/** Returns the row id of the record with an address, if there is one. */
export async function findOwner(db: Database, kind: PartyNoun, key: string): Promise<number | undefined> {
  const { table, owner, key: column } = kinds[kind];
  const row = await db.first<{ owner: number }>(
    sql`select ${raw(owner)} as owner from ${raw(table)} where ${raw(column)} = ${key}`,
  );
  return row?.owner;
}

/** Reads the row ids of the records that have addresses: key -> row. */
export async function readOwners(
  db: Database,
  kind: PartyNoun,
  texts: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { table, owner, key, parse } = kinds[kind];
  const keys = texts.flatMap((text) => parse(text ?? '')?.key ?? []); // an invalid address was removed
  if (keys.length === 0) return new Map();
  const rows = await db.all<{ key: string; owner: number }>(
    sql`select ${raw(key)} as key, ${raw(owner)} as owner from ${raw(table)} where ${isIn(key, keys)}`,
  );
  return new Map(rows.map(({ key, owner }) => [key, owner]));
}

async function readKeys(db: Database, kind: PartyNoun, record: number | undefined): Promise<string[]> {
  const { table, owner, key } = kinds[kind];
  const rows = await db.all<{ key: string }>(
    sql`select ${raw(key)} as key from ${raw(table)} where ${raw(owner)} = ${record ?? null}`,
  );
  return rows.map(({ key }) => key);
}

/** The parts of a record that concern its addresses. A new record has no id. */
interface AddressOwner {
  readonly id: number | undefined;
  readonly name: string | null | undefined;
}

/**
 * Returns the addresses that a record does not have yet. Adds an error if it has neither a name nor an address.
 * `owners`: the result of `readOwners`.
 */
export async function validateAddresses(
  { db, errors }: Validation,
  kind: PartyNoun,
  { id, name }: AddressOwner,
  texts: readonly string[],
  owners: ReadonlyMap<string, number>,
): Promise<Address[]> {
  const { field, parse, expected, formatTaken, nameField, required } = kinds[kind];
  const addedAddresses: Address[] = [];
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue; // an invalid address, which was removed
    const address = parse(text);
    if (!address) {
      errors.add([field, index], 'value', describeMismatch(text, expected));
      continue;
    }
    if (addedAddresses.some(({ key }) => key === address.key)) continue;
    const owner = owners.get(address.key);
    if (owner === undefined) addedAddresses.push(address);
    else if (owner !== id) {
      const ownerId = await encodeId(db, kind, owner);
      errors.add([field, index], 'taken', formatTaken(text, ownerId), ownerId);
    }
  }
  const isNamed = name || texts.length > 0 || (await readKeys(db, kind, id)).length > 0;
  if (!isNamed) errors.add([nameField], 'required', required);
  return addedAddresses;
}

/** Stores new addresses of a record: after those that it has, unless it is new. */
export async function storeAddresses(
  db: Database,
  kind: PartyNoun,
  record: number,
  addresses: readonly Address[],
  isNew: boolean,
): Promise<void> {
  if (addresses.length === 0) return;
  const { table, owner } = kinds[kind];
  const select = sql`select coalesce(max(position), -1) + 1 as next from ${raw(table)}
    where ${raw(owner)} = ${record}`;
  const next = isNew ? 0 : getOnly(await db.all<{ next: number }>(select)).next;
  const rows = addresses.map(({ columns }, index) => ({
    ...columns,
    [owner]: record,
    position: next + index,
  }));
  await insertRows(db, table, rows);
}

/** Validates the removal of addresses, and returns the change. A record without a name keeps an address. */
export async function removeAddresses(
  { db, errors }: Validation,
  kind: PartyNoun,
  { id, name }: AddressOwner,
  texts: readonly string[],
) {
  const { field, table, key, parse, last } = kinds[kind];
  const requestedKeys = new Set(Array.from(texts, (text) => parse(text ?? '')?.key));
  const existingKeys = await readKeys(db, kind, id);
  // A key may be as an older version stored it.
  const removedKeys = existingKeys.filter((stored) => requestedKeys.has(parse(stored)?.key ?? stored));
  if (removedKeys.length > 0 && removedKeys.length === existingKeys.length && !name)
    errors.add([field], 'required', last);
  return {
    columns: {},
    storeParts: () => db.run(sql`delete from ${raw(table)} where ${isIn(key, removedKeys)}`),
  };
}
