import { expect, test } from 'vitest';
import { commandTree } from '../../../src/commands/tree.ts';
import { createMachine, createTemporaryFolder, splitWords } from '../../support/kith.ts';
import { planSchedule, planStoredSchedule, workFolder } from './plan-schedule.ts';

const env = { KITH_CONFIG_DIR: '/etc/kith' };

test.each([
  ['events export --out meetings', `events export --out ${workFolder}/meetings`],
  ['events export --out=../meetings -q', 'events export --out=/home/ada/meetings -q'],
  ['meetings export --out .', `meetings export --out ${workFolder}`],
  ['events export status meetings', `events export status ${workFolder}/meetings`],
  ['events export verify meetings -q', `events export verify ${workFolder}/meetings -q`],
  ['events export --out /srv/meetings --json', 'events export --out /srv/meetings --json'],
  ['kith lists report "Sales pipeline"', "lists report 'Sales pipeline'"],
  ['notes create --organization x --body @a.md', `notes create --organization x --body @${workFolder}/a.md`],
  ['notes create --organization x --body a.md', 'notes create --organization x --body a.md'],
  ['contacts update x --data @b.json', `contacts update x --data @${workFolder}/b.json`],
  [
    'workspace import-events a.ics --database b',
    `workspace import-events ${workFolder}/a.ics --database ${workFolder}/b`,
  ],
  [
    'workspace import-recording x a.vtt --summary b.md',
    `workspace import-recording x ${workFolder}/a.vtt --summary ${workFolder}/b.md --database /etc/kith/workspace.sqlite`,
  ],
  [
    'workspace import-recording -- -x -a.vtt',
    `workspace import-recording --database /etc/kith/workspace.sqlite -- -x ${workFolder}/-a.vtt`,
  ],
  [
    'api /v1/x -qXPOST -Fa=@b -F c=@d -f e=@f',
    `api /v1/x -qXPOST -Fa=@${workFolder}/b -F c=@${workFolder}/d -f e=@f`,
  ],
  ['api /v1/x --method POST --input b.json', `api /v1/x --method POST --input ${workFolder}/b.json`],
  [
    'serve --tls-cert a --tls-key b',
    `serve --tls-cert ${workFolder}/a --tls-key ${workFolder}/b --database /etc/kith/workspace.sqlite`,
  ],
  ['contacts get -- -x', 'contacts get -- -x'],
  ['events export --out --json', `events export --out ${workFolder}/--json`],
  ['contacts delete x --yes --debug --no-color', 'contacts delete x --yes --debug --no-color'],
])('the job %s becomes %s with absolute paths', async (job, line) => {
  expect((await planStoredSchedule(`--daily 07:30 -- ${job}`)).job).toEqual(splitWords(line));
});

test.each([
  ['--hourly 0', '0 * * * *'],
  ['--hourly 59', '59 * * * *'],
  ['--daily 00:00', '0 0 * * *'],
  ['--daily 7:05', '5 7 * * *'],
  ['--daily 23:59', '59 23 * * *'],
  ['--weekly "mon 07:30"', '30 7 * * 1'],
  ['--weekly " SUN  23:05 "', '5 23 * * 0'],
  ['--weekly "sat 00:00"', '0 0 * * 6'],
  ['--weekly "fri-mon,wed,mon 07:30"', '30 7 * * 0,1,3,5,6'],
  ['--monthly "1 03:00"', '0 3 1 * *'],
  ['--monthly "31,15,31 3:05"', '5 3 15,31 * *'],
  ['--every 1m', '* * * * *'],
  ['--every 15m', '0,15,30,45 * * * *'],
  ['--every 1h', '0 * * * *'],
  ['--every 8H', '0 0,8,16 * * *'],
])('%s becomes the crontab fields %s', async (when, fields) => {
  const { minutes, hours, weekdays, days } = (await planStoredSchedule(`${when} -- lists list`)).time;
  const texts = [minutes, hours, days, undefined, weekdays].map((numbers) => numbers?.join(',') ?? '*');
  expect(texts.join(' ')).toBe(fields);
});

const formatTimeError = (flag: string, input: string) =>
  `kith: ${flag}: "${input}" is not a time of day.\nhint: Use HH:MM, from 00:00 to 23:59.\n`;
const formatDayError = (input: string) =>
  `kith: --weekly: "${input}" is not a weekday and a time.\n` +
  'hint: Use weekdays (sun, mon, tue, wed, thu, fri, sat) and a time, such as "mon 07:30" or "mon-fri 07:30".\n';
const formatMonthDayError = (input: string) =>
  `kith: --monthly: "${input}" is not a day of the month and a time.\n` +
  'hint: Use days from 1 to 31 and a time, such as "1 03:00" or "1,15 03:00".\n';
const noStdin =
  'kith: The job: "-" reads stdin, which a scheduled command does not have.\nhint: Pass the name of a file instead.\n';
const typedSo = 'hint: Type a command after --, such as: -- meetings export --out meetings\n';

test.each([
  [
    '-- lists list',
    'kith: Missing required option: --every INTERVAL, --hourly MINUTE, --daily HH:MM, --weekly DAYS HH:MM or --monthly DAYS HH:MM\n',
  ],
  ['--hourly 1 --daily 07:30 -- lists list', 'kith: --hourly and --daily cannot be used together.\n'],
  ['--hourly 60 -- lists list', 'kith: --hourly: "60" is not an integer from 0 to 59.\n'],
  ['--daily 24:00 -- lists list', formatTimeError('--daily', '24:00')],
  ['--daily 7:5 -- lists list', formatTimeError('--daily', '7:5')],
  ['--daily 07:60 -- lists list', formatTimeError('--daily', '07:60')],
  ['--daily 7 -- lists list', formatTimeError('--daily', '7')],
  ['--weekly mon -- lists list', formatDayError('mon')],
  ['--weekly "monday 07:30" -- lists list', formatDayError('monday 07:30')],
  ['--weekly "mon-day 07:30" -- lists list', formatDayError('mon-day 07:30')],
  ['--weekly "mon,, 07:30" -- lists list', formatDayError('mon,, 07:30')],
  ...['7m', '60m', '5h', '24h', '0m', '1d'].map((interval) => [
    `--every ${interval} -- lists list`,
    `kith: --every: "${interval}" is not an interval that divides an hour or a day.\n` +
      'hint: Use minutes (1m, 2m, 3m, 4m, 5m, 6m, 10m, 12m, 15m, 20m, 30m) or hours (1h, 2h, 3h, 4h, 6h, 8h, 12h).\n',
  ]),
  ['--weekly "mon 24:00" -- lists list', formatDayError('mon 24:00')],
  ['--weekly "mon 07:30 10:00" -- lists list', formatDayError('mon 07:30 10:00')],
  ...['1', '0 03:00', '32 03:00', 'mon 03:00', '1, 03:00', '1 24:00'].map((input) => [
    `--monthly "${input}" -- lists list`,
    formatMonthDayError(input),
  ]),
  [
    '--daily 07:30 --after-failures 0 -- lists list',
    'kith: --after-failures: "0" is not an integer of 1 or more.\n',
  ],
  ['--daily 07:30 --for at -- lists list', 'kith: --for: "at" is not one of cron, systemd, launchd.\n'],
  [
    '--daily 07:30 --timeout 5 -- lists list',
    'kith: --timeout is not supported by `kith schedule install`.\nhint: See `kith schedule install --help`.\n',
  ],
  [
    '--daily 07:30',
    'kith: Missing required argument: JOB\nhint: Type: kith schedule install [flags] NAME -- JOB...\n',
  ],
  ['--dayly 07:30 -- lists list', 'kith: Unknown option: --dayly\nhint: Did you mean `--daily`?\n'],
  [
    '--daily 07:30 -- lists lst',
    'kith: The job: Unknown command: lst\nhint: Did you mean `kith lists list`?\n',
  ],
  ['--daily 07:30 -- lists list --limit 0', 'kith: The job: --limit: "0" is not an integer of 1 or more.\n'],
  ['--daily 07:30 -- lists', `kith: The job "lists" only prints help.\n${typedSo}`],
  ['--daily 07:30 -- lists list --help', `kith: The job "lists list --help" only prints help.\n${typedSo}`],
  ['--daily 07:30 -- notes create --organization x --body -', noStdin],
  ['--daily 07:30 -- api /v1/x --input=-', noStdin],
  ['--daily 07:30 -- workspace import-events -', noStdin],
])('schedule install %s is a usage error', async (line, err) => {
  expect(await planSchedule(line)).toEqual({ code: 2, out: '', err });
});

const confirmationError = 'asks before it deletes: add --yes';
const loginError = 'prompts for an API key; sign in first, then schedule the commands that use the profile';
const editor = 'opens an editor; pass --body';

test.each([
  ...['contacts', 'orgs', 'notes', 'fields', 'lists'].map((noun) => [
    `${noun} delete x`,
    'delete',
    confirmationError,
  ]),
  ['entries delete Leads x', 'delete', confirmationError],
  ['contacts import r.csv --undo', 'import', confirmationError],
  ['orgs import r.csv --undo', 'import', confirmationError],
  ['entries import Leads r.csv --undo', 'import', confirmationError],
  ['api /v1/notes/x -X delete', 'api', confirmationError],
  ['notes create --organization x', 'create', editor],
  ['auth login', 'login', loginError],
  ['auth login --base-url https://crm.example.com --key-stdin', 'login', loginError],
  ['mcp', 'mcp', 'is started by an MCP client; add it to the settings of that client'],
  [
    'schedule install x --hourly 5 -- lists list',
    'install',
    'takes another command; schedule that command instead',
  ],
])('the job %s needs a person, so it is refused', async (job, word, reason) => {
  expect(await planSchedule(`--daily 07:30 -- ${job}`)).toEqual({
    code: 2,
    out: '',
    err: `kith: The job: "${word}" ${reason}.\n`,
  });
});

test.each([
  ['orgs delete x -y'],
  ['lists delete x --dry-run'],
  ['contacts import r.csv'],
  ['entries import Leads r.csv --undo --yes'],
  ['api /v1/notes/x -X DELETE --yes'],
  ['api /v1/notes/x'],
  ['notes create --data {}'],
  ['auth login --local'],
  ['serve'],
])('the job %s runs unattended', async (job) => {
  expect(await planSchedule(`--daily 07:30 -- ${job}`)).toMatchObject({ code: 0 });
});

test.each([
  [undefined, 'kith:', 'hint:'],
  [100, '\u001b[31mkith:\u001b[39m', '\u001b[33mhint:\u001b[39m'],
])(
  'the job does not change how a failure is reported in a terminal of %o columns',
  async (terminal, kith, hint) => {
    const line = 'schedule install x --daily 07:30 -- lists lst --json --no-color';
    const { err } = await createMachine()(line, { env, ...(terminal !== undefined && { terminal }) });
    expect(err).toBe(
      `${kith} The job: Unknown command: lst\n${hint} Did you mean \`kith lists list --json --no-color\`?\n`,
    );
  },
);

test('every file or folder argument has completion, so its path can be made absolute', async () => {
  const commands = await Promise.all(commandTree.map((entry) => entry.commands()));
  const positions = commands.flat().flatMap(({ args = {}, options = {} }) => [
    ...Object.entries(args).map(([name, argument]) => ({ name, ...argument })),
    ...Object.values(options).map(({ placeholder = '', completion }) => ({
      name: placeholder,
      completion,
    })),
  ]);
  const paths = positions.filter(({ name }) => /^(file|folder|dir)\b/i.test(name));
  expect(paths.length).toBeGreaterThan(5);
  expect(paths.filter(({ completion }) => completion !== 'files' && completion !== 'folders')).toEqual([]);
});

test.each([['a\nb'], ['a\tb'], ['\u0085'], ['\u001b[31m']])('a job with %j is rejected', async (word) => {
  const line = splitWords('schedule install x --dry-run --for systemd --daily 07:30 -- lists get');
  const { code, out, err } = await createMachine()([...line, word], { env });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(/^kith: A schedule cannot contain line feeds or other control characters: "/);
});

test('an invalid base URL is rejected', async () => {
  expect(await planSchedule('--hourly 0 -- lists list', { KITH_BASE_URL: 'http://crm.example.com' })).toEqual(
    {
      code: 2,
      out: '',
      err: 'kith: http://crm.example.com would receive the key unencrypted.\nhint: Use https://crm.example.com. Plain http is only allowed for localhost.\n',
    },
  );
});

test('--dry-run shows the lines of the crontab on a machine without cron', async () => {
  const env = { KITH_CONFIG_DIR: '/etc/kith', HOME: createTemporaryFolder(), PATH: '/nonexistent' };
  const line = 'schedule install nightly --dry-run --for cron --daily 07:30 -- lists list';
  expect(await createMachine()(line, { env })).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      '+ 30 7 * * * KITH_CONFIG_DIR=/etc/kith /usr/bin/node /opt/kith/bin/kith.js schedule run nightly\n',
    ),
  });
});
