import type { Client } from '../client/client.ts';
import { contacts } from '../contract/contacts.ts';
import { Failure } from '../contract/errors.ts';
import { organizations } from '../contract/organizations.ts';
import { type Fields, plain } from '../render/fields.ts';
import { isEmail } from '../values/email.ts';
import { readTexts } from '../values/field-values.ts';
import type { OwnColumns } from './columns.ts';
import {
  contactFinder,
  contactIdentities,
  contactKeys,
  contactWishKeys,
  identitiesOfContact,
  isSameContact,
} from './contact-finder.ts';
import type { Importer, Importing } from './importer.ts';
import { type Membership, noMembership } from './membership.ts';
import { foldedName, organizationBody, organizationKeys, organizationNamed } from './organization-finder.ts';
import { isTaken, Refusal } from './outcome.ts';
import { isSameNumber, unfitNumber } from './phone-numbers.ts';
import { type RecordWriter, recordWriter } from './record-writer.ts';
import { recordAt } from './recovery.ts';
import { idKey, openShelf, type Shelf } from './shelf.ts';
import { shelved } from './shelved.ts';
import { type ShelvedList, shelvedList } from './shelved-list.ts';
import { isNumberLike } from './table-file.ts';
import { forBody } from './values.ts';
import type { Wish } from './wishes.ts';
import type { Worker } from './worker.ts';

/** The columns of a sheet of contacts, beside custom fields (cli.md, "Corners, decided"). */
export const contactColumns = {
  emails: {
    aliases: ['email'],
    several: true,
    unfit: (text) => (isEmail(text) ? undefined : 'an email address'),
  },
  phone_numbers: { aliases: ['phone', 'phones', 'phone_number'], several: true, unfit: unfitNumber },
  first_name: {},
  last_name: {},
  organization: {},
  organization_id: {},
} as const satisfies OwnColumns;

/** How contacts are brought in. */
export interface ContactImporting extends Importing {
  /** The service says by the domain of the first email which organization a new contact belongs to. */
  readonly autoOrganization: boolean;
  /** A column names organizations. */
  readonly namesOrganizations: boolean;
  /** A row without email and phone number makes a contact each time. */
  readonly allowUnmatched: boolean;
  /** What puts each contact into a list. */
  readonly membership: Membership | undefined;
}

const asGiven = (text: string) => text;

/** Brings contacts in: each is found by email, then by phone number (cli.md, "Import"). */
export async function contactImporter(importing: ContactImporting): Promise<Importer> {
  const { client, rows, name, membership = noMembership } = importing;
  const shelf = openShelf(`${name}-contacts`, contactKeys);
  const isWhole = await shelved(importing, shelf, contacts.list, {}, rows);
  const { find, findAgain, findNew } = contactFinder(client, shelf, isWhole);
  const home = await organizationsOf(importing);
  const writer = recordWriter(client, shelf, { what: 'contact' });
  // A row of a report that nothing else would find, and that must not become another contact.
  const reported = async (wish: Wish) => {
    const { recordId } = wish;
    if (recordId === undefined || contactWishKeys(wish).length > 0) return undefined;
    const contact = await recordAt(client, { what: 'contact' }, recordId);
    if (!contact && isNumberLike(recordId)) {
      throw new Refusal(
        `There is no contact ${recordId}: a spreadsheet may have changed the id. Correct it, or delete it to create the contact again.`,
      );
    }
    return contact;
  };
  const findLatest = async (wish: Wish) => {
    const found = (await find(wish)) ?? (await reported(wish));
    return found && writer.latest(found);
  };
  return {
    main: 'contact',
    keysOf: contactWishKeys,
    compared: {
      identitiesOf: contactIdentities,
      own: { first_name: asGiven, last_name: asGiven, organization: foldedName, organization_id: asGiven },
    },
    async bring(wish, { worker, claim, agreed }) {
      let current = await findLatest(wish);
      const isStale = await claim(current ? [idKey(current.id)] : []);
      if (isStale) current = await findLatest(wish);
      if (!current && contactWishKeys(wish).length === 0 && !importing.allowUnmatched) {
        throw new Refusal('It has neither an email nor a phone number to be found by.');
      }
      const values = agreed(current ? identitiesOfContact(shelf, current) : []);
      const organization_id = await home.idFor(values, current, worker);
      const isMatch = (body: Fields) => isSameContact(wish, body);
      const writing = {
        worker,
        writer,
        isMatch,
        lookUp: () => findAgain(wish),
        lookUpNew: () => findNew(wish),
      };
      const contact = await written(values, current, organization_id, writing);
      if (contact !== current) shelf.put(contact);
      await membership.join(contact, 'Contact', values, worker);
      return plain(contact.id);
    },
    close() {
      shelf.close();
      home.close();
      membership.close();
    },
  };
}

/** What writes the contact of one row. */
interface Writing {
  readonly worker: Worker;
  readonly writer: RecordWriter;
  readonly isMatch: (body: Fields) => boolean;
  readonly lookUp: () => Promise<Fields | undefined>;
  readonly lookUpNew: () => Promise<Fields | undefined>;
}

/** Creates the contact, or updates what differs; one that somebody else created meanwhile is found and updated. */
async function written(
  wish: Wish,
  current: Fields | undefined,
  organization_id: string | undefined,
  { worker, writer, isMatch, lookUp, lookUpNew }: Writing,
): Promise<Fields> {
  const update = (contact: Fields, id: string | undefined) =>
    writer.update(worker, contact, differing(wish, contact, id), {
      map: 'custom_fields',
      wanted: wish.custom,
    });
  if (current) return update(current, organization_id);
  const ofFound = organization_id === 'auto' ? undefined : organization_id;
  const { emails, phone_numbers, first_name, last_name } = wish.own;
  const body = {
    first_name: first_name?.[0],
    last_name: last_name?.[0],
    emails,
    phone_numbers,
    organization_id,
    ...(wish.custom.length > 0 && { custom_fields: forBody(wish.custom) }),
  };
  try {
    const creation = { body, keys: contactWishKeys(wish), isMatch, lookUp, lookUpNew };
    const { record, isNew } = await writer.create(worker, creation);
    return isNew ? record : update(record, ofFound);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid' || !emails) throw error;
    const found = await lookUp();
    if (!found) throw error;
    return update(found, ofFound);
  }
}

/** What the contact has not. PATCH adds emails to those it has, and puts numbers in the place of all it has. */
function differing({ own }: Wish, current: Fields, organization_id: string | undefined): Fields {
  const held = readTexts(current.emails).map((email) => email.toLowerCase());
  const emails = (own.emails ?? []).filter((email) => !held.includes(email.trim().toLowerCase()));
  const numbers = readTexts(current.phone_numbers);
  const added = (own.phone_numbers ?? []).filter(
    (number) => !numbers.some((one) => isSameNumber(one, number)),
  );
  const named = (name: 'first_name' | 'last_name') => {
    const [text] = own[name] ?? [];
    return text !== undefined && text.trim() !== plain(current[name]).trim() && { [name]: text };
  };
  return {
    ...named('first_name'),
    ...named('last_name'),
    ...(emails.length > 0 && { emails }),
    ...(added.length > 0 && { phone_numbers: [...numbers, ...added] }),
    ...(organization_id !== undefined && organization_id !== current.organization_id && { organization_id }),
  };
}

/** Where contacts belong. */
interface Home {
  /** The id of the organization that a row names, which is made where there is none. Throws `Refusal`. */
  idFor(wish: Wish, current: Fields | undefined, worker: Worker): Promise<string | undefined>;
  close(): void;
}

async function organizationsOf(importing: ContactImporting): Promise<Home> {
  const { name, autoOrganization, namesOrganizations } = importing;
  if (!namesOrganizations) {
    return {
      idFor: async ({ own }, current) =>
        own.organization_id?.[0] ?? (autoOrganization && !current && own.emails ? 'auto' : undefined),
      close() {},
    };
  }
  const shelf = openShelf(`${name}-organizations`, organizationKeys);
  const list = await shelvedList(importing, shelf, organizations.list);
  const found = organizationByName(importing.client, shelf, list);
  return {
    idFor: async ({ own }, _, worker) => {
      const [text] = own.organization ?? [];
      return text === undefined ? own.organization_id?.[0] : found(text, worker);
    },
    close: () => shelf.close(),
  };
}

/**
 * Returns the id of the organization that a text names. If several rows name a new one, one of them creates it; one
 * that somebody else created meanwhile is found by filling the shelf again.
 */
function organizationByName(
  client: Client,
  shelf: Shelf,
  list: ShelvedList,
): (text: string, worker: Worker) => Promise<string> {
  const writer = recordWriter(client, shelf, { what: 'organization' });
  const creating = new Map<string, Promise<string>>();
  const create = async (text: string, worker: Worker) => {
    const lookUp = async () => {
      await list.reread();
      return organizationNamed(shelf, text);
    };
    const lookUpNew = async () => {
      await list.readNew();
      return organizationNamed(shelf, text);
    };
    try {
      const creation = { body: organizationBody(text), keys: [foldedName(text)], lookUp, lookUpNew };
      const { record, isNew } = await writer.create(worker, creation);
      if (isNew) shelf.put(record);
      return plain(record.id);
    } catch (error) {
      if (!isTaken(error)) throw error;
      const other = await lookUp();
      if (!other) throw error;
      return plain(other.id);
    }
  };
  return async (text, worker) => {
    const key = foldedName(text);
    // A row whose create fails says so itself; the rows that waited for it try again, one after the other.
    while (creating.has(key)) await creating.get(key)?.catch(() => {});
    const known = organizationNamed(shelf, text);
    if (known) return plain(known.id);
    const creation = create(text.trim(), worker).finally(() => creating.delete(key));
    creating.set(key, creation);
    return creation;
  };
}
