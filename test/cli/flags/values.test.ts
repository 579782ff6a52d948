import { expect, test } from 'vitest';
import { startRecordingService } from '../../commands/recording-service.ts';
import { createMachine } from '../../support/kith.ts';

/** Returns the requests of a line on a service with fields of every kind, or its error. */
async function sendLine(line: string | readonly string[], env = {}) {
  const service = await startRecordingService();
  const words = typeof line === 'string' ? line : [...line];
  const { code, out, err } = await createMachine()(words, { env: { ...service.env, ...env } });
  return code === 0 ? JSON.parse(out) : { code, err };
}

const add = ['entries', 'add', 'l1', '--contact', 'c1', '--dry-run', '--jq', '.body'];

test.each([
  ['1200.50', 120050],
  ['1200.5', 120050],
  ['1200', 120000],
  ['0.1', 10],
  ['0', 0],
  ['0.00', 0],
  ['0.29', 29],
  ['4.35', 435],
  ['1.15', 115],
  ['8.2', 820],
  ['007', 700],
  ['90071992547409.91', 9007199254740991],
])('--one-time-value %s is %i cents', async (amount, cents) => {
  const { one_time_value_cents } = await sendLine([...add, '--one-time-value', amount]);
  expect(one_time_value_cents).toBe(cents);
});

const notAnAmount = 'not an amount with at most two decimals, such as 1200.50.\n';
const tooMuch = 'not an amount of at most 90071992547409.91.\n';

test.each([
  ['1.005', notAnAmount],
  ['1,200', notAnAmount],
  ['1.200,50', notAnAmount],
  ['-5', notAnAmount],
  ['+5', notAnAmount],
  ['1e3', notAnAmount],
  ['.5', notAnAmount],
  ['5.', notAnAmount],
  ['', notAnAmount],
  [' 5', notAnAmount],
  ['€5', notAnAmount],
  ['0x10', notAnAmount],
  ['NaN', notAnAmount],
  ['٣', notAnAmount],
  ['90071992547409.92', tooMuch],
  ['99999999999999999999999999', tooMuch],
])('rejects --recurring-value "%s"', async (amount, reason) => {
  expect(await sendLine([...add, '--recurring-value', amount])).toEqual({
    code: 2,
    err: `kith: --recurring-value: "${amount}" is ${reason}`,
  });
});

/** The timestamp that `--starts-after` sends. */
async function parseStartsAfter(input: string, more = '', now?: Date) {
  const { env, requests } = await startRecordingService();
  const { code, err } = await createMachine()(`events list --starts-after ${input} ${more}`, {
    env,
    ...(now && { now }),
  });
  const startsAfter = new URL(requests[0]?.url ?? '', 'http://service').searchParams.get('starts_after');
  return code === 0 ? Number(startsAfter) : { code, err, requests: requests.length };
}

const toSeconds = (iso: string) => Date.parse(iso) / 1000;

test.each([
  ['2026-05-01', '', '2026-05-01T00:00:00Z'], // this machine is in UTC
  ['2026-05-01', '--tz UTC', '2026-05-01T00:00:00Z'],
  ['2026-05-01', '--tz Asia/Seoul', '2026-04-30T15:00:00Z'],
  ['2026-05-01T09:30', '--tz Asia/Seoul', '2026-05-01T00:30:00Z'],
  ['2026-05-01T09:30:15', '--tz Asia/Seoul', '2026-05-01T00:30:15Z'],
  ['2026-05-01T09:30:00Z', '--tz Asia/Seoul', '2026-05-01T09:30:00Z'],
  ['2026-05-01T09:30:00+09:00', '', '2026-05-01T00:30:00Z'],
  ['2026-05-01T09:30-04:00', '--tz Asia/Seoul', '2026-05-01T13:30:00Z'],
  ['2026-05-01T09:30:00.999Z', '', '2026-05-01T09:30:00Z'],
  ['2024-02-29', '', '2024-02-29T00:00:00Z'],
  // Around the change of the clocks in New York, on 8 March and 1 November 2026.
  ['2026-03-07', '--tz America/New_York', '2026-03-07T05:00:00Z'],
  ['2026-03-08', '--tz America/New_York', '2026-03-08T05:00:00Z'],
  ['2026-03-08T01:59', '--tz America/New_York', '2026-03-08T06:59:00Z'],
  ['2026-03-08T02:30', '--tz America/New_York', '2026-03-08T07:30:00Z'], // skipped hour: uses the offset before the change
  ['2026-03-08T03:00', '--tz America/New_York', '2026-03-08T07:00:00Z'],
  ['2026-03-09', '--tz America/New_York', '2026-03-09T04:00:00Z'],
  ['2026-11-01', '--tz America/New_York', '2026-11-01T04:00:00Z'],
  ['2026-11-01T01:30', '--tz America/New_York', '2026-11-01T05:30:00Z'], // twice: the first
  ['2026-11-02', '--tz America/New_York', '2026-11-02T05:00:00Z'],
  // A midnight that does not exist, and offsets of less than an hour.
  ['2026-03-29', '--tz Asia/Beirut', '2026-03-28T22:00:00Z'],
  ['2026-05-01', '--tz Asia/Kathmandu', '2026-04-30T18:15:00Z'],
  ['1777593600', '--tz Asia/Seoul', '2026-05-01T00:00:00Z'],
  ['999999999', '', '2001-09-09T01:46:39Z'],
])('%s %s is %s', async (input, more, iso) => {
  expect(await parseStartsAfter(input, more)).toBe(toSeconds(iso));
});

// All words, ages and distances: test/values/dates.test.ts
test.each([
  ['7d', '--tz UTC', '2026-03-21T12:00:00Z'],
  ['now', '--tz UTC', '2026-03-28T12:00:00Z'],
  // A Saturday. It is already Sunday in Auckland.
  ['today', '--tz UTC', '2026-03-28T00:00:00Z'],
  ['Tomorrow', '--tz Pacific/Auckland', '2026-03-29T11:00:00Z'],
  ['monday', '--tz UTC', '2026-03-23T00:00:00Z'],
  ['"last week"', '--tz UTC', '2026-03-16T00:00:00Z'],
  ['"beginning of next month"', '--tz UTC', '2026-04-01T00:00:00Z'],
  ['+7d', '--tz Europe/Berlin', '2026-04-04T11:00:00Z'], // the clocks change on 29 March
  ['"in 36 hours"', '--tz Europe/Berlin', '2026-03-30T00:00:00Z'],
  ['1-month-ago', '--tz Europe/Berlin', '2026-02-28T12:00:00Z'],
  // The end of a period is the beginning of the next one.
  ['end-of-week', '--tz Europe/Berlin', '2026-03-29T22:00:00Z'],
  ['"the end of last month"', '--tz Europe/Berlin', '2026-02-28T23:00:00Z'],
])('%s %s on 28 March is %s', async (words, zone, iso) => {
  const now = new Date('2026-03-28T12:00:00.900Z');
  expect(await parseStartsAfter(words, zone, now)).toBe(toSeconds(iso));
});

const timeHint =
  'hint: Use 2026-05-01, 2026-05-01T09:30, 2026-05-01T09:30:00+09:00, today, monday, "last week", "end of month", "in 3 days", +7d, a Unix timestamp, or an age: 30m, 24h, 7d, 4w.\n';

test.each([
  '2026-02-30',
  '2025-02-29',
  '2026-13-01',
  '2026-00-10',
  '2026-05-01T24:00',
  '2026-05-01T09:60',
  '2026-05-01T09:30:60Z',
  '2026-05-01T09',
  '2026-05-01Z',
  '2026-05-01T09:30+25:00',
  '26-05-01',
  '0099-05-01',
  '2026/05/01',
  'week',
  'last-7d',
  'someday',
  '7y',
  '+7y',
  '"end of may"',
  '12',
  '1777593600000',
])('rejects the time %s', async (input) => {
  expect(await parseStartsAfter(input)).toEqual({
    code: 2,
    err: `kith: --starts-after: "${input.replaceAll('"', '')}" is not a time.\n${timeHint}`,
    requests: 0,
  });
});

test.each(['Nowhere/City', 'Seoul', '+09:00', '0', 'nonsense/Europe/Berlin', 'a/b/c/Asia/Seoul'])(
  'rejects the time zone %s',
  async (zone) => {
    expect(await parseStartsAfter('2026-05-01', `--tz ${zone}`)).toEqual({
      code: 2,
      err: `kith: --tz: "${zone}" is not a time zone.\nhint: Use an IANA name such as Asia/Seoul, Europe/Berlin or UTC.\n`,
      requests: 0,
    });
  },
);

test.each([
  [['Code=007'], [{ name: 'Code', value: '007' }]],
  [['Code=a=b, c'], [{ name: 'Code', value: 'a=b, c' }]],
  [['Code=two\nlines'], [{ name: 'Code', value: 'two\nlines' }]],
  [['Bare=true'], [{ name: 'Bare', value: 'true' }]],
  [['Bare=a', 'Bare=b'], [{ name: 'Bare', value: ['a', 'b'] }]],
  [['Rooms=007'], [{ name: 'Rooms', value: 7 }]],
  [['Rooms=-1.5e2'], [{ name: 'Rooms', value: -150 }]],
  [['Since=2024-02-29'], [{ name: 'Since', value: '2024-02-29' }]],
  [['Visit=2026-05-01T09:30:00Z'], [{ name: 'Visit', value: '2026-05-01T09:30:00Z' }]],
  [['Tier=Silver, old'], [{ name: 'Tier', value: 'Silver, old' }]],
  [['Topics=Probes'], [{ name: 'Topics', value: ['Probes'] }]],
  [
    ['Topics=Probes', 'Code=x', 'Topics=Loggers'],
    [
      { name: 'Topics', value: ['Probes', 'Loggers'] },
      { name: 'Code', value: 'x' },
    ],
  ],
  [['Sizes=1', 'Sizes=2.5'], [{ name: 'Sizes', value: [1, 2.5] }]],
  [['Topics='], [{ name: 'Topics', value: null }]],
  [['Rooms='], [{ name: 'Rooms', value: null }]],
])('--field %j is parsed by the type of its field', async (input, list_fields) => {
  const flags = input.flatMap((value) => ['--field', value]);
  expect(await sendLine([...add, ...flags])).toMatchObject({ list_fields });
  const create = ['contacts', 'create', '--first-name', 'A', '--dry-run', '--jq', '.body.custom_fields'];
  expect(await sendLine([...create, ...flags])).toEqual(list_fields);
});

const fieldNames = 'hint: Available fields: Code, Rooms, Since, Visit, Tier, Topics, Sizes, Bare.\n';

test.each([
  [['Code'], '--field: "Code" is not NAME=VALUE.\n'],
  [['=x'], '--field: "=x" is not NAME=VALUE.\n'],
  [['Cod=x'], `--field: unknown field "Cod".\n${fieldNames}`],
  [['Code=a', 'Code=b'], '--field "Code": Only one value is allowed.\n'],
  [['Topics=', 'Topics=Probes'], '--field: "Topics=" clears the field; omit its other values.\n'],
  [['Rooms=many'], '--field "Rooms": "many" is not a number.\n'],
  [['Rooms=0x10'], '--field "Rooms": "0x10" is not a number.\n'],
  [['Rooms=1e400'], '--field "Rooms": "1e400" is not a number.\n'],
  [
    ['Rooms=9007199254740993'],
    '--field "Rooms": "9007199254740993" is not a number with at most 15 digits.\n',
  ],
  [['Since=2026-02-30'], '--field "Since": "2026-02-30" is not a date such as 2026-05-01.\n'],
  [['Since=tomorrow'], '--field "Since": "tomorrow" is not a date such as 2026-05-01.\n'],
  [['Tier=golden'], '--field "Tier": "golden" is not one of Gold, Silver, old.\n'],
])('rejects --field %j', async (input, err) => {
  const flags = input.flatMap((value) => ['--field', value]);
  expect(await sendLine([...add, ...flags])).toEqual({ code: 2, err: `kith: ${err}` });
});

test('finds a custom field only in the model of the record', async () => {
  const { env } = await startRecordingService({
    '/v1/custom_fields': { data: [{ id: 'f1', name: 'Code', model: 'deal', data_type: 'text' }] },
  });
  const kith = createMachine();
  expect((await kith('contacts create --first-name A --field Code=1', { env })).err).toBe(
    'kith: --field: unknown field "Code".\nhint: See `kith custom-fields create --help`.\n',
  );
});

test.each([
  ['A:text', { name: 'A', data_type: 'text' }],
  ['A:text:multiple', { name: 'A', data_type: 'text', accepts_multiple_values: true }],
  ['A:user', { name: 'A', data_type: 'user', accepts_multiple_values: false }],
  ['A:contact:multiple', { name: 'A', data_type: 'contact', accepts_multiple_values: true }],
  [
    'A:select:x,y z',
    { name: 'A', data_type: 'select', accepts_multiple_values: false, options: ['x', 'y z'] },
  ],
  [
    String.raw`A\: b\\c:select:multiple:x\,y,\\,u\:v`,
    {
      name: String.raw`A: b\c`,
      data_type: 'select',
      accepts_multiple_values: true,
      options: ['x,y', '\\', 'u:v'],
    },
  ],
])('--field %s defines a field', async (input, definition) => {
  const line = ['lists', 'create', 'L', '--entry-type', 'Contact', '--dry-run', '--jq', '.body.fields'];
  expect(await sendLine([...line, '--field', input])).toEqual([definition]);
});

const types = 'text, textarea, url, number, date, datetime, select, user, contact';
const backslash = 'hint: Put a backslash before a colon that is part of a name.\n';

test.each([
  ['A', `"A" is not NAME:TYPE; TYPE is one of ${types}.\n${backslash}`],
  [':text', `":text" is not NAME:TYPE; TYPE is one of ${types}.\n${backslash}`],
  ['A:Text', `"A:Text" is not NAME:TYPE; TYPE is one of ${types}.\n${backslash}`],
  ['A:b:text', `"A:b:text" is not NAME:TYPE; TYPE is one of ${types}.\n${backslash}`],
  ['A:select', 'The select field "A" requires options.\n'],
  ['A:select:multiple', 'The select field "A" requires options.\n'],
  ['A:select:', 'The field "A" has an empty option.\n'],
  ['A:select:x,,y', 'The field "A" has an empty option.\n'],
  ['A:text:x', 'The field "A" cannot have options; only select fields can.\n'],
  ['A:select:x:y', `"A:select:x:y" has too many parts.\n${backslash}`],
])('rejects the field definition --field %s', async (input, reason) => {
  expect(await sendLine(['lists', 'create', 'L', '--entry-type', 'Contact', '--field', input])).toEqual({
    code: 2,
    err: `kith: --field: ${reason}`,
  });
});

test.each([
  ['Open:active', { name: 'Open', type: 'active' }],
  ['Stage 2: trial:active', { name: 'Stage 2: trial', type: 'active' }],
  ['a::lost', { name: 'a:', type: 'lost' }],
])('--status %s', async (input, status) => {
  const line = 'lists update l1 --dry-run --jq .body.statuses --status'.split(' ');
  expect(await sendLine([...line, input])).toEqual([status]);
});

test.each(['Open', 'Open:done', ':won', 'Open:won:'])('rejects --status %s', async (input) => {
  expect(await sendLine(['lists', 'update', 'l1', '--status', input])).toEqual({
    code: 2,
    err: `kith: --status: "${input}" is not NAME:active|won|lost.\n`,
  });
});

test('splits and cleans the values of a flag, as an import does', async () => {
  const line = ['contacts', 'create', '--first-name', '\u200bAda\u00ad', '--dry-run', '--jq', '.body'];
  const emails = ['--email', '"Jo, X" <jo@a.example>, mailto:ada@a.example', '--email', 'no\u200bbody'];
  const phones = ['--phone', 'Tel: +1 415 555\u20112671 or +44 20 7946 0958 (work)'];
  expect(await sendLine([...line, ...emails.slice(0, 2), ...phones])).toEqual({
    first_name: 'Ada',
    emails: ['jo@a.example', 'ada@a.example'],
    phone_numbers: ['+1 415 555-2671', '+44 20 7946 0958'],
  });
  const { err } = await sendLine([...line, ...emails]);
  expect(err).toContain('"no\\u200bbody" is not an email address.');
});
