import { expect, test } from 'vitest';
import { bugs, homepage } from '../../package.json';
import { findEntry } from '../../src/cli/command/command.ts';
import { isWrite } from '../../src/cli/command/effects.ts';
import { topics } from '../../src/cli/help/help.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { exitCodes } from '../../src/contract/errors.ts';
import { createDemoMachine, createMachine } from '../support/kith.ts';

const signIn =
  'hint: Sign in with `kith auth login --base-url URL`, or try the sample workspace with `kith auth login --local --demo`.\n';

test.each([
  ['contacts find', 'kith: Missing required option: --email ADDRESS or --phone NUMBER\n'],
  ['contacts find --email a@b.example --phone 1', 'kith: --email and --phone cannot be used together.\n'],
  ['contacts find --email ""', 'kith: --email: ADDRESS must not be empty.\n'],
  ['contacts list --limit 0', 'kith: --limit: "0" is not an integer of 1 or more.\n'],
  ['contacts list --page-size 501', 'kith: --page-size: "501" is not an integer from 1 to 500.\n'],
  ['contacts duplicates --min-score 101', 'kith: --min-score: "101" is not an integer from 0 to 100.\n'],
  [
    'contacts list --format xml',
    'kith: --format: "xml" is not one of table, json, ndjson, compact, csv, tsv, md, html, xlsx.\n',
  ],
  ['recordings summary x --format csv', 'kith: --format: "csv" is not one of text, json.\n'],
  ['contacts lst', 'kith: Unknown command: lst\nhint: Did you mean `kith contacts list`?\n'],
  ['contcts list', 'kith: Unknown command: contcts\nhint: Did you mean `kith contacts list`?\n'],
  ['contacts list --limti 5', 'kith: Unknown option: --limti\nhint: Did you mean `--limit`?\n'],
  [
    'contacts get',
    'kith: Missing required argument: ID|EMAIL|PHONE|NAME\nhint: Type: kith contacts get ID|EMAIL|PHONE|NAME\n',
  ],
  [
    'orgs get a b',
    "kith: organizations get takes 1 argument, not 2.\nhint: Did you mean `kith orgs get 'a b'`?\n",
  ],
  [
    'orgs get a1 b2',
    'kith: organizations get takes 1 argument, not 2.\nhint: Type: kith organizations get ID|DOMAIN|NAME\n',
  ],
  ['contacts list kim', 'kith: contacts list takes no name.\nhint: To find one: kith find kim\n'],
  ['lists list sales', 'kith: lists list takes no name.\nhint: To show one: kith lists get sales\n'],
  ['version x', 'kith: version takes no argument.\nhint: See `kith version --help`.\n'],
  ['contacts list --limit', 'kith: Missing value: --limit N\nhint: See `kith contacts list --help`.\n'],
  ['entries get x', 'kith: Missing required argument: ID\nhint: Type: kith entries get [LIST] ID\n'],
  ['keys create', 'kith: Missing required argument: NAME\nhint: Type: kith keys create NAME\n'],
  [
    'custom-fields create --name x',
    'kith: Missing required option: --model MODEL\nhint: Type: kith custom-fields create NAME --model MODEL\n',
  ],
  ['events export', 'kith: Missing required option: --out DIR\n'],
  [
    'events export status x --full',
    'kith: Unknown option: --full\nhint: See `kith meetings export status --help`.\n',
  ],
  ['contacts xyzzy x', 'kith: Unknown command: xyzzy\nhint: See `kith contacts --help`.\n'],
  ['events export verify x --settle many', 'kith: --settle: "many" is not an integer from 0 to 3650.\n'],
  ...['__proto__', 'constructor'].map((name): [string, string] => [
    `auth login --local --demo --profile ${name}`,
    `kith: --profile: "${name}" is not a valid profile name.\n`,
  ]),
  ['auth login --demo', 'kith: --demo requires --local.\n'],
  ['auth login --local --key-stdin', 'kith: --key-stdin and --local cannot be used together.\n'],
  [
    'auth login',
    'kith: Missing required option: --base-url URL\nhint: For a workspace on this machine, run `kith auth login --local`.\n',
  ],
  ['repo clone x', 'kith: Unknown command: repo\nhint: See `kith help all`.\n'],
  ['contacts list --search kim', 'kith: Unknown option: --search\nhint: To find one: kith find kim\n'],
  ['help nouns', 'kith: Unknown command: nouns\nhint: Did you mean `kith notes`?\n'],
  ['help contacts lst', 'kith: Unknown command: lst\nhint: Did you mean `kith contacts list`?\n'],
  ['help xyzzy', 'kith: Unknown command: xyzzy\nhint: See `kith help all`.\n'],
])('%s is a usage error', async (line, err) => {
  expect(await createMachine()(line)).toEqual({ code: 2, out: '', err });
});

const watchHint = 'hint: Use the program `watch`, such as: watch -n 30 kith meetings list --today\n';

test.each([
  ['contacts list --watch 5', `kith: Unknown option: --watch\n${watchHint}`],
  ['lists report x --watch=5', `kith: Unknown option: --watch=5\n${watchHint}`],
  [
    'workspace snapshot copy.sqlite',
    'kith: Unknown command: snapshot\nhint: Use `kith workspace copy FROM TO`, which copies a workspace that is in use, too.\n',
  ],
  [
    'schedule print --daily 07:30 -- lists list',
    'kith: Unknown command: print\nhint: To see the files and the lines of the crontab: kith schedule install NAME --dry-run [flags]\n',
  ],
  [
    'schedule test -- lists list',
    'kith: Unknown command: test\nhint: Install the schedule, then run it with `kith schedule run NAME`.\n',
  ],
  [
    'schedule install x --hourly 0 --ping https://ping.example.com/x -- lists list',
    'kith: Unknown option: --ping\nhint: Use --on-failure with curl. For a ping after a successful run, see `kith help scripting`.\n',
  ],
])('%s, which an earlier version had, says what to use instead', async (line, err) => {
  expect(await createMachine()(line)).toEqual({ code: 2, out: '', err });
});

test.each([
  ['contacts list', {}, `kith: You are not signed in to a workspace.\n${signIn}`],
  ['--profile get contacts list', {}, `kith: Profile "get" not found.\n${signIn}`],
  ['auth logout', {}, 'kith: You are not signed in to a workspace.\n'],
])('%s with %o prints how to sign in and exits with 4', async (line, env, err) => {
  expect(await createMachine()(line, { env })).toEqual({ code: 4, out: '', err });
});

test.each([
  ['contacts get nope', 'kith: No contact has the id or name "nope".\nhint: kith contacts list\n'],
  ['contacts find --phone 555', 'kith: No contact has the phone number "555".\n'],
  [
    'contacts find --email nobody@nowhere.example',
    'kith: No contact has the email address "nobody@nowhere.example".\n',
  ],
  [
    'entries list "No such list"',
    'kith: No list or process has the id or name "No such list".\nhint: kith lists list\n',
  ],
  ['events get zzz', 'kith: No meeting has the id or title "zzz".\nhint: kith meetings list\n'],
  [
    'recordings transcript zzz',
    'kith: No recording has the id "zzz". No meeting has the id or title "zzz".\nhint: kith meetings list\n',
  ],
])('%s is not found', async (line, err) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({ code: 3, out: '', err });
});

test('a failure with --json is an object on stderr', async () => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith('contacts get nope --json');
  expect({ code, out, err: JSON.parse(err) }).toEqual({
    code: 3,
    out: '',
    err: {
      error: {
        code: 'not_found',
        message: 'No contact has the id or name "nope".',
        status: 404,
        method: 'GET',
        path: '/v1/contacts/nope',
        details: [],
        exit_code: 3,
        hint: 'kith contacts list',
        command: 'kith contacts list',
        retryable: false,
      },
    },
  });
});

test('reports a conflict of --format with --json as JSON', async () => {
  const { code, err } = await createMachine()('contacts list --json --format csv');
  expect({ code, err: JSON.parse(err) }).toEqual({
    code: 2,
    err: {
      error: {
        code: 'usage',
        message: '--json and --format csv cannot be used together.',
        details: [],
        exit_code: 2,
        retryable: false,
      },
    },
  });
});

test.each([[''], ['--help'], ['-h'], ['help']])('kith %s prints the first screen', async (line) => {
  const { code, out, err } = await createMachine()(line);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^Usage: kith NOUN VERB [\s\S]*\n {2}kith today [\s\S]*\n {2}kith help all /);
  expect(out.split('\n').length).toBeLessThanOrEqual(32);
});

test('help all lists every command and topic', async () => {
  const { code, out } = await createMachine()('help all');
  const terms = Array.from(out.matchAll(/^ {2}(kith help )?([a-z-]+)/gm), ([, , name]) => name);
  expect(code).toBe(0);
  expect(terms).toEqual([
    ...commandTree.map(({ name }) => name),
    ...Object.keys(topics).filter((name) => name !== 'all'),
  ]);
});

test.each(['agents', 'brief', 'meetings', 'search'])(
  'help %s prints the guide, and names the help of the commands',
  async (name) => {
    const { out } = await createMachine()(`help ${name}`);
    expect(out).toMatch(/^Commands: kith [a-z]+ --help\n\n[A-Z -]+\n\n/);
    expect(out.length).toBeGreaterThan(3000);
  },
);

test.each([['contacts'], ['contacts --help'], ['help contacts']])(
  '%s prints the help of the noun',
  async (line) => {
    const { code, out, err } = await createMachine()(line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Usage: kith contacts [\s\S]*\n {2}find /);
  },
);

test('the help of each noun begins with two to four examples of different commands', async () => {
  const kith = createMachine();
  for (const entry of commandTree) {
    const commands = await entry.commands();
    if (commands[0]?.name === entry.name) continue;
    const { out } = await kith(`${entry.name} --help`, { terminal: 40 });
    const [, lines = ''] = /\n\nExamples:\n([\s\S]*?)\n\nCommands:\n[\s\S]*\nOptions:\n/.exec(out) ?? [];
    const examples = lines.split('\n').map((line) => line.replace('  $ kith ', ''));
    const names = entry.featured ?? commands.slice(0, 3).map(({ name }) => name);
    const featured = commands.filter(({ name }) => names.includes(name));
    expect({ noun: entry.name, examples }).toEqual({
      noun: entry.name,
      examples: featured.map((command) => command.examples[0]),
    });
    expect(featured).toHaveLength(names.length);
    expect([2, 3, 4]).toContain(featured.length);
  }
});

test('the help of a command is its usage, a sentence, examples, details and flags', async () => {
  const { out } = await createMachine()('contacts find --help');
  expect(out).toMatch(
    /^Usage: .*\n\nFind a contact.*\.\n\nExamples:\n {2}\$ kith contacts find [\s\S]*\n\nPhone numbers [\s\S]*\n\nOptions:\n {2}--email <ADDRESS> [\s\S]*\n\nLists:\n {2}--page-size[\s\S]*\n\nShared flags: kith help flags\n/,
  );
  expect((await createMachine()('help contacts find')).out).toBe(out);
});

test('paragraphs of help have at most three lines', async () => {
  const long: string[] = [];
  for (const { name, commands } of commandTree)
    for (const command of await commands()) {
      const line = name === command.name ? name : `${name} ${command.name}`;
      const { out } = await createMachine()(`${line} --help`);
      const paragraphs = out.split('\n\n').filter((part) => !/^(Usage|Examples|[A-Z]\w+):/.test(part));
      if (paragraphs.some((part) => part.split('\n').length > 3)) long.push(line);
    }
  expect(long).toEqual([]);
});

test.each(['', 'help all', 'contacts --help', 'today --help', 'contacts list --help', 'help import'])(
  'kith %s ends with where documents and issues are',
  async (line) => {
    const { out } = await createMachine()(line);
    expect(out.endsWith(`\nDocs and issues: ${homepage}\n`)).toBe(true);
    expect(bugs).toBe(`${homepage}/issues`);
  },
);

test('help exit-codes lists every code', async () => {
  const { out } = await createMachine()('help exit-codes', { terminal: 200 });
  for (const [code, meaning] of Object.entries(exitCodes))
    expect(out).toContain(`  ${code.padEnd(3)}  ${meaning}\n`);
});

test.each([
  ['contacts help create', 'contacts create --help'],
  ['orgs help find', 'organizations find --help'],
  ['events help export status', 'events export status --help'],
  ['contacts help', 'contacts --help'],
])('%s prints the same as %s', async (line, expected) => {
  const kith = createMachine();
  const result = await kith(line);
  expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: kith /) });
  expect(result).toEqual(await kith(expected));
});

test('search help searches for the word', async () => {
  expect((await createMachine()('search help')).out).not.toContain('Usage:');
});

test.each([
  ['opportunities ls --limit 5', 'kith deals list --limit 5'],
  ['contacts open 0rlnky', 'kith contacts show 0rlnky'],
  ['deals overdue', 'kith deals list --overdue'],
  ['summary latest', 'kith meetings summary latest'],
  ['customers jiwoo', 'kith contacts show jiwoo'],
  ['contacts export c.csv', 'kith contacts list --all --output c.csv'],
  ['contacts export -o c.csv --quiet', 'kith contacts list --all -o c.csv --quiet'],
  ['contacts updat x --first-name Kim', 'kith contacts update x --first-name Kim'],
  ['notes list hanbit', 'kith notes list --organization hanbit'],
  ['export contacts c.csv', 'kith contacts list --all --output c.csv'],
  ['get contacts', 'kith contacts list'],
  ['get contact jiwoo', 'kith contacts get jiwoo'],
  ['contacts add Jane Doe', "kith contacts create 'Jane Doe'"],
  ['push folder', 'kith workspace push folder'],
  ['tasks', 'kith actions'],
  ['list people', 'kith contacts list'],
  ['add contact --first-name Ada', 'kith contacts create --first-name Ada'],
  ['edit contacts 0rlnky', 'kith contacts edit 0rlnky'],
  ['-q pipeline view x', 'kith -q lists get x'],
  ['login --local', 'kith auth login --local'],
  ['contacts delete x --force', '--yes'],
  ['contacts list --csv', '--format csv'],
])('suggests the words of kith for %s', async (line, suggestion) => {
  const { code, err } = await createMachine()(line);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining(`\nhint: Did you mean \`${suggestion}\`?\n`),
  });
});

test.each([
  ['contacts updat x', 'Type: kith contacts update ID|EMAIL|PHONE|NAME [flags]'],
  ['pipelines report', 'Type: kith lists report LIST [flags]'],
  ['opportunities add', 'See `kith deals add --help`.'],
])('%s has the form of the command, because a suggestion would not run', async (line, form) => {
  const { err } = await createMachine()([...line.split(' '), '--json']);
  expect(JSON.parse(err).error).toMatchObject({ hint: form, code: 'usage' });
  expect(JSON.parse(err).error.command ?? '').not.toMatch(/[A-Z]/);
});

test('a word that reads never suggests a command that writes', async () => {
  const kith = createMachine();
  const words = 'export read show grep find report status diff next print history'.split(' ');
  for (const { name, commands } of [{ name: '', commands: async () => [] }, ...commandTree])
    for (const word of words) {
      const verbs = (await commands()).map(({ name }) => name.split(' ', 1)[0]);
      if (verbs.includes(word) || verbs.includes(name)) continue;
      const { err } = await kith(`${name} ${word} x --json`);
      const { hint } = JSON.parse(err).error;
      const [, noun, verb] = /kith (\S+) (\S+)/.exec(hint) ?? [];
      const suggested = await findEntry(commandTree, noun)?.commands();
      const command = suggested?.find(({ name }) => name === noun || name === verb);
      expect({ hint, isWrite: command !== undefined && isWrite(command) }).toEqual({ hint, isWrite: false });
    }
});

test.each(['constructor', 'contacts toString x', 'hasOwnProperty x', 'contacts list --valueOf'])(
  '%s has no suggestion',
  async (line) => {
    expect((await createMachine()(line)).err).toMatch(/^kith: Unknown (command|option): .*\nhint: See `kith/);
  },
);
