import { createHash } from 'node:crypto';
import type { WritableNoun } from '../../contract/singular-nouns.ts';
import { normalizeDomain } from '../../values/domain.ts';
import { readTexts } from '../../values/field-values.ts';
import { readTail } from '../../values/phone.ts';
import type { TransferRecord } from './transfer-nouns.ts';

export interface MatchKeys {
  /** Addresses, which only one record should have. Several source records with an address may match one record. */
  readonly addresses: readonly string[];
  /** Other keys. Each record of the target matches at most one record of the source. */
  readonly others: readonly string[];
}

const normalizeText = (value: unknown) =>
  String(value ?? '')
    .normalize()
    .trim();

/** Bodies are long, so the key has their hash. */
const hashText = (text: string) => createHash('sha256').update(text).digest('base64').slice(0, 22);

const keyReaders: { readonly [N in WritableNoun]: (record: TransferRecord) => MatchKeys } = {
  customFields: ({ model, name }) => ({ addresses: [], others: [JSON.stringify([model, name])] }),
  organizations({ name, domains }) {
    const hosts = readTexts(domains);
    const text = normalizeText(name);
    // The same name with another domain is another organization.
    const bare = hosts.length === 0 ? [`bare ${text}`] : [];
    return {
      addresses: hosts.map((domain) => `domain ${normalizeDomain(domain)}`),
      others: text === '' ? [] : [`name ${text}`, ...bare],
    };
  },
  contacts({ emails, phone_numbers, first_name, last_name, organization_id }) {
    const addresses = readTexts(emails).map((email) => `email ${email.trim().toLowerCase()}`);
    const numbers = readTexts(phone_numbers).map((number) => `phone ${readTail(number) ?? number}`);
    const isBare = addresses.length === 0 && numbers.length === 0;
    const names = [first_name, last_name].map(normalizeText);
    // Without an address, a contact is the person with this name in this organization.
    return { addresses, others: isBare ? [JSON.stringify([...names, organization_id ?? null])] : numbers };
  },
  lists: ({ name, process, entry_type }) => ({
    addresses: [],
    others: [JSON.stringify([process, entry_type, normalizeText(name)])],
  }),
  entries: ({ list_id, entryable_type, entryable_id }) => ({
    addresses: [],
    others: [JSON.stringify([list_id, entryable_type, entryable_id])],
  }),
  notes: ({ organization_id, body }) => ({
    addresses: [],
    others: [JSON.stringify([organization_id, hashText(normalizeText(body))])],
  }),
};

/** Returns the keys of a record whose references are ids of the target. */
export const readMatchKeys = (noun: WritableNoun, record: TransferRecord): MatchKeys =>
  keyReaders[noun](record);

/** Returns the keys by which a record of the source is looked up. */
export function readLookupKeys(noun: WritableNoun, record: TransferRecord): MatchKeys {
  const keys = readMatchKeys(noun, record);
  if (noun !== 'organizations') return keys;
  const prefix = keys.addresses.length > 0 ? 'bare ' : 'name ';
  const name = normalizeText(record.name);
  return { ...keys, others: name === '' ? [] : [`${prefix}${name}`] };
}
