import type { Contact } from '../../src/contract/contacts.ts';
import type { Entry } from '../../src/contract/entries.ts';
import type { List } from '../../src/contract/lists.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import { openTestWorkspace } from './service.ts';

const statuses = [
  { name: 'Lead', type: 'active' },
  { name: 'Trial', type: 'active' },
  { name: 'Signed', type: 'won' },
  { name: 'Gone', type: 'lost' },
];

/** Creates a workspace with a contact and an organization, and a list and a process with a field `Day` for each. */
export async function createBoardWorkspace({ duplicates_allowed = true } = {}) {
  const workspace = await openTestWorkspace();
  const { sendOk } = workspace;
  const contact = await sendOk<Contact>('POST /v1/contacts', { first_name: 'Ada' });
  const organization = await sendOk<Organization>('POST /v1/organizations', { name: 'Acme' });
  const createList = async (body: object) => {
    const { id } = await sendOk<List>('POST /v1/lists', {
      name: 'Board',
      entry_type: 'Contact',
      fields: [{ name: 'Day', data_type: 'date' }],
      ...body,
    });
    return `/v1/lists/${id}/entries`;
  };
  const process = { process: true, identifier: 'DEAL', duplicates_allowed, statuses };
  return {
    ...workspace,
    contact,
    organization,
    regular: await createList({ process: false }),
    firms: await createList({ process: false, entry_type: 'Organization' }),
    deals: await createList(process),
    firmDeals: await createList({ ...process, entry_type: 'Organization' }),
    ada: { entryable_id: contact.id, entryable_type: 'Contact' },
    acme: { entryable_id: organization.id, entryable_type: 'Organization' },
  };
}

/** Returns `list_fields` with the only field of these lists. */
export const createDayField = (value: string | null) => ({
  [normalizedId]: { name: 'Day', data_type: 'date', value },
});
const normalizedId = 'the only field';
export const withNormalizedFieldId = (entry: Entry) => ({
  ...entry,
  list_fields: { [normalizedId]: Object.values(entry.list_fields)[0] },
});
