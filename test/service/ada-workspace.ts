import type { Contact } from '../../src/contract/contacts.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import { laterTime, openTestWorkspace } from './service.ts';

/** Creates a workspace with the contact Ada, who has a value in every field. */
export async function createAdaWorkspace() {
  const workspace = await openTestWorkspace();
  const { id: organization_id } = await workspace.sendOk<Organization>('POST /v1/organizations', {
    name: 'Acme',
  });
  const contact = await workspace.sendOk<Contact>('POST /v1/contacts', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@example.com', 'second@example.com'],
    phone_numbers: ['+14155550100'],
    organization_id,
  });
  workspace.clock.time = laterTime;
  return { ...workspace, contact, path: `/v1/contacts/${contact.id}` };
}
