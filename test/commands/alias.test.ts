import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCompleter } from '../completion/machine.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../support/kith.ts';

const open = `entries list "Sales pipeline" --status Proposal`;

/** A machine with the sample workspace and some aliases. */
async function createMachineWithAliases(aliases: Readonly<Record<string, string>>) {
  const kith = createDemoMachine();
  for (const [name, command] of Object.entries(aliases))
    expect(await kith(['alias', 'set', name, command])).toMatchObject({ code: 0, err: '' });
  return kith;
}

test('an alias runs its command, with the other arguments appended', async () => {
  const kith = await createMachineWithAliases({ open });
  const expected = await kith(`${open} --json --limit 2`);
  expect(expected).toMatchObject({ code: 0, out: expect.stringContaining('"id"') });
  expect(await kith('open --json --limit 2')).toEqual(expected);
  expect(await kith('alias list')).toMatchObject({ out: `name\tcommand\nopen\t${open}\n` });
});

test('placeholders take arguments as whole words, in any order and repeatedly', async () => {
  const kith = await createMachineWithAliases({
    person: 'kith contacts find --email $1@hanbit-cold.example',
    move: 'contacts create --last-name $2 --first-name "$1 $2" --dry-run --jq .body',
  });
  expect((await kith('person jiwoo.kim --json --jq length')).out).toBe('1\n');
  expect(JSON.parse((await kith(['move', 'Ada M.', '$1', '--email', 'a@b.example'])).out)).toEqual({
    emails: ['a@b.example'],
    first_name: 'Ada M. $1',
    last_name: '$1',
  });
  expect(await kith('move Ada')).toMatchObject({
    code: 2,
    err: expect.stringMatching(
      /^kith: The alias move \(contacts create .*\) requires 2 arguments, not 1\.\n$/,
    ),
  });
});

test('--help and help print the help of the command', async () => {
  const kith = await createMachineWithAliases({ open, person: 'contacts find --email $1@x.example' });
  const help = await kith('contacts find --help');
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining('Usage: kith contacts find') });
  for (const line of ['person --help', 'person -h', 'help person']) expect(await kith(line)).toEqual(help);
  expect(await kith('open --help')).toEqual(await kith('entries list --help'));
});

test('set replaces an alias and reports the old command; delete removes it', async () => {
  const kith = await createMachineWithAliases({ open });
  expect(await kith(['alias', 'set', 'open', 'lists list'])).toEqual({
    code: 0,
    out: 'Alias open set to: lists list\n',
    err: `kith: It previously ran: ${open}\n`,
  });
  expect((await kith('open --jq length')).out).toBe((await kith('lists list --jq length')).out);
  expect((await kith('alias delete open')).out).toBe('Deleted alias open: lists list\n');
  expect(await kith('alias delete open')).toEqual({
    code: 3,
    out: '',
    err: 'kith: Alias "open" not found.\nhint: There are no aliases.\n',
  });
  expect(await kith('alias list --json')).toEqual({ code: 0, out: '[]\n', err: '' });
  expect(await kith('open')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Unknown command: open'),
  });
});

test.each([
  ['contacts', 'lists list', '"contacts" is a kith command, which an alias cannot replace.'],
  ['orgs', 'lists list', '"orgs" is a kith command'],
  ['help', 'lists list', '"help" is a kith command'],
  ['complete', 'lists list', '"complete" is a kith command'],
  ['my alias', 'lists list', '"my alias" is not a valid name for an alias.'],
  ['__proto__', 'lists list', '"__proto__" is not a valid name'],
  ['x', '!rm -rf /', 'An alias cannot run a shell or another program.'],
  ['x', 'open', '"open" is not a kith command. An alias must begin with a noun and a verb.'],
  ['x', 'contacts lst', '"contacts lst" is not a kith command.'],
  ['x', 'contacts', '"contacts" is not a kith command.'],
  ['x', '', '"" is not a kith command.'],
  ['x', '--json lists list', '"--json" is not a kith command.'],
  ['x', 'notes list --where "a', 'an unclosed quote'],
  ['x', 'serve --database postgres://u:correct-horse@db/x', 'The command contains a password'],
])('refuses alias set %j %j', async (name, command, message) => {
  const kith = await createMachineWithAliases({ open });
  const { code, out, err } = await kith(['alias', 'set', '--', name, command]);
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
  expect(err).not.toContain('correct-horse');
  expect((await kith('alias list --jq length')).out).toBe('1\n');
});

test('an alias is expanded once, and a command has priority', async () => {
  const folder = createTemporaryFolder();
  const aliases = { loop: 'loop', lists: 'contacts list', constructor: 'alias list' };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles: {}, aliases }), { mode: 0o600 });
  const kith = createMachine(folder);
  expect(await kith('loop')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Unknown command: loop'),
  });
  expect((await kith('lists --help')).out).toContain('kith lists');
  expect((await kith('constructor --no-header')).out).toContain('loop\tloop\n');
  expect(await kith('toString')).toMatchObject({ code: 2, err: expect.stringContaining('toString') });
});

test('a misspelled word suggests aliases and commands', async () => {
  const kith = await createMachineWithAliases({ lista: 'lists list' });
  expect((await kith('listx')).err).toBe(
    'kith: Unknown command: listx\nhint: Did you mean `kith lists` or `kith lista`?\n',
  );
  expect((await kith('contcts')).err).toContain('Did you mean `kith contacts`?');
});

test('a failure is JSON if the alias asks for it', async () => {
  const kith = await createMachineWithAliases({ one: 'contacts get $1 --json' });
  expect(JSON.parse((await kith('one nobody')).err).error.code).toBe('not_found');
});

test('a schedule has the command of an alias', async () => {
  const kith = await createMachineWithAliases({ nightly: 'events export --out $1 --quiet' });
  const line = 'schedule install x --dry-run --daily 07:30 --for systemd -- nightly meetings';
  const { code, out } = await kith(line, { env: { HOME: createTemporaryFolder() } });
  expect(code).toBe(0);
  expect(out).toContain('"events","export","--out","/home/ada/work/meetings","--quiet"');
});

test('damaged settings are reported instead of an unknown command, and aliases survive other changes', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  await kith(['alias', 'set', 'all', 'lists list --all']);
  await kith('config set limit 5');
  expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))).toMatchObject({
    aliases: { all: 'lists list --all' },
    defaults: { limit: '5' },
  });
  writeFileSync(join(folder, 'config.json'), '{');
  expect(await kith('all')).toMatchObject({ code: 1, err: expect.stringContaining('it is not JSON') });
});

test('the completion of alias delete offers aliases', async () => {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  for (const name of ['open', 'all']) await kith(['alias', 'set', name, 'lists list']);
  expect(createCompleter(folder)('aliases')).toEqual(['open', 'all']);
});

test.each(['', "contacts list 'a"])('refuses the command %j, which was stored by hand', async (command) => {
  const folder = createTemporaryFolder();
  const aliases = { broken: command };
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ profiles: {}, aliases }));
  expect(await createMachine(folder)('broken lists list')).toEqual({
    code: 2,
    out: '',
    err: `kith: The alias broken (${command}) has no command or an unclosed quote.\nhint: kith alias delete broken\n`,
  });
});
