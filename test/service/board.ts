import type { Contact } from '../../src/contract/contacts.ts';
import type { Entry } from '../../src/contract/entries.ts';
import type { List } from '../../src/contract/lists.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import { workspace } from './service.ts';

const statuses = [
  { name: 'Lead', type: 'active' },
  { name: 'Trial', type: 'active' },
  { name: 'Signed', type: 'won' },
  { name: 'Gone', type: 'lost' },
];

/** A contact, an organization, and for each a list and a process with a field `Day`. */
export async function board({ duplicates_allowed = true } = {}) {
  const made = workspace();
  const { give } = made;
  const contact = await give<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  const organization = await give<Organization>('POST /v1/organizations', { name: 'Acme' });
  const listOf = async (body: object) => {
    const { id } = await give<List>('POST /v1/lists', {
      name: 'Board',
      entry_type: 'Contact',
      fields: [{ name: 'Day', data_type: 'date' }],
      ...body,
    });
    return `/v1/lists/${id}/entries`;
  };
  const process = { process: true, identifier: 'DEAL', duplicates_allowed, statuses };
  return {
    ...made,
    contact,
    organization,
    regular: await listOf({ process: false }),
    firms: await listOf({ process: false, entry_type: 'Organization' }),
    deals: await listOf(process),
    firmDeals: await listOf({ ...process, entry_type: 'Organization' }),
    ada: { entryable_id: contact.id, entryable_type: 'Contact' },
    acme: { entryable_id: organization.id, entryable_type: 'Organization' },
  };
}

/** `list_fields` with the one field of these lists. */
export const day = (value: string | null) => ({ [anyId]: { name: 'Day', data_type: 'date', value } });
const anyId = 'the only field';
export const shown = (entry: Entry) => ({
  ...entry,
  list_fields: { [anyId]: Object.values(entry.list_fields)[0] },
});
