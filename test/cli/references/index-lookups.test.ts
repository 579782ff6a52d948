import { expect, test } from 'vitest';
import { startRecordService } from '../../search/index/record-service.ts';
import { createMachine } from '../../support/kith.ts';

/** Returns a machine that uses a service with records, which also serves each of them by its id. */
async function createServedMachine() {
  const service = await startRecordService();
  const kith = createMachine();
  const run = (line: string, now?: Date) => kith(line, { env: service.env, ...(now && { now }) });
  /** Runs a command and returns its exit code and the requests for contacts and organizations. */
  const request = async (line: string, now?: Date) => {
    service.requests.length = 0;
    const { code } = await run(line, now);
    const urls = service.requests.map(({ url }) => url.split('?')[0]);
    return { code, urls };
  };
  return { ...service, kith: run, request };
}

test('a name is looked up in a fresh index, and the record is read instead of the list', async () => {
  const { kith, request } = await createServedMachine();
  const line = 'organizations get コールドチェーン';
  expect((await request(line)).urls).toContain('/v1/organizations');
  await kith('index update');
  expect(await request(line)).toEqual({ code: 0, urls: ['/v1/organizations/o2', '/v1/organizations/o2'] });
  expect((await request(line, new Date(Date.now() + 2 * 3_600_000))).urls).toContain('/v1/organizations');
});

test('a domain is looked up in the index too', async () => {
  const { kith, request } = await createServedMachine();
  await kith('index update');
  const { urls } = await request('organizations get hanbit.example');
  expect(urls).toEqual(['/v1/organizations/o1', '/v1/organizations/o1']);
});

test.each([8, 9])('finds all of %i records with one name', async (count) => {
  const { kith, records } = await createServedMachine();
  const namesakes = Array.from({ length: count }, (_, index) => ({ id: `n${index}`, name: 'Namesake' }));
  records.organizations.push(...namesakes);
  await kith('index update');
  const { code, err } = await kith('organizations get Namesake');
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining(`${count} organizations match "Namesake": n0, `),
  });
});

test('searches the list for a name that the index has but the record no longer has', async () => {
  const { kith, request, records } = await createServedMachine();
  await kith('index update');
  records.organizations[1] = { ...records.organizations[1], name: 'Renamed' };
  const { code, urls } = await request('organizations get コールドチェーン');
  expect({ code, urls }).toEqual({ code: 3, urls: ['/v1/organizations/o2', '/v1/organizations'] });
});

test.each([
  'notes create --organization コールドチェーン --body Hello --dry-run',
  'notes create --organization コールドチェーン --body Hello',
  'contacts create --first-name A --organization コールドチェーン',
  'organizations update コールドチェーン --name Renamed',
  'organizations delete コールドチェーン --yes',
  'organizations remove-domains コールドチェーン cold.example',
])('a write reads the list, because a newer record may have the same name: %s', async (line) => {
  const { kith, requests, records } = await createServedMachine();
  await kith('index update');
  records.organizations.push({ ...records.organizations[1], id: 'o9', domains: ['new.example'] });
  requests.length = 0;
  const { code, err } = await kith(line);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('o9 (new.example)') });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a table takes names by id and by email address from the index', async () => {
  const { kith, requests } = await createServedMachine();
  const show = async (line: string) => {
    requests.length = 0;
    const { out } = await kith(`${line} --format table`);
    return { out, urls: requests.map(({ url }) => url.split('?')[0]) };
  };
  await kith('index update');
  const notes = await show('notes list');
  expect(notes.out).toContain('한빛물류');
  expect(notes.urls).toEqual(['/v1/notes']);
  const events = await show('events list');
  expect(events.out).toContain('Zoë Müller');
  expect(events.urls).toEqual(['/v1/calendar_events']);
});

test('asks the search index first, and the service only for the other names', async () => {
  const { kith, requests, records } = await createServedMachine();
  await kith('index update');
  records.organizations.push({ ...records.organizations[1], id: 'o9', name: 'Newer' });
  records.notes.push({ ...records.notes[0], id: 'n9', organization_id: 'o9' });
  requests.length = 0;
  const { out } = await kith('notes list --format table');
  expect([out.includes('한빛물류'), out.includes('Newer')]).toEqual([true, true]);
  expect(requests.map(({ url }) => url.split('?')[0])).toEqual(['/v1/notes', '/v1/organizations/o9']);
});

test('shows the people of a meeting with their organizations from the index', async () => {
  const { kith, requests, records } = await createServedMachine();
  records.contacts[0] = { ...records.contacts[0], organization_id: 'o1' };
  records.contacts.push({ id: 'c4', emails: ['info@x.example', 'office@x.example'] });
  const attendees = ['zoe@kühl.example', 'OFFICE@x.example'].map((email) => ({ email }));
  records.meetings[0] = { ...records.meetings[0], attendees };
  await kith('index update');
  requests.length = 0;
  const { out } = await kith('events show m1 --jq .attendees');
  expect(JSON.parse(out)).toMatchObject([
    { name: 'Zoë Müller', organization_id: 'o1', organization: '한빛물류'.normalize('NFD') },
    { name: 'info@x.example', organization_id: null },
  ]);
  expect(requests.filter(({ url }) => /contacts|organizations/.test(url))).toEqual([]);
});

test('reads a record once for a reference and for its name in the table', async () => {
  const { kith, requests } = await createServedMachine();
  const { out } = await kith('notes list --organization o1 --format table');
  expect(out).toContain('한빛물류');
  expect(requests.map(({ url }) => url.split('?')[0])).toEqual(['/v1/organizations/o1', '/v1/notes']);
});
