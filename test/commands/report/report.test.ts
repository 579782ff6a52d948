import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

interface Entry {
  readonly status: string;
  readonly one_time_value_cents: number;
  readonly recurring_value_cents: number;
  readonly recurring_value_period: string;
}

/** Computes the report of a process from its entries. */
function createReport(statuses: readonly { name: string; type: string }[], entries: readonly Entry[]) {
  return statuses.map(({ name, type }) => {
    const matching = entries.filter(({ status }) => status === name);
    const sumRecurring = (period: string) =>
      matching
        .filter(({ recurring_value_period }) => recurring_value_period === period)
        .reduce((sum, { recurring_value_cents }) => sum + recurring_value_cents, 0);
    return {
      status: name,
      type,
      entries: matching.length,
      share: Number(((matching.length / entries.length) * 100).toFixed(1)),
      one_time_value_cents: matching.reduce((sum, { one_time_value_cents }) => sum + one_time_value_cents, 0),
      recurring_monthly_value_cents: sumRecurring('monthly'),
      recurring_annual_value_cents: sumRecurring('annual'),
      recurring_one_time_value_cents: sumRecurring('one_time'),
      first_year_value_cents:
        matching.reduce((sum, { one_time_value_cents }) => sum + one_time_value_cents, 0) +
        12 * sumRecurring('monthly') +
        sumRecurring('annual') +
        sumRecurring('one_time'),
      currency: null,
    };
  });
}

test.each([
  ['"Sales pipeline"', 80],
  ['"Reseller program"', 40],
])('lists report %s matches the sums of its entries', async (list, count) => {
  const kith = createDemoMachine();
  const process = JSON.parse((await kith(`lists get ${list} --json`)).out);
  const entries: Entry[] = JSON.parse((await kith(`entries list ${list} --all --json`)).out);
  const { code, out, err } = await kith(`lists report ${list} --json`);
  expect({ code, err, report: JSON.parse(out) }).toEqual({
    code: 0,
    err: '',
    report: createReport(process.statuses, entries),
  });
  expect(entries).toHaveLength(count);
});

test('a report in a pipe is TSV, with amounts as decimals', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('lists report "Sales pipeline"');
  const rows = JSON.parse((await kith('lists report "Sales pipeline" --json')).out);
  const formatMoney = (cents: number) => (cents / 100).toFixed(2);
  expect(out.split('\n')).toEqual([
    'status\ttype\tentries\tshare\tone_time_value\trecurring_monthly_value\trecurring_annual_value\trecurring_one_time_value\tfirst_year_value',
    ...rows.map((row: ReturnType<typeof createReport>[number]) =>
      [
        row.status,
        row.type,
        row.entries,
        row.share,
        formatMoney(row.one_time_value_cents),
        formatMoney(row.recurring_monthly_value_cents),
        formatMoney(row.recurring_annual_value_cents),
        formatMoney(row.recurring_one_time_value_cents),
        formatMoney(row.first_year_value_cents),
      ].join('\t'),
    ),
    '',
  ]);
  expect((await kith('lists report "Sales pipeline" --fields status --format csv')).out).toBe(
    `status\r\n${rows.map(({ status }: { status: string }) => `${status}\r\n`).join('')}`,
  );
});

const korean = {
  id: 'p1',
  name: '영업 파이프라인 2026년 상반기 — 신규 고객과 갱신 고객을 함께 보는 단계별 현황과 그 밖의 모든 것 정리본',
  process: true,
  status_label: '진행 단계',
  statuses: [
    { name: '첫 연락 뒤 견적을 기다리는 중', type: 'active' },
    { name: '협상', type: 'active' },
    { name: '계약 완료 🎉', type: 'won' },
    { name: '실패', type: 'lost' },
  ],
};

const createEntry = (id: number, status: string, cents: number, period = 'monthly') => ({
  id: `e${id}`,
  status,
  one_time_value_cents: cents,
  recurring_value_cents: cents / 10,
  recurring_value_period: period,
});

/** A service with the process, and a machine that talks to it. */
async function createKoreanProcess(entries: readonly object[]) {
  const { env } = await startRecordingService({
    '/v1/lists/p1': korean,
    '/v1/lists/p1/entries': { data: entries },
  });
  const kith = createMachine();
  return (line: string, terminal?: number) =>
    kith(line, { env: { ...env, NO_COLOR: '1' }, ...(terminal && { terminal }) });
}

const entries = [
  createEntry(1, '첫 연락 뒤 견적을 기다리는 중', 123_456_789_000),
  createEntry(2, '첫 연락 뒤 견적을 기다리는 중', 5000, 'annual'),
  createEntry(3, '협상', 99_000),
  createEntry(4, '계약 완료 🎉', 1_000_000, 'one_time'),
];

test.each([[40], [60], [80], [100], [120], [200]])(
  'a chart fits %i columns, is complete, and its columns are aligned',
  async (terminal) => {
    const kith = await createKoreanProcess(entries);
    const { out } = await kith('lists report p1', terminal);
    expect(Math.max(...out.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(terminal);
    const [title = '', rest = ''] = out.split('\n\n');
    expect(title.replaceAll('\n', ' ')).toBe(korean.name);
    const words = rest.split(/\s+/);
    const names = korean.statuses.map(({ name }) => name);
    const amounts = ['1,234,567,940.00', '123,456,789.00/month', '990.00', '10,000.00', '50.0%', 'once'];
    expect(words).toEqual(expect.arrayContaining([...names.join(' ').split(' '), ...amounts]));
    const lines = rest.split('\n').filter((line) => / \d+( {2}|$)/.test(line));
    const ends = lines.map((line) => stringWidth(line.replace(/( \d+)(?: {2}.*|)$/, '$1')));
    expect(lines).toHaveLength(5);
    expect(new Set(ends).size).toBe(1);
  },
);

test('a wide terminal shows every column next to the bars; a narrow one shows the last ones below', async () => {
  const kith = await createKoreanProcess(entries);
  expect((await kith('lists report p1', 140)).out.split('\n').slice(2)).toEqual([
    '진행 단계                                                 Entries  Share          One-time                                         Recurring',
    '첫 연락 뒤 견적을 기다리는 중  █████████████████████████        2  50.0%  1,234,567,940.00                  123,456,789.00/month + 5.00/year',
    '협상                           ████████████▌                    1  25.0%            990.00                                       99.00/month',
    '계약 완료 🎉                   ████████████▌                    1  25.0%         10,000.00                                     1,000.00 once',
    '실패                                                            0   0.0%              0.00                                                 -',
    'All                                                             4         1,234,578,930.00  123,456,888.00/month + 5.00/year + 1,000.00 once',
    '',
    'First-year value: 2,716,062,591.00 (one-time + 12 × per month + per year)',
    '',
  ]);
  expect((await kith('lists report p1', 60)).out.split('\n').slice(3, 9)).toEqual([
    '진행 단계                                     Entries  Share',
    '첫 연락 뒤 견적을 기다리는 중  █████████████        2  50.0%',
    '  One-time: 1,234,567,940.00',
    '  Recurring: 123,456,789.00/month + 5.00/year',
    '협상                           ██████▌              1  25.0%',
    '  One-time: 990.00',
  ]);
});

test('shows amounts in the currency of the settings', async () => {
  const kith = createDemoMachine();
  expect(await kith('config set currency krw')).toMatchObject({ code: 0, out: 'Currency set to krw.\n' });
  expect(await kith('config set currency WON')).toMatchObject({
    code: 2,
    err: 'kith: currency: "WON" is not a currency code.\nhint: Use three letters, such as EUR.\n',
  });
  const { out } = await kith('lists report "Sales pipeline"', { terminal: 100 });
  expect(out).toContain('First-year value: ₩449,454 ');
  expect((await kith('lists report "Sales pipeline" --jq .[0].currency')).out).toBe('KRW\n');
  const { out: page } = await kith('lists report "Sales pipeline" --html -');
  expect(page).toContain('<dt>First-year value</dt><dd>₩449,454</dd>');
  await kith('config unset currency');
  expect((await kith('lists report "Sales pipeline" --html -')).out).toContain('<dd>449,454.00</dd>');
});

test('a process without entries has shares of 0', async () => {
  const kith = await createKoreanProcess([]);
  const { out } = await kith('lists report p1 --json');
  expect(JSON.parse(out)).toEqual(createReport(korean.statuses, []).map((row) => ({ ...row, share: 0 })));
  expect((await kith('lists report p1', 80)).out).not.toMatch(/█|NaN/);
});

test('a status that only entries have is reported too', async () => {
  const kith = await createKoreanProcess([createEntry(1, '옛 단계', 100), createEntry(2, '협상', 100)]);
  const rows = JSON.parse((await kith('lists report p1 --json')).out);
  expect(rows.at(-1)).toMatchObject({ status: '옛 단계', type: null, entries: 1, share: 50 });
});

test('a list without statuses can only be grouped by a field', async () => {
  const err =
    'kith: "Newsletter" is a list, not a process; only a process has statuses.\n' +
    'hint: Group by a field: kith lists report Newsletter --by FIELD\n';
  expect(await createDemoMachine()('lists report 4y3m1d')).toEqual({ code: 2, out: '', err });
});
