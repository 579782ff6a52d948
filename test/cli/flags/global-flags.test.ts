import { expect, test } from 'vitest';
import { formatCommandName } from '../../../src/cli/command/command.ts';
import { commandTree } from '../../../src/commands/tree.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';

/** Global flags that only some commands take (cli.md, "Global flags"). */
const kinds = {
  records: ['--fields', '--no-header', '--bom'],
  http: ['--base-url', '--timeout', '--retries', '--max-wait', '--offline'],
  limit: ['--limit'],
  list: ['--all', '--after'],
  pages: ['--page-size'],
  write: ['--dry-run'],
  delete: ['--yes'],
} as const;

/** Those that each command takes. */
const acceptedFlags: Readonly<Record<string, string>> = {
  'actions done ID': 'http write delete',
  'actions list': 'records http limit list pages',
  'actions reopen ID': 'http write delete',
  'agents install': 'records delete',
  'agents list': 'records',
  'agents remove': 'records delete',
  'agents show': '',
  'alias delete NAME': '',
  'alias list': 'records',
  'alias set NAME COMMAND': '',
  'api PATH': 'http write delete',
  'auth list': 'records',
  'auth login': 'http',
  'auth logout': 'delete',
  'auth status': 'records http',
  'auth switch PROFILE': '',
  'batch FILE': 'records http write delete',
  commands: 'records',
  'completion bash': '',
  'config get limit': '',
  'config list': 'records',
  'config path': '',
  'config set limit 5': '',
  'config unset limit': '',
  'contacts create': 'records http write delete',
  'contacts delete ID': 'records http write delete',
  'contacts duplicates': 'records http limit list pages',
  'contacts edit ID': 'records http write delete',
  'contacts find': 'records http pages',
  'contacts get ID': 'records http',
  'contacts import FILE': 'http write delete',
  'contacts list': 'records http limit list pages',
  'contacts merge KEEP OTHER': 'records http write delete',
  'contacts remove-emails ID EMAIL': 'records http write delete',
  'contacts show ID': 'http limit pages',
  'contacts update ID': 'records http write delete',
  'contacts upsert': 'records http write delete',
  'custom-fields create NAME --model deal': 'records http write delete',
  'custom-fields delete ID': 'records http write delete',
  'custom-fields edit ID': 'records http write delete',
  'custom-fields get ID': 'records http',
  'custom-fields list': 'records http limit list pages',
  'custom-fields update ID': 'records http write delete',
  'deals add': 'records http write delete',
  'deals delete ID': 'records http write delete',
  'deals edit ID': 'records http write delete',
  'deals get ID': 'records http',
  'deals import FILE': 'http write delete',
  'deals list': 'records http limit list pages',
  'deals move ID STATUS': 'records http write delete',
  'deals report': 'records http',
  'deals show ID': 'http limit pages',
  'deals update ID': 'records http write delete',
  doctor: 'records http',
  'entries add LIST': 'records http write delete',
  'entries delete LIST ID': 'records http write delete',
  'entries edit LIST ID': 'records http write delete',
  'entries get LIST ID': 'records http',
  'entries import LIST FILE': 'http write delete',
  'entries list LIST': 'records http limit list pages',
  'entries show LIST ID': 'http limit pages',
  'entries update LIST ID': 'records http write delete',
  'meetings export': 'http delete',
  'meetings export status DIR': '',
  'meetings export verify DIR': 'http',
  'meetings get ID': 'records http',
  'meetings grep PATTERN': 'records http',
  'meetings list': 'records http limit list pages',
  'meetings show ID': 'http',
  'meetings summary ID': 'http',
  'meetings transcript ID': 'http',
  'index clear': 'http',
  'index status': 'records http',
  'index update': 'http',
  'keys create NAME': 'records',
  'keys list': 'records',
  'keys revoke ID': 'records delete',
  'lists create NAME': 'records http write delete',
  'lists delete ID': 'records http write delete',
  'lists edit ID': 'records http write delete',
  'lists get ID': 'records http',
  'lists list': 'records http limit list pages',
  'lists report LIST': 'records http',
  'lists update ID': 'records http write delete',
  mcp: 'http',
  migrate: 'records write delete',
  'notes create': 'records http write delete',
  'notes delete ID': 'records http write delete',
  'notes edit ID': 'records http write delete',
  'notes get ID': 'records http',
  'notes import FILE': 'http write delete',
  'notes list': 'records http limit list pages',
  'notes update ID': 'records http write delete',
  'organizations create': 'records http write delete',
  'organizations delete ID': 'records http write delete',
  'organizations duplicates': 'records http limit list pages',
  'organizations edit ID': 'records http write delete',
  'organizations find': 'records http pages',
  'organizations get ID': 'records http',
  'organizations import FILE': 'http write delete',
  'organizations list': 'records http limit list pages',
  'organizations merge KEEP OTHER': 'records http write delete',
  'organizations remove-domains ID DOMAIN': 'records http write delete',
  'organizations show ID': 'http limit pages',
  'organizations update ID': 'records http write delete',
  'organizations upsert': 'records http write delete',
  'recordings get ID': 'records http',
  'recordings summary ID': 'http',
  'recordings transcript ID': 'http',
  redo: 'http write delete',
  report: 'records http',
  'schedule install NAME JOB': 'write delete',
  'schedule list': 'records',
  'schedule remove NAME': 'write delete',
  'schedule run NAME': '',
  schema: 'records',
  'search WORDS': 'records http limit list pages',
  serve: '',
  today: 'records http limit pages',
  undo: 'http write delete',
  version: '',
  'workspace backup DIR': 'http',
  'workspace checkout DIR': 'http delete',
  'workspace copy FROM TO': 'records http write delete',
  'workspace diff A B': 'records http',
  'workspace import-events FILE': 'records',
  'workspace import-recording ID FILE': 'records',
  'workspace push DIR': 'records http write delete',
  'workspace pull': 'http',
  'workspace remove-recording ID': 'records write delete',
  'workspace status DIR': 'records http',
  'workspace verify ARCHIVE': '',
};

const stripArguments = (line: string) => line.replace(/( [A-Z]+| limit| bash| 5| --model deal)+$/, '');

test('covers every command', async () => {
  const names = await Promise.all(
    commandTree.map(async (entry) => {
      return (await entry.commands()).map((command) => formatCommandName(entry, command));
    }),
  );
  expect(Object.keys(acceptedFlags).map(stripArguments).toSorted()).toEqual(names.flat().toSorted());
});

const values: Readonly<Record<string, string>> = { '--fields': 'id', '--base-url': 'https://x.example' };
/** Those that every command accepts: they say nothing about which records it reads, prints or writes. */
const tolerated = new Set([
  ...['--no-header', '--bom', '--timeout', '--retries', '--max-wait', '--page-size', '--yes'],
]);

const isFlag = new Set(['--no-header', '--bom', '--all', '--dry-run', '--yes', '--offline']);

/** Whether `kith help flags` lists the flags of a kind, instead of the help of each command. */
const isShared = (kind: string) => ['records', 'http'].includes(kind);

test.each(Object.entries(acceptedFlags))(
  '%s lists or accepts these global flags, and rejects others that it cannot do: %s',
  async (line, list) => {
    const kith = createMachine();
    const { out } = await kith(`${stripArguments(line)} --help`);
    for (const [kind, flags] of Object.entries(kinds)) {
      const isAccepted = list.split(' ').includes(kind);
      for (const flag of flags) {
        const isListed = new RegExp(`^ +(-\\w, )?${flag}(?![\\w-])`, 'm').test(out);
        expect({ flag, isListed }).toEqual({ flag, isListed: isAccepted && !isShared(kind) });
        if (isAccepted && !isShared(kind)) continue;
        const typed = `${flag} ${isFlag.has(flag) ? '' : (values[flag] ?? '5')}`;
        const isTolerated = tolerated.has(flag) && !/^schedule (install|print|test) /.test(line);
        const reason =
          isAccepted || isTolerated
            ? '--format: "x" is not one of'
            : `${flag} is not supported by \`kith ${stripArguments(line)}\`.`;
        // The second problem ends a command that accepts the flag.
        const { code, err } = await kith(`${typed} --format x ${line}`);
        expect({ flag, code, err }).toEqual({ flag, code: 2, err: expect.stringContaining(reason) });
      }
    }
  },
);

test.each([
  ['contacts find --email a@x.example --page-size 5', 3, '/v1/contacts?email=a%40x.example&first=5'],
  ['organizations find --name Acme --page-size 5', 3, '/v1/organizations?first=5&after=0'],
  ['contacts list --where "Level = 1" --page-size 5', 2, '/v1/custom_fields?first=5&after=0'],
])('%s reads pages of the size in --page-size', async (line, code, path) => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 200, { data: [] }));
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  expect((await createMachine()(line, { env })).code).toBe(code);
  expect(requests.map(({ url }) => url)).toEqual([path]);
});

test('auth logout --yes removes the profile', async () => {
  const kith = createMachine();
  await kith('auth login --local');
  expect(await kith('auth logout --yes')).toMatchObject({ code: 0, err: '' });
  expect((await kith('auth list --no-header')).out).toBe('');
});

test.each([
  ['config path', '--yes --timeout 5 --retries 1 --max-wait 5 --page-size 5 --no-header --wide --bom'],
  ['lists list', '--yes'],
])('%s accepts shared flags that change nothing: %s', async (line, flags) => {
  const kith = createDemoMachine();
  const plain = await kith(line);
  expect(plain.code).toBe(0);
  expect(await kith(`${line} ${flags}`)).toEqual(plain);
});

test('--quiet suppresses the message of a command that has no other output, but not its JSON', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  for (const line of [
    'auth switch demo',
    `auth login --local --database ${folder}/new.sqlite --profile new`,
    'config set limit 7',
    'config unset limit',
    'alias set mine "contacts list"',
    'alias delete mine',
    'index update --profile demo',
    'index clear --profile demo',
  ])
    expect.soft({ line, ...(await kith(`${line} -q`)) }).toEqual({ line, code: 0, out: '', err: '' });
  expect(await kith('auth switch demo -q --json')).toMatchObject({ out: '{\n  "profile": "demo"\n}\n' });
  expect((await kith('auth switch demo')).out).toBe('Switched to profile demo.\n');
  expect(await kith('auth logout --profile new -q')).toEqual({ code: 0, out: '', err: '' });
});

test('an accepted flag that changes nothing has a valid value', async () => {
  expect(await createMachine()('config path --timeout soon')).toMatchObject({
    code: 2,
    err: 'kith: --timeout: "soon" is not an integer from 1 to 3600.\n',
  });
});

test.each(['--no-header', '--wide', '--bom'])('%s changes nothing in JSON', async (flag) => {
  const kith = createDemoMachine();
  const plain = await kith('lists list --json');
  expect(plain.code).toBe(0);
  expect(await kith(`lists list --json ${flag}`)).toEqual(plain);
});

test('-v is --debug before or after a command, and prints the version if it is alone', async () => {
  const kith = createDemoMachine();
  for (const line of ['lists list -v', '-v lists list', 'lists list -qv'])
    expect((await kith(line)).err).toContain('kith: GET /v1/lists');
  expect(await kith('-v')).toEqual({ code: 0, out: '0.0.0\n', err: '' });
  expect(await kith('help -v')).toEqual(await kith('--help'));
});
