type Body = Readonly<Record<string, unknown>>;

/** As it is written down: without a body, and without requests before it, where there are none. */
type Row = readonly [line: string, method: string, path: string, body?: Body | undefined, before?: string[]];

const page = '?first=25&after=0';
const customFields = 'GET /v1/custom_fields?first=100&after=0';
const organization = 'GET /v1/organizations/o1';
const list = 'GET /v1/lists/l1';
const lists = 'GET /v1/lists?first=100&after=0';

const rows: readonly Row[] = [
  // 4.1 Contacts
  ['contacts list', 'GET', `/v1/contacts${page}`],
  ['contacts list --all --page-size 200', 'GET', '/v1/contacts?first=200&after=0'],
  ['contacts list --limit 7', 'GET', '/v1/contacts?first=7&after=0'],
  ['contacts get c1', 'GET', '/v1/contacts/c1'],
  ['contacts get "a b/ü?#%"', 'GET', '/v1/contacts/a%20b%2F%C3%BC%3F%23%25'],
  ['contacts find --email ada+crm@x.example', 'GET', '/v1/contacts?email=ada%2Bcrm%40x.example'],
  ['contacts find --phone "+82 10-5550-1234"', 'GET', '/v1/contacts?phone_number=%2B82+10-5550-1234'],
  ['contacts create --first-name 지우', 'POST', '/v1/contacts', { first_name: '지우' }],
  [
    'contacts create --first-name Ada --last-name Lovelace --email a@x.example --email b@x.example ' +
      '--phone 010-5550-1234 --phone +15550100 --organization auto',
    'POST',
    '/v1/contacts',
    {
      first_name: 'Ada',
      last_name: 'Lovelace',
      emails: ['a@x.example', 'b@x.example'],
      phone_numbers: ['010-5550-1234', '+15550100'],
      organization_id: 'auto',
    },
  ],
  [
    'contacts create --first-name Ada --organization o1 --field Code=007 --field Rooms=12',
    'POST',
    '/v1/contacts',
    {
      first_name: 'Ada',
      organization_id: 'o1',
      custom_fields: [
        { name: 'Code', value: '007' },
        { name: 'Rooms', value: 12 },
      ],
    },
    [organization, customFields],
  ],
  [
    `contacts update c1 --first-name '' --last-name '' --email c@x.example --phone 1 --organization '' --field Code=`,
    'PATCH',
    '/v1/contacts/c1',
    {
      first_name: null,
      last_name: null,
      emails: ['c@x.example'],
      phone_numbers: ['1'],
      organization_id: null,
      custom_fields: [{ name: 'Code', value: null }],
    },
    [customFields],
  ],
  [
    'contacts update c1 --organization o1',
    'PATCH',
    '/v1/contacts/c1',
    { organization_id: 'o1' },
    [organization],
  ],
  [
    'contacts remove-emails c1 a@x.example b@x.example',
    'DELETE',
    '/v1/contacts/c1/emails',
    { emails: ['a@x.example', 'b@x.example'] },
  ],
  ['contacts delete c1 --yes', 'DELETE', '/v1/contacts/c1'],
  // 4.2 Organizations
  ['organizations list', 'GET', `/v1/organizations${page}`],
  ['orgs get o1', 'GET', '/v1/organizations/o1'],
  [
    'organizations find --domain https://www.Acme.example/about',
    'GET',
    '/v1/organizations?first=100&after=0',
  ],
  ['organizations find --name Acme', 'GET', '/v1/organizations?first=100&after=0'],
  [
    'organizations create --name Acme --domain acme.example --domain https://www.acme.test --field Topics=Probes --field Topics=Loggers',
    'POST',
    '/v1/organizations',
    {
      name: 'Acme',
      domains: ['acme.example', 'https://www.acme.test'],
      custom_fields: [{ name: 'Topics', value: ['Probes', 'Loggers'] }],
    },
    [customFields],
  ],
  [
    'organizations update o1 --name "Acme Ltd" --domain acme.test --field Since=2026-05-01',
    'PATCH',
    '/v1/organizations/o1',
    {
      name: 'Acme Ltd',
      domains: ['acme.test'],
      custom_fields: [{ name: 'Since', value: '2026-05-01' }],
    },
    [customFields],
  ],
  [
    'organizations remove-domains o1 acme.test acme.example',
    'DELETE',
    '/v1/organizations/o1/domains',
    { domains: ['acme.test', 'acme.example'] },
  ],
  ['organizations delete o1 -y', 'DELETE', '/v1/organizations/o1'],
  // 4.3 Notes
  ['notes list', 'GET', `/v1/notes${page}`],
  ['notes get n1', 'GET', '/v1/notes/n1'],
  [
    'notes create --organization o1 --body "- one" --deal d1',
    'POST',
    '/v1/notes',
    { organization_id: 'o1', body: '- one', deal_id: 'd1' },
  ],
  [`notes update n1 --body "More." --deal ''`, 'PATCH', '/v1/notes/n1', { body: 'More.', deal_id: null }],
  ['notes update n1 --deal d1', 'PATCH', '/v1/notes/n1', { deal_id: 'd1' }],
  ['notes delete n1 --yes', 'DELETE', '/v1/notes/n1'],
  // 4.4 Custom fields
  ['custom-fields list', 'GET', `/v1/custom_fields${page}`],
  ['fields get f1', 'GET', '/v1/custom_fields/f1'],
  [
    'custom-fields create Nickname --model contact',
    'POST',
    '/v1/custom_fields',
    { name: 'Nickname', model: 'contact' },
  ],
  [
    'custom-fields create Region --model organization --type select --option EMEA --option APAC --multiple',
    'POST',
    '/v1/custom_fields',
    {
      name: 'Region',
      data_type: 'select',
      accepts_multiple_values: true,
      options: ['EMEA', 'APAC'],
      model: 'organization',
    },
  ],
  [
    'custom-fields create Owner --model deal --type user',
    'POST',
    '/v1/custom_fields',
    { name: 'Owner', data_type: 'user', accepts_multiple_values: false, model: 'deal' },
  ],
  [
    'custom-fields update f1 --name Territory --option EMEA --option AMER',
    'PATCH',
    '/v1/custom_fields/f1',
    { name: 'Territory', options: ['EMEA', 'AMER'] },
  ],
  ['custom-fields delete f1 --yes', 'DELETE', '/v1/custom_fields/f1'],
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
      identifier: 'SAL',
      duplicates_allowed: false,
      entry_label: 'Deal',
      status_label: 'Stage',
      statuses: [
        { name: 'Open', type: 'active' },
        { name: 'Won: signed', type: 'won' },
        { name: 'Lost', type: 'lost' },
      ],
      fields: [{ name: 'Next', data_type: 'text' }],
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
      identifier: 'D',
      duplicates_allowed: true,
      entry_label: 'Deal',
      status_label: 'Stage',
      statuses: [{ name: 'New', type: 'active' }],
      fields: [{ name: 'Next', data_type: 'textarea' }],
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
    [list],
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
    'meetings list --updated-after 1767225600 --starts-after 2026-05-01 --starts-before 2026-05-01T09:30:00+09:00 ' +
      '--contact c1 --organization o1 --tz Asia/Seoul --limit 3',
    'GET',
    '/v1/calendar_events?updated_after=1767225600&starts_after=1777561200&starts_before=1777595400' +
      '&contact_id=c1&organization_id=o1&first=3&after=0',
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

/**
 * Every endpoint of the specification (4.1 to 4.8), with the flags of its command: a command line, and the
 * one request that it is about. `before` are the requests that it needs to know what to send.
 */
export const endpointRows = rows.map(
  ([line, method, path, body, before = []]): [
    line: string,
    method: string,
    path: string,
    body: Body | undefined,
    before: string[],
  ] => [line, method, path, body, before],
);

/** The rows that write. */
export const writingRows = endpointRows.filter(([, method]) => method !== 'GET');

/** What the service has beside a record of each noun: a list whose name cannot be an id. */
export const heldLists = {
  '/v1/lists': {
    data: [
      { id: 'l1', name: 'Deals' },
      { id: 'l2', name: 'My list' },
    ],
  },
};
