import { organization, page, type Row } from './endpoint-rows-of-records.ts';

const list = 'GET /v1/lists/l1';
const contact = 'GET /v1/contacts/c1';
const lists = 'GET /v1/lists?first=100&after=0';

/** Lists, their entries, meetings, and any request. */
export const rowsOfLists: readonly Row[] = [
  // 4.5 Lists and processes
  ['lists list', 'GET', `/v1/lists${page}`],
  ['lists get l1', 'GET', '/v1/lists/l1'],
  [
    'lists create News --entry-type Contact',
    'POST',
    '/v1/lists',
    { name: 'News', process: false, entry_type: 'Contact' },
  ],
  [
    'lists create Fair --entry-type Organization --field Met:date --field "Interest:select:multiple:Probes,Loggers" ' +
      '--field Host:user',
    'POST',
    '/v1/lists',
    {
      name: 'Fair',
      process: false,
      entry_type: 'Organization',
      fields: [
        { name: 'Met', data_type: 'date' },
        {
          name: 'Interest',
          data_type: 'select',
          accepts_multiple_values: true,
          options: ['Probes', 'Loggers'],
        },
        { name: 'Host', data_type: 'user', accepts_multiple_values: false },
      ],
    },
  ],
  [
    'lists create Sales --process --entry-type Contact --identifier SAL --no-duplicates --entry-label Deal ' +
      '--status-label Stage --status Open:active --status "Won: signed:won" --status Lost:lost --field Next:text',
    'POST',
    '/v1/lists',
    {
      name: 'Sales',
      process: true,
      entry_type: 'Contact',
      fields: [{ name: 'Next', data_type: 'text' }],
      identifier: 'SAL',
      statuses: [
        { name: 'Open', type: 'active' },
        { name: 'Won: signed', type: 'won' },
        { name: 'Lost', type: 'lost' },
      ],
      entry_label: 'Deal',
      status_label: 'Stage',
      duplicates_allowed: false,
    },
  ],
  [
    'lists create Help --process --entry-type Organization --identifier H --duplicates-allowed',
    'POST',
    '/v1/lists',
    { name: 'Help', process: true, entry_type: 'Organization', identifier: 'H', duplicates_allowed: true },
  ],
  [
    'lists update l1 --name Deals --identifier D --duplicates-allowed --entry-label Deal --status-label Stage ' +
      '--status New:active --field Next:textarea',
    'PATCH',
    '/v1/lists/l1',
    {
      name: 'Deals',
      fields: [{ name: 'Next', data_type: 'textarea' }],
      identifier: 'D',
      statuses: [{ name: 'New', type: 'active' }],
      entry_label: 'Deal',
      status_label: 'Stage',
      duplicates_allowed: true,
    },
  ],
  ['lists update l1 --no-duplicates', 'PATCH', '/v1/lists/l1', { duplicates_allowed: false }],
  ['lists delete l1 --yes', 'DELETE', '/v1/lists/l1'],
  // 4.6 Entries
  ['entries list l1', 'GET', `/v1/lists/l1/entries${page}`],
  ['entries get l1 e1', 'GET', '/v1/lists/l1/entries/e1'],
  ['entries get "My list" e1', 'GET', '/v1/lists/l2/entries/e1', undefined, [lists]],
  [
    'entries add l1 --contact c1',
    'POST',
    '/v1/lists/l1/entries',
    { entryable_id: 'c1', entryable_type: 'Contact' },
    [contact],
  ],
  [
    'entries add l1 --organization o1 --status Open --assignee mina@x.example --contact-id c1 --one-time-value 1200.50 ' +
      '--recurring-value 0.1 --recurring-period annual --field "Tier=Silver, old" --field Sizes=1 --field Sizes=2.5',
    'POST',
    '/v1/lists/l1/entries',
    {
      entryable_id: 'o1',
      entryable_type: 'Organization',
      status: 'Open',
      assignee_email: 'mina@x.example',
      contact_id: 'c1',
      one_time_value_cents: 120050,
      recurring_value_cents: 10,
      recurring_value_period: 'annual',
      list_fields: [
        { name: 'Tier', value: 'Silver, old' },
        { name: 'Sizes', value: [1, 2.5] },
      ],
    },
    [organization, contact, list],
  ],
  [
    `entries update l1 e1 --status Won --assignee '' --contact-id '' --one-time-value 0 --recurring-value 99 ` +
      '--recurring-period one_time --field Tier= --field Visit=2026-05-01T09:30:00Z',
    'PATCH',
    '/v1/lists/l1/entries/e1',
    {
      status: 'Won',
      assignee_email: null,
      contact_id: null,
      one_time_value_cents: 0,
      recurring_value_cents: 9900,
      recurring_value_period: 'one_time',
      list_fields: [
        { name: 'Tier', value: null },
        { name: 'Visit', value: '2026-05-01T09:30:00Z' },
      ],
    },
    [list],
  ],
  [
    'entries update "My list" e1 --status Won',
    'PATCH',
    '/v1/lists/l2/entries/e1',
    { status: 'Won' },
    [lists],
  ],
  ['entries delete l1 e1 --yes', 'DELETE', '/v1/lists/l1/entries/e1'],
  // 4.7 Calendar events
  ['events list', 'GET', `/v1/calendar_events${page}`],
  [
    'meetings list --updated-after 1767225600 --starts-after 2026-05-01 --starts-before 2026-05-01T10:30:00+09:00 ' +
      '--tz Asia/Seoul --limit 3',
    'GET',
    '/v1/calendar_events?updated_after=1767225600&starts_after=1777561200&starts_before=1777599000' +
      '&first=3&after=0',
  ],
  ['events get m1', 'GET', '/v1/calendar_events/m1'],
  // 4.8 Recordings
  ['recordings get r1', 'GET', '/v1/recordings/r1'],
  ['recordings summary r1', 'GET', '/v1/recordings/r1'],
  ['recordings transcript r1', 'GET', '/v1/recordings/r1'],
  // Any of them
  ['api /v1/notes/n1', 'GET', '/v1/notes/n1'],
  [
    'api v1/contacts -X get -f email=a+b@x.example -F first=2',
    'GET',
    '/v1/contacts?email=a%2Bb%40x.example&first=2',
  ],
  [
    'api /v1/contacts -f first_name=007 -f emails[]=a@x.example -f emails[]=b@x.example -f custom_fields[][name]=Rooms ' +
      '-F custom_fields[][value]=12',
    'POST',
    '/v1/contacts',
    {
      first_name: '007',
      emails: ['a@x.example', 'b@x.example'],
      custom_fields: [{ name: 'Rooms', value: 12 }],
    },
  ],
  ['api /v1/notes/n1 -X PATCH -F deal_id=null', 'PATCH', '/v1/notes/n1', { deal_id: null }],
  [
    'api /v1/contacts/c1/emails -X DELETE -f emails[]=a@x.example --yes',
    'DELETE',
    '/v1/contacts/c1/emails',
    { emails: ['a@x.example'] },
  ],
  ['api /v1/contacts/c1 -X DELETE --yes', 'DELETE', '/v1/contacts/c1'],
];
