import type { Session } from '../../cli/command/context.ts';
import { readIndexedContacts, readIndexedNames } from '../../cli/references/index-lookups.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import type { Attendee } from '../../render/screens/attendees.ts';

/** People by email address, cached for a run. */
export interface People {
  /** Loads contacts and the names of their organizations. @throws {Failure} */
  load(addresses: readonly string[]): Promise<void>;
  /** Returns the person of an address; without a name if no contact has the address. */
  get(address: string): Attendee;
}

/**
 * Creates the people of a run. Addresses are looked up together: in the search index, in the first pages of the
 * contacts, or with one request each, whichever takes the fewest requests.
 */
export function createPeople(session: Session): People {
  const organizationIds = new Map<string, string | undefined>();
  const loadedEmails = new Set<string>();
  const names = createNames(session, {
    async readLocal(kind, ids) {
      if (kind !== 'email') return readIndexedNames(session, kind, ids);
      const contacts = await readIndexedContacts(session, ids);
      for (const { email, organizationId } of contacts) organizationIds.set(toKey(email), organizationId);
      return contacts.map(({ email, name }) => [toKey(email), name] as const);
    },
    onContact({ emails = [], organizationId }) {
      for (const email of emails.map(toKey))
        if (loadedEmails.has(email)) organizationIds.set(email, organizationId);
    },
    isRequired: true,
  });
  return {
    async load(addresses) {
      for (const address of addresses) loadedEmails.add(toKey(address));
      await names.load(addresses.map((id) => ({ kind: 'email', id })));
      const ids = addresses.flatMap((address) => organizationIds.get(toKey(address)) ?? []);
      await names.load(ids.map((id) => ({ kind: 'organization', id })));
    },
    get(email) {
      const name = names.get('email', email);
      const organizationId = organizationIds.get(toKey(email));
      return {
        email,
        name: name === email ? undefined : name,
        organizationId,
        organization: organizationId && names.get('organization', organizationId),
      };
    },
  };
}

const toKey = (address: string) => address.toLowerCase();
