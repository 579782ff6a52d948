import { expect, test } from 'vitest';
import {
  createDemoMachine,
  createLocalMachine,
  createMachine,
  createTemporaryFolder,
} from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

interface Row {
  readonly group: string | null;
  readonly id?: string | null;
  readonly entries: number;
  readonly share: number;
  readonly one_time_value_cents: number;
}

interface Deal {
  readonly status: string;
  readonly assignee: { readonly email: string } | null;
  readonly entryable_id: string;
  readonly closed_at: string | null;
  readonly one_time_value_cents: number;
  readonly list_fields: Readonly<Record<string, { readonly name: string; readonly value: string }>>;
}

const readField = ({ list_fields }: Deal, name: string) =>
  Object.values(list_fields).find((field) => field.name === name)?.value ?? null;

test.each<readonly [by: string, (deal: Deal) => string | null]>([
  ['assignee', ({ assignee }) => assignee?.email ?? null],
  ['Source', (deal) => readField(deal, 'Source')],
  ['month', (deal) => readField(deal, 'Expected close')?.slice(0, 7) ?? null],
  ['expected close', (deal) => readField(deal, 'Expected close')?.slice(0, 7) ?? null],
  ['closed_at', ({ closed_at }) => closed_at?.slice(0, 7) ?? null],
])('lists report --by %s totals the entries of each group', async (by, read) => {
  const kith = createDemoMachine();
  const deals: Deal[] = JSON.parse((await kith('entries list "Sales pipeline" --all --json')).out);
  const { code, out, err } = await kith(`lists report "Sales pipeline" --by "${by}" --json --tz UTC`);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const rows: Row[] = JSON.parse(out);
  expect(rows.length).toBeGreaterThan(4);
  for (const { group, entries, share, one_time_value_cents } of rows) {
    const matching = deals.filter((deal) => read(deal) === group);
    expect({ group, entries, share, one_time_value_cents }).toEqual({
      group,
      entries: matching.length,
      share: Number(((matching.length / deals.length) * 100).toFixed(1)),
      one_time_value_cents: matching.reduce((sum, deal) => sum + deal.one_time_value_cents, 0),
    });
  }
  expect(rows.reduce((sum, { entries }) => sum + entries, 0)).toBe(deals.length);
});

/** A local workspace with a process of contacts. */
async function createProcess() {
  const kith = createLocalMachine(createTemporaryFolder());
  const run = async (line: string) => expect(await kith(line)).toMatchObject({ code: 0 });
  await run(
    'lists create Visits --process --entry-type Contact --identifier VIS --duplicates-allowed ' +
      '--field "Size:select:Small,Medium,Large" --field "Topics:select:multiple:Probes,Loggers,Gateways" ' +
      '--field Planned:date --field Call:datetime',
  );
  await run('organizations create --name Acme');
  await run('contacts create --first-name Ada --email ada@acme.example --organization Acme');
  await run('contacts create --first-name Bo --email bo@other.example');
  const add = (flags: string) => run(`entries add Visits ${flags}`);
  await add(
    '--contact ada@acme.example -f Size=Large -f Topics=Probes -f Topics=Loggers -f Planned=2026-01-31 ' +
      '-f Call=2026-01-31T23:30:00Z --one-time-value 10',
  );
  await add(
    '--contact ada@acme.example -f Size=Small -f Topics=Loggers -f Planned=2026-04-01 --recurring-value 3 ' +
      '--recurring-period monthly',
  );
  await add('--contact bo@other.example --one-time-value 5.50');
  return kith;
}

test('prints all options in the order of their definition, and the entries without a value last', async () => {
  const kith = await createProcess();
  expect((await kith('lists report Visits --by size --fields group,entries,share --no-header')).out).toBe(
    'Small\t1\t33.3\nMedium\t0\t0\nLarge\t1\t33.3\nNone\t1\t33.3\n',
  );
});

test('an entry with several values counts in the row of each value and once in the total, with a note', async () => {
  const kith = await createProcess();
  const { out, err } = await kith('lists report Visits --by Topics', {
    terminal: 100,
    env: { NO_COLOR: '1' },
  });
  expect(err).toMatch(/An entry with several values counts in the row of each value/);
  expect(
    out
      .replaceAll(/[█▏▎▍▌▋▊▉]+/g, '')
      .replaceAll(/ +/g, ' ')
      .split('\n')
      .slice(2),
  ).toEqual([
    'Topics Entries Share One-time Recurring',
    'Probes 1 33.3% 10.00 -',
    'Loggers 2 66.7% 10.00 3.00/month',
    'Gateways 0 0.0% 0.00 -',
    'None 1 33.3% 5.50 -',
    'All 3 15.50 3.00/month',
    '',
    'First-year value: 51.50 (one-time + 12 × per month + per year)',
    '',
  ]);
});

test('reports a date by month, including empty months, and a time by month in the time zone', async () => {
  const kith = await createProcess();
  const report = async (flags: string) =>
    (await kith(`lists report Visits ${flags} --fields group,entries --no-header`)).out;
  expect(await report('--by Planned')).toBe('2026-01\t1\n2026-02\t0\n2026-03\t0\n2026-04\t1\nNo date\t1\n');
  expect(await report('--by Call --tz UTC')).toBe('2026-01\t1\nNo date\t2\n');
  expect(await report('--by Call --tz Asia/Seoul')).toBe('2026-02\t1\nNo date\t2\n');
  const { out } = await kith('lists report Visits --by Planned --format table');
  expect(out).toMatch(/^Jan 2026 [\s\S]*^Feb 2026 +0 [\s\S]*^No date /m);
  expect(await kith('lists report Visits --by month')).toEqual({
    code: 2,
    out: '',
    err:
      'kith: --by: "Visits" has several date fields: Planned, Call.\n' +
      'hint: kith lists report Visits --by Planned\n      kith lists report Visits --by Call\n',
  });
});

test('empty months are omitted if the dates span more than 10 years', async () => {
  const kith = await createProcess();
  await kith('entries add Visits --contact bo@other.example -f Planned=2206-05-01');
  const { out, err } = await kith('lists report Visits --by Planned --fields group --no-header');
  expect(out).toBe('2026-01\n2026-04\n2206-05\nNo date\n');
  expect(err).toBe(
    'kith: The dates span 2165 months, from 2026-01 to 2206-05. Months without entries are omitted.\n',
  );
});

test('--by organization counts the entries of a contact for its organization, with the id in JSON and CSV', async () => {
  const kith = await createProcess();
  const { id } = JSON.parse((await kith('organizations list --json --jq ".[0]"')).out);
  expect(
    (await kith('lists report Visits --by organization --fields group,id,entries --format csv')).out,
  ).toBe(`group,id,entries\r\nAcme,${id},2\r\nNone,,1\r\n`);
  expect(JSON.parse((await kith('lists report Visits --by organization --json')).out)).toMatchObject([
    { group: 'Acme', id },
    { group: null, id: null },
  ]);
});

test.each([
  ['json', '"group": "19500.00"'],
  ['csv', '\n19500.00,1,'],
])('--by with an amount writes it in %s as in the columns of amounts', async (format, expected) => {
  const { out } = await createDemoMachine()(
    `lists report "Sales pipeline" --by one_time_value --format ${format}`,
  );
  expect(out).toContain(expected);
});

test('a list can be grouped although its entries have no status and no value', async () => {
  const kith = createDemoMachine();
  const { code, out } = await kith('lists report Newsletter --by Edition --format table');
  expect(code).toBe(0);
  expect(out).toMatch(/^Edition +Entries {2}Share$/m);
});

test('the default report and --by status are the same', async () => {
  const kith = createDemoMachine();
  const plain = await kith('lists report "Sales pipeline" --json');
  expect(await kith('lists report "Sales pipeline" --by Status --json')).toEqual(plain);
});

test.each([
  ['--by nothing', /^kith: --by: unknown field "nothing"\.\nhint: Available fields: id, contact, .*, Source/],
  ['--won --lost', /^kith: --won and --lost cannot be used together\.\n$/],
  ['--open --closed-after 7d', /^kith: --closed-after and --open cannot be used together\.\n$/],
])('lists report %s ends with 2', async (flags, err) => {
  expect(await createDemoMachine()(`lists report "Sales pipeline" ${flags}`)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(err),
  });
});

test('--won lists the statuses of a process if none has the type won', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  await kith(
    'lists create Hiring --process --entry-type Contact --identifier HIR --no-duplicates --status New:active --status No:lost',
  );
  const err =
    'kith: --won: "Hiring" has no status of type won.\n' +
    'hint: Its statuses: New (active), No (lost). Use --status.\n';
  expect(await kith('lists report Hiring --won')).toEqual({ code: 2, out: '', err });
  expect(await kith('entries list Hiring --won')).toEqual({ code: 2, out: '', err });
});

test('reads the organizations of many contacts from the lists, not one by one', async () => {
  const ids = Array.from({ length: 150 }, (_, index) => index);
  const { env, listRequests } = await startRecordingService({
    '/v1/lists/l1/entries': {
      data: ids.map((id) => ({ id: `e${id}`, entryable_type: 'Contact', entryable_id: `c${id}` })),
      pagination: { end_cursor: '150', has_next_page: false, total_count: 150 },
    },
    '/v1/contacts': { data: ids.map((id) => ({ id: `c${id}`, organization_id: `o${id % 3}` })) },
    '/v1/organizations': { data: [0, 1, 2].map((id) => ({ id: `o${id}`, name: `Organization ${id}` })) },
  });
  const { code, out } = await createMachine()(
    'lists report l1 --by organization --fields group,entries --no-header',
    { env },
  );
  expect({ code, out }).toEqual({
    code: 0,
    out: 'Organization 0\t50\nOrganization 1\t50\nOrganization 2\t50\n',
  });
  expect(listRequests().map((line) => line.replace(/\?.*/, ''))).toEqual([
    'GET /v1/lists/l1',
    'GET /v1/lists/l1/entries',
    'GET /v1/contacts',
    'GET /v1/organizations',
  ]);
});

test('a report reads its list once, and each contact once', async () => {
  const { env, listRequests } = await startRecordingService();
  const { code } = await createMachine()('lists report l1 --by organization --organization o1 --open', {
    env,
  });
  expect(code).toBe(0);
  const paths = listRequests().map((line) => line.replace(/\?.*/, ''));
  expect(paths.filter((path) => path === 'GET /v1/lists/l1')).toHaveLength(1);
  expect(paths.filter((path) => path === 'GET /v1/contacts/c1')).toHaveLength(1);
});
