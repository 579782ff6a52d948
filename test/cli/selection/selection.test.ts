import { expect, test } from 'vitest';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import { createDemoMachine, createLocalMachine, createTemporaryFolder } from '../../support/kith.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns functions that list records of the sample: with all flags, and those that match a condition. */
async function createSample() {
  const kith = createDemoMachine();
  const list = async (line: readonly string[]): Promise<JsonRecord[]> => {
    const { code, out, err } = await kith([...line, '--json', '--all']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  };
  return { kith, list };
}

const allRecords = new Map<string, Promise<JsonRecord[]>>();

/** Returns all records of a list in the sample, which is the same in each copy. */
async function listAll(line: readonly string[]): Promise<readonly JsonRecord[]> {
  const key = line.join(' ');
  const records = allRecords.get(key) ?? (await createSample()).list(line);
  allRecords.set(key, Promise.resolve(records));
  return records;
}

const field = (name: string) => (record: JsonRecord) => {
  const fields = Object.values({ ...(record.custom_fields ?? record.list_fields ?? {}) }) as {
    name: string;
    value: unknown;
  }[];
  return fields.find((one) => one.name === name)?.value;
};

const deals = ['entries', 'list', 'Sales pipeline'];
const isOlder = ({ updated_at }: JsonRecord, days: number) =>
  Date.parse(String(updated_at)) < Date.now() - days * 86_400_000;
const since = Date.parse('2026-05-01T00:00:00Z');

test.each<readonly [line: string[], flags: string[], matches: (record: JsonRecord) => boolean]>([
  [['contacts', 'list'], ['--organization', '한빛물류'], (one) => one.organization_id === 'rl16pk'],
  [
    ['contacts', 'list'],
    ['--organization', 'hanbit-cold.example'],
    (one) => one.organization_id === 'rl16pk',
  ],
  [
    ['contacts', 'list'],
    ['--where', 'language in (korean, japanese)'],
    (one) => /Korean|Japanese/.test(String(field('Language')(one))),
  ],
  [
    ['contacts', 'list'],
    ['--where', '"Met by" = mina@tidewater.example'],
    (one) => String(field('Met by')(one)).includes('mina@'),
  ],
  [
    ['contacts', 'list'],
    ['--where', 'custom_fields.Birthday < 1980-01-01'],
    (one) => String(field('Birthday')(one) ?? '9') < '1980',
  ],
  [
    ['notes', 'list'],
    ['--created-after', '2026-05-01', '--tz', 'UTC'],
    (one) => Date.parse(String(one.created_at)) > since,
  ],
  [
    ['notes', 'list'],
    ['--updated-after', '2026-05-01', '--tz', 'UTC'],
    (one) => Date.parse(String(one.updated_at)) > since,
  ],
  [
    ['organizations', 'list'],
    ['--where', '"Introduced by" = jiwoo.kim@hanbit-cold.example'],
    (one) => field('Introduced by')(one) === '0rlnky',
  ],
  [['notes', 'list'], ['--organization', '한빛물류'], (one) => one.organization_id === 'rl16pk'],
  [['notes', 'list'], ['--where', 'organization ~ 한빛'], (one) => one.organization_id === 'rl16pk'],
  [
    ['notes', 'list'],
    ['--where', 'body ~ FRIDGE or deal_id = deal-1'],
    (one) => /fridge/i.test(String(one.body)) || one.deal_id === 'DEAL-1',
  ],
  [deals, ['--status', 'lost, WON'], (one) => /Won|Lost/.test(String(one.status))],
  [deals, ['--open'], (one) => !/Won|Lost/.test(String(one.status))],
  [deals, ['--won'], ({ status }) => status === 'Won'],
  [deals, ['--lost'], ({ status }) => status === 'Lost'],
  [
    deals,
    ['--closed-after', '2026-07-01', '--closed-before', '2026-08-01', '--tz', 'UTC'],
    ({ closed_at }) => String(closed_at).startsWith('2026-07'),
  ],
  [deals, ['--closed', '--stale', '60'], (one) => /Won|Lost/.test(String(one.status)) && isOlder(one, 60)],
  [
    deals,
    ['--due-before', '2026-12-01'],
    (one) =>
      !/Won|Lost/.test(String(one.status)) && String(field('Expected close')(one) ?? '9') < '2026-12-01',
  ],
  [['notes', 'list'], ['--deal', 'https://crm.example/deals/DEAL-1'], (one) => one.deal_id === 'DEAL-1'],
  [['notes', 'list'], ['--contact', '김지우'], (one) => one.organization_id === 'rl16pk'],
  [['notes', 'list'], ['--where', 'contact in (김지우)'], (one) => one.organization_id === 'rl16pk'],
  [deals, ['--where', 'status < Proposal'], (one) => /Lead|Qualified|Trial/.test(String(one.status))],
  [deals, ['--organization', '한빛물류'], (one) => one.entryable_id === 'rl16pk'],
  [deals, ['--contact', '0rlnky'], (one) => one.contact_id === '0rlnky'],
  [['entries', 'list', 'Newsletter'], ['--contact', '0rlnky'], (one) => one.entryable_id === '0rlnky'],
  [
    deals,
    ['--where', 'one_time_value > 5000.00 and Rooms < 10'],
    (one) => Number(one.one_time_value_cents) > 500_000 && Number(field('Rooms')(one)) < 10,
  ],
  [
    ['organizations', 'list'],
    ['--where', 'Cold rooms >= 5'],
    (one) => Number(field('Cold rooms')(one) ?? 0) >= 5,
  ],
  [['lists', 'list'], ['--where', 'process = true'], (one) => one.process === true],
  [['custom-fields', 'list'], ['--where', 'model = contact'], (one) => one.model === 'contact'],
  [
    ['events', 'list'],
    ['--where', 'start_at >= 2026-10-01 and start_at < 2026-11-01', '--tz', 'UTC'],
    (one) => new Date(String(one.start_at)).toISOString().startsWith('2026-10'),
  ],
  [
    ['events', 'list'],
    ['--where', 'attendee ~ hanbit and not title ~ 7'],
    (one) => JSON.stringify(one.attendees).includes('hanbit') && !String(one.title).includes('7'),
  ],
])('%j %j lists the records that match', async (line, flags, matches) => {
  const { list } = await createSample();
  const expected = (await listAll(line)).filter(matches);
  expect(expected.length).toBeGreaterThan(0);
  expect(await list([...line, ...flags])).toEqual(expected);
});

test('lists the contacts and organizations in a list, and rejects a list of other records', async () => {
  const { kith, list } = await createSample();
  const readIds = async (name: string) => {
    const entries = await list(['entries', 'list', name]);
    return entries.map(({ entryable_id }) => entryable_id).sort();
  };
  const contacts = await list(['contacts', 'list', '--list', 'Newsletter']);
  expect(contacts.map(({ id }) => id).sort()).toEqual(await readIds('Newsletter'));
  const visitors = await list(['organizations', 'list', '--list', 'Cold Chain Days Lisbon']);
  expect(visitors.map(({ id }) => id).sort()).toEqual(await readIds('Cold Chain Days Lisbon'));
  expect(await kith(['contacts', 'list', '--list', 'Cold Chain Days Lisbon'])).toMatchObject({
    code: 2,
    err: 'kith: The entries of "Cold Chain Days Lisbon" are organizations, not contacts.\n',
  });
});

test('finds the entries of contacts by their organization', async () => {
  const { list } = await createSample();
  const contacts = await list(['contacts', 'list', '--organization', 'rl16pk']);
  const ids = contacts.map(({ id }) => id);
  const readers = await list(['entries', 'list', 'Newsletter']);
  const expected = readers.filter(({ entryable_id }) => ids.includes(entryable_id));
  expect(expected.length).toBeGreaterThan(0);
  expect(await list(['entries', 'list', 'Newsletter', '--organization', 'rl16pk'])).toEqual(expected);
});

test('me is the address of config set user', async () => {
  const { kith, list } = await createSample();
  expect(await kith([...deals, '--assignee', 'me'])).toEqual({
    code: 2,
    out: '',
    err: 'kith: --assignee: "me" stands for your email address, which is not set.\nhint: Use an email address instead; `kith workspace info` lists the assignees. To set yours: kith config set user ADDRESS\n',
  });
  await kith('config set user Mina@tidewater.example');
  const expected = (await list(deals)).filter(
    ({ assignee }) => (assignee as { email?: string } | null)?.email === 'mina@tidewater.example',
  );
  expect(expected.length).toBeGreaterThan(0);
  expect(await list([...deals, '--assignee', 'me'])).toEqual(expected);
  expect(await list([...deals, '--where', 'assignee = ME'])).toEqual(expected);
  expect(await list([...deals, '--mine'])).toEqual(expected);
});

test('lists the notes and meetings of today in the time zone', async () => {
  const { kith } = await createSample();
  const count = async (line: string, now: string) =>
    Number((await kith(`${line} --all --jq length`, { now: new Date(now) })).out);
  // The note was created at 10:00 UTC, and the meeting starts at 13:30 in Tokyo.
  expect(await count('notes list --today --tz UTC', '2026-04-21T23:00:00Z')).toBeGreaterThan(0);
  expect(await count('notes list --today --tz Asia/Seoul', '2026-04-21T23:00:00Z')).toBe(0);
  expect(await count('events list --today --tz Asia/Tokyo', '2026-11-17T16:00:00Z')).toBe(1);
  expect(await count('events list --today --tz UTC', '2026-11-17T23:00:00Z')).toBe(1);
  expect(await count('events list --today --tz Asia/Tokyo', '2026-11-18T16:00:00Z')).toBe(0);
});

test.each<readonly [line: string[], flags: string[], key: (record: JsonRecord) => unknown]>([
  [['contacts', 'list'], ['--sort', '-created_at'], ({ created_at }) => created_at],
  [['contacts', 'list'], ['--sort', 'Birthday:desc'], field('Birthday')],
  [deals, ['--sort', '-one_time_value'], ({ one_time_value_cents }) => one_time_value_cents],
  [['organizations', 'list'], ['--sort', '-Cold rooms'], field('Cold rooms')],
])('%j %j sorts by value', async (line, flags, key) => {
  const { kith, list } = await createSample();
  const keys = (await list([...line, ...flags])).map(key);
  const values = keys.filter((one) => one !== null) as (string | number)[];
  expect(keys.slice(0, values.length)).toEqual(values);
  expect(values).toEqual([...values].sort((one, other) => (one < other ? 1 : one > other ? -1 : 0)));
  const { out, err } = await kith([...line, ...flags, '--limit', '3', '--jq', '.']);
  expect(JSON.parse(out).map(key)).toEqual(keys.slice(0, 3));
  expect(err).toBe(`kith: ${keys.length - 3} more records. Use --all or a larger --limit to see them.\n`);
});

test('sorts by the names of organizations, including those of contacts in a list', async () => {
  const { kith, list } = await createSample();
  const names = new Map((await list(['organizations', 'list'])).map(({ id, name }) => [id, name]));
  const organizations = new Map(
    (await list(['contacts', 'list'])).map((one) => [one.id, one.organization_id]),
  );
  const inOrder = (texts: readonly unknown[]) => [...texts].sort(new Intl.Collator().compare as never);
  const ofNotes = (await list(['notes', 'list', '--sort', 'organization'])).map((one) =>
    names.get(one.organization_id),
  );
  expect(ofNotes).toEqual(inOrder(ofNotes));
  expect(new Set(ofNotes).size).toBeGreaterThan(5);
  const readers = await list(['entries', 'list', 'Newsletter', '--sort', 'organization']);
  const ofReaders = readers.flatMap((one) => names.get(organizations.get(one.entryable_id)) ?? []);
  expect(ofReaders).toEqual(inOrder(ofReaders));
  expect((await kith('events list --sort contact')).code).toBe(2);
});

test('sorts entries by the order of the statuses', async () => {
  const { list } = await createSample();
  const statuses = (await list([...deals, '--sort', 'status'])).map(({ status }) => status);
  expect([...new Set(statuses)]).toEqual([
    'Lead',
    'Qualified',
    'Trial',
    'Proposal',
    'Negotiation',
    'Won',
    'Lost',
  ]);
});

test.each<readonly [line: string[], code: number, err: RegExp]>([
  [
    ['contacts', 'list', '--where', 'id = 1 and zzz = Ada'],
    2,
    /^kith: --where: column 12: unknown field "zzz"\.\nhint: Available fields: id, name, .*, list, Role, .*Good to know\.\n$/,
  ],
  [
    deals.concat('--where', 'Rooms > 1 and status = Propsal'),
    2,
    /^kith: --where: column 24: "Propsal" is not one of .*, Proposal, .*\n$/,
  ],
  [
    ['notes', 'list', '--sort', 'title'],
    2,
    /^kith: --sort: unknown field "title"\.\nhint: Available fields: id, organization, /,
  ],
  [['events', 'list', '--sort', 'organization'], 2, /^kith: --sort: cannot sort by "organization"\.\n$/],
  [
    deals.concat('--status', 'Propsal'),
    2,
    /^kith: --status: "Propsal" is not one of Lead, Qualified, Trial, Proposal, Negotiation, Won, Lost\.\n$/,
  ],
  [
    ['entries', 'list', 'Newsletter', '--status', 'Won'],
    2,
    /^kith: --status: "Newsletter" is a list, not a process; only a process has statuses\.\n$/,
  ],
  [deals.concat('--status', 'Won,'), 2, /^kith: --status: "Won," contains an empty status\.\n$/],
  [deals.concat('--open', '--closed'), 2, /^kith: --closed and --open cannot be used together\.\n$/],
  [
    ['entries', 'list', 'Newsletter', '--closed-after', '7d'],
    2,
    /^kith: --closed-after: "Newsletter" is a list, not a process; only a process has statuses\.\n$/,
  ],
  [
    ['entries', 'list', 'Newsletter', '--overdue'],
    2,
    /^kith: --overdue: "Newsletter" is a list, not a process; only a process has statuses\.\n$/,
  ],
  [deals.concat('--stale', '0'), 2, /^kith: --stale: "0" is not an integer from 1 to 36500\.\n$/],
  [['notes', 'list', '--deal', ''], 2, /^kith: --deal: ID\|KEY must not be empty\.\n$/],
  [['notes', 'list', '--contact', 'nope'], 3, /^kith: No contact has the .* "nope"/],
  [deals.concat('--assignee', 'nobody'), 2, /^kith: --assignee: "nobody" is not an email address\.\n/],
  [['contacts', 'list', '--organization', 'Nope Inc'], 3, /^kith: No organization has the .* "Nope Inc"/],
  [
    ['notes', 'list', '--where', 'organization in (rl16pk, nope)'],
    3,
    /^kith: No organization has the .* "nope"/,
  ],
  [['contacts', 'list', '--list', 'Nope'], 3, /^kith: No list or process has the .* "Nope"/],
  [['events', 'list', '--contact', 'nope'], 3, /^kith: No contact has the .* "nope"/],
  [['contacts', 'list', '--where', '__proto__ = 1'], 2, /: column 1: unknown field "__proto__"/],
])('%j exits with %i', async (line, code, message) => {
  const { kith } = await createSample();
  const { err, out, ...result } = await kith(line);
  expect({ ...result, out }).toEqual({ code, out: '' });
  expect(err).toMatch(message);
});

test('an agent filters and sorts with the same flags, and learns that more may match', async () => {
  const { kith } = await createSample();
  const { call } = await connectInProcess(kith, {});
  const values = { where: 'organization = 한빛물류', limit: 1, fields: 'id' };
  const sorted = await call('records_list', { noun: 'contacts', ...values, sort: 'name' });
  expect(sorted).toMatchObject({
    text: '{"id":"0rlnky"}',
    notes: [expect.stringMatching(/^TRUNCATED: 4 more records; continue with cursor "1\.\w+"\.$/)],
  });
  const first = (await call('records_list', { noun: 'contacts', ...values })).structured;
  expect(first.pagination).toMatchObject({ returned: 1, total: null, truncated: true });
  const cursor = first.pagination?.next;
  expect((await call('records_list', { noun: 'contacts', ...values, cursor })).notes).toEqual([
    expect.stringMatching(/^TRUNCATED: The list may have more matches; continue with cursor "2\.\w+"\.$/),
  ]);
  expect(await call('records_list', { noun: 'contacts', where: 'a = 1 or' })).toMatchObject({
    isError: true,
  });
  expect((await call('records_list', { noun: 'contacts', sort: '__proto__' })).text).toContain(
    'unknown field',
  );
});

/** Creates a process with a date, a time and entries with values of them; returns a function that lists its entries. */
async function createDatedProcess() {
  const kith = createLocalMachine(createTemporaryFolder());
  const fields = ['--field', 'Close:date', '--field', 'Call at:datetime'];
  const statuses = ['--status', 'To do:active', '--status', 'Won, late:won', '--status', 'Lost:lost'];
  const process = ['--entry-type', 'Organization', '--process', '--identifier', 'D', '--duplicates-allowed'];
  await kith(['lists', 'create', 'Deals', ...process, ...fields, ...statuses]);
  await kith(['lists', 'create', 'Plain', ...process.slice(0, 3), '--identifier', 'P', '--no-duplicates']);
  await kith('organizations create --name Acme');
  const add = (status: string, ...values: string[]) => {
    const flags = values.flatMap((value) => ['--field', value]);
    return kith(['entries', 'add', 'Deals', '--organization', 'Acme', '--status', status, ...flags]);
  };
  await add('To do', 'Close=2026-02-28');
  await add('To do', 'Close=2026-03-01');
  await add('To do', 'Call at=2026-02-28T15:30:00Z');
  await add('Won, late', 'Close=2026-01-01');
  await add('To do');
  return {
    kith,
    async list(now: string, ...flags: string[]) {
      const line = ['entries', 'list', 'Deals', '--jq', '.[].key', ...flags];
      const { code, out, err } = await kith(line, { now: new Date(now) });
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return out.split('\n').slice(0, -1).join(' ');
    },
  };
}

test('a date is overdue from the next day on, and a time when it has passed', async () => {
  const { list } = await createDatedProcess();
  expect(await list('2026-02-28T15:30:00Z', '--overdue', '--tz', 'UTC')).toBe('');
  expect(await list('2026-02-28T15:31:00Z', '--overdue', '--tz', 'UTC')).toBe('D-3');
  // In Seoul it is already March.
  expect(await list('2026-02-28T15:30:00Z', '--overdue', '--tz', 'Asia/Seoul')).toBe('D-1');
  expect(await list('2026-03-02T00:00:00Z', '--overdue', '--tz', 'UTC')).toBe('D-1 D-2 D-3');
});

test('--due-before the end of the month includes its last day, in the time zone', async () => {
  const { list } = await createDatedProcess();
  const february = '2026-02-10T12:00:00Z';
  expect(await list(february, '--due-before', 'end of month', '--tz', 'UTC')).toBe('D-1 D-3');
  expect(await list(february, '--due-before', 'end-of-month', '--tz', 'Asia/Seoul')).toBe('D-1');
  expect(await list(february, '--due-before', '+18d', '--tz', 'UTC')).toBe('');
  expect(await list(february, '--due-before', 'in 3 weeks', '--tz', 'UTC')).toBe('D-1 D-2 D-3');
  expect(await list(february, '--where', '"Close" <= "end of month"')).toBe('D-1 D-4');
});

test('a status may contain a comma, also escaped in a list of statuses', async () => {
  const { kith, list } = await createDatedProcess();
  expect(await list('2026-02-10T12:00:00Z', '--status', 'won, LATE')).toBe('D-4');
  expect(await list('2026-02-10T12:00:00Z', '--status', 'lost,won\\, late')).toBe('D-4');
  expect(await kith('entries list Plain --overdue')).toMatchObject({
    code: 2,
    err: 'kith: --overdue: "Plain" has no field of type date or datetime, so no entry is due.\n',
  });
});

test('lists no notes for a contact without an organization, and reads only their first page', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  await kith('contacts create --first-name Solo');
  await kith('organizations create --name Acme');
  for (const text of ['One', 'Two']) await kith(`notes create --organization Acme --body ${text}`);
  const { code, out, err } = await kith('notes list --contact Solo --page-size 1 --json --debug');
  expect({ code, out }).toEqual({ code: 0, out: '[]\n' });
  expect(err.match(/GET \/v1\/notes/g) ?? []).toHaveLength(1);
});

test('finds fields that are named like keywords, and reads their names only if it needs them', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  const create = (name: string) =>
    kith(['custom-fields', 'create', name, '--model', 'organization', '--type', 'number']);
  for (const name of ['Status and more', 'in', 'Not paid', '예상 매출']) await create(name);
  const values = ['Status and more=1', 'in=2', 'Not paid=3', '예상 매출=4'];
  const flags = values.flatMap((value) => ['--field', value]);
  await kith(['organizations', 'create', '--name', 'Acme', ...flags]);
  await kith('organizations create --name Other');
  const list = (where: string) =>
    kith(['organizations', 'list', '--where', where, '--jq', '.[].name', '--debug']);
  for (const where of ['Status and more = 1', 'in in (2)', 'Not paid = 3 and 예상 매출 > 3'])
    expect(await list(where)).toMatchObject({ code: 0, out: 'Acme\n' });
  expect((await list('name = Acme')).err).not.toContain('/v1/custom_fields');
  await create('paid');
  expect((await list('Not paid = 3')).out).toBe('Acme\nOther\n'); // as before there were names without quotes
  expect(await list('in = 2 and Not paid = 3')).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `column 12: "Not paid" is a field, and so is "paid".\nhint: Did you mean --where 'in = 2 and "Not paid" = 3' or`,
    ),
  });
});

test('lists report totals all entries that the flags select', async () => {
  const { kith, list } = await createSample();
  const selected = await list([...deals, '--open', '--where', 'Rooms > 1']);
  expect(selected.length).toBeGreaterThan(25);
  const { out } = await kith("lists report 'Sales pipeline' --open --where 'Rooms > 1' --json");
  const rows: { status: string; entries: number }[] = JSON.parse(out);
  expect(rows.reduce((sum, { entries }) => sum + entries, 0)).toBe(selected.length);
  expect(rows.find(({ status }) => status === 'Won')?.entries).toBe(0);
});

test('notes list --deal finds notes with the id or the key of a deal', async () => {
  const kith = createDemoMachine();
  const count = async () => Number((await kith('notes list --deal DEAL-1 --count')).out);
  const before = await count();
  expect((await kith('notes create --deal DEAL-1 --body Called.')).code).toBe(0);
  expect(await count()).toBe(before + 1);
  expect(await kith('notes list --deal DEAL-9999')).toMatchObject({ code: 3, out: '' });
});
