import sql from 'sql-template-tag';
import type { Contact } from '../../../src/contract/contacts.ts';
import { ids } from '../../../src/service/db/ids.ts';
import type { TestWorkspace } from '../service.ts';

/** Fills a workspace with a record of every kind, and returns their ids. */
export async function fillWorkspace({ db, sendOk }: Pick<TestWorkspace, 'db' | 'sendOk'>) {
  const { id: list } = await sendOk<{ id: string }>('POST /v1/lists', {
    ...{ name: 'All', process: false, entry_type: 'Contact', fields: [{ name: 'Next step' }] },
  });
  for (const model of ['contact', 'organization']) {
    await sendOk('POST /v1/custom_fields', { name: 'Role', model, data_type: 'text' });
  }
  const organization = await sendOk<{ id: string }>('POST /v1/organizations', { domains: ['a.example'] });
  await sendOk('POST /v1/notes', { organization_id: organization.id, body: 'A' });
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    ...{ first_name: 'A', emails: ['a@a.example'], phone_numbers: ['+14155550100'] },
  });
  const entry = { entryable_id: contact.id, entryable_type: 'Contact' };
  const { id } = await sendOk<{ id: string }>(`POST /v1/lists/${list}/entries`, entry);
  await db.run(sql`insert into calendar_event (title, start_at, end_at, starts_at, created_at, updated_at)
    values ('E', '', '', 0, 0, 9000)`);
  await db.run(sql`insert into calendar_event_attendee (calendar_event_id, position, email, folded)
    values (1, 0, 'a@a.example', 'a@a.example')`);
  await db.run(sql`insert into recording (calendar_event_id, status, started_at, created_at, updated_at)
    values (1, 'done', 0, 0, 0)`);
  return { list, entry: id, contact: contact.id, organization: organization.id };
}

type FilledIds = Awaited<ReturnType<typeof fillWorkspace>>;

/** Returns a path for each way in which the service reads. */
export const listReads = (records: FilledIds) => [
  ...[
    '',
    '?first=1&after=0',
    '?email=a@a.example',
    '?phone_number=%2B14155550100',
    '?phone_number=4155550100',
  ].map((query) => `/contacts${query}`),
  `/contacts/${records.contact}`,
  '/organizations',
  `/organizations/${records.organization}`,
  '/notes',
  `/lists/${records.list}/entries`,
  `/lists/${records.list}/entries/${records.entry}`,
  '/calendar_events',
  '/calendar_events?starts_after=-1&starts_before=9',
  `/calendar_events?contact_id=${records.contact}`,
  `/calendar_events?contact_id=${records.contact}&first=10&after=2900`,
  '/calendar_events?updated_after=-1&first=10&after=2900',
  `/calendar_events/${ids.calendarEvent.encode(1)}`,
  '/contacts?phone_number=030901820',
];
