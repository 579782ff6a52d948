export type Body = Readonly<Record<string, unknown>>;

/** A row of the table. `before`: the requests that the command sends first. */
export type Row = readonly [
  line: string,
  method: string,
  path: string,
  body?: Body | undefined,
  before?: string[],
];

/** The default query of a list. */
export const page = '?first=25&after=0';
const customFields = 'GET /v1/custom_fields?first=100&after=0';
export const organization = 'GET /v1/organizations/o1';

/** Contacts, organizations, notes and custom fields. */
export const rowsOfRecords: readonly Row[] = [
  // 4.1 Contacts
  ['contacts list', 'GET', `/v1/contacts${page}`],
  ['contacts list --all --page-size 200', 'GET', '/v1/contacts?first=200&after=0'],
  ['contacts list --limit 7', 'GET', '/v1/contacts?first=7&after=0'],
  ['contacts get c1', 'GET', '/v1/contacts/c1'],
  ['contacts find --email ada+crm@x.example', 'GET', '/v1/contacts?email=ada%2Bcrm%40x.example'],
  ['contacts find --phone "+82 10-5550-1234"', 'GET', '/v1/contacts?phone_number=%2B82+10-5550-1234'],
  ['contacts create --first-name 지우', 'POST', '/v1/contacts', { first_name: '지우' }],
  [
    'contacts create --first-name Ada --last-name Lovelace --email a@x.example --email b@x.example ' +
      '--phone 010-5550-1234 --phone +12025550123 --organization auto',
    'POST',
    '/v1/contacts',
    {
      first_name: 'Ada',
      last_name: 'Lovelace',
      emails: ['a@x.example', 'b@x.example'],
      phone_numbers: ['010-5550-1234', '+12025550123'],
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
    `contacts update c1 --first-name '' --last-name '' --email c@x.example --phone 010-5550-9999 --organization '' --field Code=`,
    'PATCH',
    '/v1/contacts/c1',
    {
      first_name: null,
      last_name: null,
      emails: ['c@x.example'],
      phone_numbers: ['010-5550-9999'],
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
    [organization],
  ],
  ['notes get "a b/ü?#%"', 'GET', '/v1/notes/a%20b%2F%C3%BC%3F%23%25'],
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
];
