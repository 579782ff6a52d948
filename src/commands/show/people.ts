import type { Session } from '../../cli/command/context.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import type { Attendee } from '../../render/screens/attendees.ts';

/** People by email address, cached for a run. */
export interface People {
  /** Loads contacts and the names of their organizations. @throws {Failure} */
  load(addresses: readonly string[]): Promise<void>;
  /** Returns the person of an address; without a name if no contact has the address. */
  get(address: string): Attendee;
}

export function createPeople(session: Session): People {
  const names = createNames(session, { isRequired: true });
  return {
    async load(addresses) {
      await names.load(addresses.map((id) => ({ kind: 'email', id })));
      const ids = addresses.flatMap((address) => names.find('email', address)?.organizationId ?? []);
      await names.load(ids.map((id) => ({ kind: 'organization', id })));
    },
    get(email) {
      const name = names.get('email', email);
      const organizationId = names.find('email', email)?.organizationId;
      return {
        email,
        name: name === email ? undefined : name,
        organizationId,
        organization: organizationId && names.get('organization', organizationId),
      };
    },
  };
}
