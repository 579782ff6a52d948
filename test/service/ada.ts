import type { Contact } from '../../src/contract/contacts.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import { later, workspace } from './service.ts';

/** Ada of Acme, with all that a contact may have. */
export async function ada() {
  const made = workspace();
  const { id: organization_id } = await made.give<Organization>('POST /v1/organizations', { name: 'Acme' });
  const contact = await made.give<Contact>('POST /v1/contacts', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@example.com', 'second@example.com'],
    phone_numbers: ['+14155550100'],
    organization_id,
  });
  made.clock.time = later;
  return { ...made, contact, path: `/v1/contacts/${contact.id}` };
}
