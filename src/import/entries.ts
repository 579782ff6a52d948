import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { recurringPeriods } from '../contract/entries.ts';
import type { EntryType } from '../contract/lists.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, fieldsOf, plain } from '../render/fields.ts';
import { isEmail } from '../values/email.ts';
import { parseCents } from '../values/money.ts';
import type { OwnColumn, OwnColumns } from './columns.ts';
import {
  contactFinder,
  contactIdentities,
  contactKeys,
  contactWishKeys,
  identitiesOfContact,
} from './contact-finder.ts';
import { contactColumns } from './contacts.ts';
import type { Identity } from './contradictions.ts';
import type { Importer, Importing } from './importer.ts';
import { type EntryFields, type EntryWish, entryKey, membershipIn, statusesOf } from './membership.ts';
import {
  identitiesOfOrganization,
  organizationIdentities,
  organizationKeys,
  organizationNamed,
  organizationOf,
  organizationWishKeys,
} from './organization-finder.ts';
import { organizationColumns } from './organizations.ts';
import { Refusal } from './outcome.ts';
import { idKey, openShelf } from './shelf.ts';
import { shelved } from './shelved.ts';
import type { Wish } from './wishes.ts';

const amount = (text: string) =>
  parseCents(text.trim()) === undefined ? 'an amount as 1200 or 1200.50' : undefined;

const assigneeColumn: OwnColumn = {
  aliases: ['assignee_email'],
  unfit: (text) => (isEmail(text.trim()) ? undefined : 'an email address'),
};

/** What only an entry of a process has, beside its status. */
const processColumns = {
  one_time_value: { unfit: amount },
  recurring_value: { unfit: amount },
  recurring_period: {
    aliases: ['recurring_value_period'],
    unfit: (text) =>
      recurringPeriods.some((one) => one === text.trim())
        ? undefined
        : `one of ${recurringPeriods.join(', ')}`,
  },
} as const satisfies OwnColumns;

/** The columns of a sheet of entries, beside the fields of the list. */
export function entryColumns(type: EntryType, list: Fields): OwnColumns {
  const { emails, phone_numbers } = contactColumns;
  const about: OwnColumns =
    type === 'Contact'
      ? { entryable_id: { aliases: ['contact', 'contact_id'] }, emails, phone_numbers }
      : {
          entryable_id: { aliases: ['organization_id'] },
          organization: {},
          domains: organizationColumns.domains,
          contact_id: { aliases: ['contact'] },
        };
  const ofProcess = list.process === true && { status: statusColumn(statusesOf(list)), ...processColumns };
  return { id: {}, key: {}, ...about, ...ofProcess, assignee: assigneeColumn };
}

function statusColumn(statuses: readonly string[]): OwnColumn {
  return {
    unfit: (text) => (statuses.includes(text.trim()) ? undefined : `one of ${statuses.join(', ')}`),
  };
}

/** Brings entries in: of contacts or organizations that are there, each once (cli.md, "Import"). */
export async function entryImporter(
  importing: Importing & { readonly list_id: string; readonly type: EntryType },
): Promise<Importer> {
  const { list_id, type } = importing;
  const membership = await membershipIn(list_id, importing, wishOf);
  const about = type === 'Contact' ? await aboutContacts(importing) : await aboutOrganizations(importing);
  return {
    main: 'entry',
    keysOf: about.keysOf,
    compared: { identitiesOf: (wish) => entryIdentities(wish, about), own: comparedColumns },
    async bring(wish, { worker, claim, agreed }) {
      const record = await about.find(wish);
      await claim(record ? [entryKey(record.id)] : []);
      if (!record) throw new Refusal(`There is no ${type.toLowerCase()} that it names.`);
      const entries = membership.entriesOf(record);
      const ofRecord = entries.length > 1 ? [] : [{ key: idKey(record.id) }, ...about.identitiesOf(record)];
      const ofEntries = namesOfEntry(wish).length > 0 ? [] : entries.flatMap(identitiesOfEntry);
      const values = agreed([...ofRecord, ...ofEntries]);
      const entry = await membership.join(record, type, values, worker);
      return plain(entry?.id);
    },
    close() {
      about.close();
      membership.close();
    },
  };
}

/** The columns of entries that are compared with those of other rows. */
const comparedColumns = {
  status: (text: string) => text,
  assignee: (text: string) => text.toLowerCase(),
  one_time_value: (text: string) => String(parseCents(text)),
  recurring_value: (text: string) => String(parseCents(text)),
  recurring_period: (text: string) => text,
  contact_id: (text: string) => text,
};

/** The id and the key by which a row names its entry: a record may have several. */
const namesOfEntry = ({ own }: Wish): string[] =>
  [...(own.id ?? []), ...(own.key ?? [])].map((name) => name.trim());

const nameIdentity = (name: string): Identity => ({ key: `entry:${name}` });

const identitiesOfEntry = ({ id, key }: Fields) => [plain(id), plain(key)].map(nameIdentity);

/** What tells which entry a row is about: its own name, or the record that it is of. */
function entryIdentities(wish: Wish, about: About): readonly (readonly Identity[])[] {
  const names = namesOfEntry(wish);
  if (names.length > 0) return [names.map(nameIdentity)];
  const ids = idKeys(wish).map((key) => ({ key }));
  return ids.length > 0 ? [ids] : about.identitiesIn(wish);
}

/** What a row says of its entry: all of it is data, the status too. */
function wishOf({ own, list }: Wish): EntryWish {
  const text = (name: string) => own[name]?.[0]?.trim();
  const cents = (name: string) => {
    const given = text(name);
    return given === undefined ? undefined : parseCents(given);
  };
  const all: EntryFields = {
    status: text('status'),
    assignee_email: text('assignee'),
    one_time_value_cents: cents('one_time_value'),
    recurring_value_cents: cents('recurring_value'),
    recurring_value_period: text('recurring_period'),
    contact_id: text('contact_id'),
  };
  const fields = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const called = [text('id'), text('key')].filter((one) => one !== undefined);
  return { called, start: {}, fields, values: list };
}

/** Finds what rows are about. */
interface About {
  keysOf(wish: Wish): readonly string[];
  find(wish: Wish): Promise<Fields | undefined>;
  /** What tells which record a row is about. */
  identitiesIn(wish: Wish): readonly (readonly Identity[])[];
  /** The same of a record. */
  identitiesOf(record: Fields): readonly Identity[];
  close(): void;
}

const idKeys = ({ own }: Wish) => (own.entryable_id ?? []).map((id) => idKey(id.trim()));

async function aboutContacts(importing: Importing): Promise<About> {
  const { client, rows, name } = importing;
  const shelf = openShelf(`${name}-contacts`, contactKeys);
  const isWhole = await shelved(importing, shelf, contacts.list, {}, rows);
  const { find } = contactFinder(client, shelf, isWhole);
  return {
    keysOf: (wish) => [...idKeys(wish), ...contactWishKeys(wish)],
    identitiesIn: contactIdentities,
    identitiesOf: (record) => identitiesOfContact(shelf, record),
    async find(wish) {
      const [id] = wish.own.entryable_id ?? [];
      if (id === undefined) return find(wish);
      return shelf.under(idKey(id.trim()))[0] ?? (isWhole ? undefined : contactAt(client, id.trim()));
    },
    close: () => shelf.close(),
  };
}

async function contactAt(client: Client, contact_id: string): Promise<Fields> {
  return fieldsOf(await client.read(contacts.get, { contact_id }));
}

async function aboutOrganizations(importing: Importing): Promise<About> {
  const shelf = openShelf(`${importing.name}-organizations`, organizationKeys);
  await shelved(importing, shelf, organizations.list);
  return {
    keysOf: (wish) => [...idKeys(wish), ...organizationWishKeys(wish)],
    identitiesIn: ({ own, ...wish }) =>
      organizationIdentities({ ...wish, own: { ...own, name: own.organization ?? [] } }),
    identitiesOf: (record) => identitiesOfOrganization(shelf, record),
    async find(wish) {
      const [id] = wish.own.entryable_id ?? [];
      if (id !== undefined) return shelf.under(idKey(id.trim()))[0];
      const [named] = wish.own.organization ?? [];
      return (
        organizationOf(shelf, wish) ?? (named === undefined ? undefined : organizationNamed(shelf, named))
      );
    },
    close: () => shelf.close(),
  };
}
