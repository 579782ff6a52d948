import { expect, test } from 'vitest';
import type { CommandsDocument } from '../../../src/contract/documents/schemas.ts';
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

const { commands }: CommandsDocument = JSON.parse(
  (await createMachine('/dev/null/kith')('commands --json')).out,
);

/** Each command with its required arguments and options, and the global flags that it takes: test/stability.txt lists them. */
const lines = commands.map(({ path, arguments: args, flags, global_flags }) => {
  const required = args.filter((argument) => argument.required).map(({ choices }) => choices?.[0] ?? 'x');
  const options = flags
    .filter((flag) => flag.required)
    .map(({ name, choices }) => `${name} ${choices?.[0] ?? 'x'}`);
  return [path.join(' '), [...path, ...required, ...options].join(' '), global_flags] as const;
});

const values: Readonly<Record<string, string>> = { '--fields': 'id', '--base-url': 'https://x.example' };
/** Those that every command accepts: they say nothing about which records it reads, prints or writes. */
const tolerated = new Set([
  ...['--no-header', '--bom', '--timeout', '--retries', '--max-wait', '--page-size', '--yes'],
]);

const isFlag = new Set(['--no-header', '--bom', '--all', '--dry-run', '--yes', '--offline']);

/** Whether `kith help flags` lists the flags of a kind, instead of the help of each command. */
const isShared = (kind: string) => ['records', 'http'].includes(kind);

test.each(lines)(
  '%s lists or accepts its global flags, and rejects others that it cannot do',
  async (command, line, taken) => {
    const kith = createMachine();
    const { out } = await kith(`${command} --help`);
    for (const [kind, flags] of Object.entries(kinds))
      for (const flag of flags) {
        const isAccepted = taken.includes(flag);
        const isListed = new RegExp(`^ +(-\\w, )?${flag}(?![\\w-])`, 'm').test(out);
        expect({ flag, isListed }).toEqual({ flag, isListed: isAccepted && !isShared(kind) });
        if (isAccepted && !isShared(kind)) continue;
        const typed = `${flag} ${isFlag.has(flag) ? '' : (values[flag] ?? '5')}`;
        const isTolerated = tolerated.has(flag) && !/^schedule (install|print|test) /.test(line);
        const reason =
          isAccepted || isTolerated
            ? '--format: "x" is not one of'
            : `${flag} is not supported by \`kith ${command.replace(/^events/, 'meetings')}\`.`;
        // The second problem ends a command that accepts the flag.
        const { code, err } = await kith(`${typed} --format x ${line}`);
        expect({ flag, code, err }).toEqual({ flag, code: 2, err: expect.stringContaining(reason) });
      }
  },
);

test.each([
  ['contacts find --email a@x.example --page-size 5', 3, '/v1/contacts?email=a%40x.example&first=5'],
  ['organizations find --name Acme --page-size 5', 3, '/v1/organizations?first=5&after=0'],
  ['contacts list --where "Level = 1" --page-size 5', 2, '/v1/custom_fields?first=5&after=0'],
])('%s reads pages of the size in --page-size', async (line, code, path) => {
  const { requests, env } = await startTestService((_, response) => sendJson(response, 200, { data: [] }));
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
