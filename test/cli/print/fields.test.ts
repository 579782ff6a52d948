import { expect, test } from 'vitest';
import { sendJson } from '../../client/loopback.ts';
import { startRecordingService } from '../../commands/recording-service.ts';
import { createOrganizationMergeService } from '../../merge/merge-service.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const jiwoo = 'contacts find --email jiwoo.kim@hanbit-cold.example';
const firstDeal = 'entries list "Sales pipeline" --limit 1 -q';

test.each([
  [
    `${jiwoo} --format table --fields NAME,Organization,role`,
    'NAME    ORGANIZATION  ROLE\n김지우  한빛물류      Head of operations\n',
  ],
  [`${jiwoo} --format table --fields organization_id`, 'ORGANIZATION ID\nrl16pk\n'],
  [
    `${jiwoo} --format csv --fields NAME,ORGANIZATION,ROLE`,
    'name,organization_id,custom_fields.Role\r\n김지우,rl16pk,Head of operations\r\n',
  ],
  [`${jiwoo} --fields name,phones`, 'name\tphone_numbers\n김지우\t+821055501234\n'],
  [
    `${jiwoo} --format ndjson --fields NAME,ORGANIZATION,Role`,
    '{"first_name":"지우","last_name":"김","organization_id":"rl16pk","custom_fields":{"Role":"Head of operations"}}\n',
  ],
  [
    `${firstDeal} --format table --fields key,ORGANIZATION,one_time,RECURRING,champion,Expected-close`,
    'KEY     ORGANIZATION   ONE-TIME  RECURRING  CHAMPION  EXPECTED CLOSE\n' +
      'DEAL-1  한빛물류      10,920.00  420.00/mo  문태식    2026-05-31\n',
  ],
  [
    `${firstDeal} --fields key,organization,one-time,recurring_period,Champion`,
    'key\tentryable_id\tone_time_value\trecurring_period\tChampion\nDEAL-1\trl16pk\t10920.00\tmonthly\tnkw0rz\n',
  ],
  [
    `${firstDeal} --format ndjson --fields ONE-TIME,recurring,Champion`,
    '{"one_time_value_cents":1092000,"recurring_value_cents":42000,"recurring_value_period":"monthly","list_fields":{"Champion":"nkw0rz"}}\n',
  ],
  [
    `${firstDeal} --fields organization.name,contact.name,list.name,Champion.name`,
    'organization.name\tcontact.name\tlist.name\tChampion.name\n한빛물류\t김지우\tSales pipeline\t문태식\n',
  ],
  [`${firstDeal} --jq .[].organization.name --fields organization.name,key`, '한빛물류\n'],
  [
    'entries list "Reseller program" --limit 1 -q --format ndjson --fields contact.name,organization.name',
    '{"contact":{"name":"سامح عبد الفتاح"},"organization":{"name":"شركة النيل للتبريد"}}\n',
  ],
  ['notes list --limit 1 -q --format csv --fields organization.name', 'organization.name\r\n한빛물류\r\n'],
  ['notes list --where "id = x" --fields organization.name', 'organization.name\n'],
  ['events list --limit 1 -q --format tsv --fields ATTENDEES', expect.stringMatching(/^attendees\nkenji@/)],
])('%s', async (line, out) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test.each([
  ['contacts list --fields id,emial', '"emial"'],
  ['contacts list --fields id,emial --json', '"emial'],
  ['contacts list --fields emial,nmae', '"emial", "nmae"'],
  ['contacts get 0rlnky --fields emial', '"emial"'],
  ['contacts list --fields custom_fields.Nope', '"custom_fields.Nope"'],
  ['events list --fields attendees.emial', '"attendees.emial"'],
  ['entries list "Sales pipeline" --fields status.name', '"status.name"'],
])('refuses %s with the available fields and prints nothing', async (line, names) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(line);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  const message = err.replaceAll('\\"', '"');
  expect(message).toContain(`Unknown field${names.includes(',') ? 's' : ''} ${names}`);
  expect(message).toMatch(/Available fields: id, /);
});

test.each([
  // In the contract, but not in these records.
  'contacts list --fields first_name',
  'contacts list --fields updated_at,custom_fields',
  // Defined, but without a value.
  'contacts list --fields custom_fields.Sizes',
  'contacts list --fields Sizes',
  // In some records only.
  'contacts list --fields extra,emails.5',
])('accepts %s, a field that records may lack', async (line) => {
  const { env } = await startRecordingService({
    '/v1/contacts': { data: [{ id: 'c1' }, { id: 'c2', extra: 1, emails: [] }] },
  });
  expect(await createMachine()(line, { env })).toMatchObject({ code: 0, err: '' });
});

test.each([
  ['notes list --fields id,x', 2],
  ['notes list --fields id,body,CREATED', 0],
  ['contacts list --fields x', 2],
  ['contacts list --fields Code,first_name', 0],
  // An entry of the empty list could have any field.
  ['entries list l1 --fields x', 0],
])('judges the fields of an empty list by the contract: %s exits with %i', async (line, code) => {
  const empty = { data: [] };
  const { env } = await startRecordingService({
    '/v1/notes': empty,
    '/v1/contacts': empty,
    '/v1/lists/l1/entries': empty,
  });
  expect((await createMachine()(line, { env })).code).toBe(code);
});

test('accepts any custom field if the definitions cannot be read', async () => {
  const { env } = await startRecordingService({ '/v1/custom_fields': undefined });
  const result = await createMachine()('contacts list --fields custom_fields.Other', { env });
  expect(result).toEqual({ code: 0, out: 'custom_fields.Other\n\n', err: '' });
});

test('reports an unknown field in a note after a write', async () => {
  const { env, listRequests } = await startRecordingService({
    '/v1/contacts/c1': { id: 'c1', '\u001b[2J': 1 },
  });
  const kith = createMachine();
  expect(await kith('contacts update c1 --first-name A --fields id,nope', { env })).toMatchObject({
    code: 0,
    out: 'id\tnope\nc1\t\n',
    err: expect.stringContaining('kith: Unknown field "nope". Available fields: id, '),
  });
  expect(listRequests()[0]).toBe('PATCH /v1/contacts/c1 {"first_name":"A"}');
  const { code, err } = await kith('contacts get c1 --fields nope', { env });
  expect(code).toBe(2);
  expect(err).toContain('\\x1b[2J');
});

test('CSV of entries and notes has the names of related records beside their ids', async () => {
  const kith = createDemoMachine();
  const { out: deals } = await kith(`${firstDeal} --format csv`);
  expect(deals).toMatch(/,entryable_id,organization\.name,contact_id,contact\.name,/);
  expect(deals).toMatch(/,rl16pk,한빛물류,0rlnky,김지우,.*,nkw0rz,문태식\r\n$/);
  const { out: notes } = await kith('notes list --limit 1 -q --format csv');
  expect(notes).toMatch(/^id,organization_id,organization\.name,body,.*\r\nj5ek5n,rl16pk,한빛물류,/);
});

test('an import ignores the names in a CSV of entries', async () => {
  const kith = createDemoMachine();
  const { out: stdin } = await kith('entries list "Sales pipeline" --limit 2 -q --format csv');
  const { code, out } = await kith('entries import "Sales pipeline" - --dry-run', { stdin });
  expect({ code, out }).toEqual({ code: 0, out: '= same  (row 2, m7lwpy)\n= same  (row 3, 3ym897)\n' });
});

test('a record that does not exist has no name in CSV', async () => {
  const { env } = await startRecordingService({ '/v1/organizations/o1': undefined });
  const { out } = await createMachine()('notes list --format csv', { env });
  expect(out).toMatch(/\r\nn1,o1,,Called\.,/);
});

test('CSV of notes and entries has no names that the key may not read, and says so', async () => {
  const { kith, lists, control } = await createOrganizationMergeService();
  control.before = ({ url }, response) => {
    const isForbidden = url.startsWith('/v1/contacts');
    if (isForbidden) sendJson(response, 403, { detail: 'Contacts are private.' });
    return isForbidden;
  };
  const { code, out, err } = await kith(`entries list ${lists.deals} --format csv`);
  expect({ code, err }).toEqual({
    code: 0,
    err: 'kith: The result has no names of contacts: Contacts are private.\n',
  });
  const lines = out.split('\r\n');
  expect(lines[0]).toContain(',organization.name,contact_id,contact.name');
  expect(lines[2]).toMatch(/,㈜한빛 물류,\w+,,/);
  // A name that was asked for is not left out.
  expect((await kith(`entries list ${lists.deals} --fields contact.name`)).code).toBe(4);
});
