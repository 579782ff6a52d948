import { expect, test } from 'vitest';
import { toCommandWords } from '../../src/cli/words.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { createDemoMachine, createMachine } from '../support/kith.ts';

/** Returns the words of the command that a line stands for. */
const convert = async (line: string) => (await toCommandWords(commandTree, line.split(' '))).join(' ');

test.each([
  ['people list --limit 5', 'contacts list --limit 5'],
  ['companies', 'organizations'],
  ['find cold room', 'search cold room'],
  ['contact list', 'contacts list'],
  ['note view x', 'notes get x'],
  ['deal ls', 'deals list'],
  ['meeting view latest', 'meetings show latest'],
  ['contacts rm 0rlnky', 'contacts delete 0rlnky'],
  ['contacts new', 'contacts create'],
  ['contacts add --first-name Ada', 'contacts create --first-name Ada'],
  ['deals new', 'deals add'],
  ['deals create', 'deals add'],
  ['contacts jiwoo', 'contacts show jiwoo'],
  ['orgs hanbit --json', 'orgs show hanbit --json'],
  ['lists Newsletter', 'lists get Newsletter'],
  ['events next', 'events show next'],
  ['DEAL-73', 'entries show DEAL-73'],
  ['DEAL-1', 'entries show DEAL-1'],
  ['ada@a.example --json', 'contacts show ada@a.example --json'],
  ['010-5550-1234', 'contacts show 010-5550-1234'],
  ['hanbit-cold.example', 'organizations show hanbit-cold.example'],
  ['deals --overdue', 'deals list --overdue'],
  ['deals --json', 'deals list --json'],
  ['contacts --where x', 'contacts list --where x'],
  ['help people view', 'help contacts show'],
])('%s stands for %s', async (line, expected) => {
  expect(await convert(line)).toBe(expected);
});

test.each([
  'contacts',
  'contacts --json',
  'contacts --help',
  'contacts --json list',
  'deals --help',
  'contacts lst',
  'contacts search kim',
  'contacts describe',
  'contacts organization',
  'list contacts',
  'jiwoo',
  'contcts',
  'poeple',
  '2026-11-28',
  'DEAL-73 Won',
  'search help',
  'config user',
  'auth demo',
])('%s stays as it is typed', async (line) => {
  expect(await convert(line)).toBe(line);
});

test.each(['contacts lst', 'deals overdue', 'contacts search kim'])(
  '%s is reported without a request',
  async (line) => {
    const { code, err } = await createMachine()(line);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^kith: Unknown command: /) });
  },
);

test('words, references and aliases may follow global flags', async () => {
  const kith = createDemoMachine();
  const people = await kith('contacts list --limit 1 --json');
  expect(await kith('--json people list --limit 1')).toEqual(people);
  expect(await kith('--limit 1 --json people ls')).toEqual(people);
  expect(await kith('--jq .entry.key --json DEAL-73')).toEqual(await kith('DEAL-73 --jq .entry.key'));
  await kith(`alias set deal7 'lists list'`);
  expect(await kith('--json deal7')).toEqual(await kith('lists list --json'));
  // A key is not a misspelled alias.
  expect((await kith('DEAL-73 --jq .entry.key')).out).toBe('DEAL-73\n');
});

test.each([
  ['peopel list', '`kith contacts list`'],
  ['companise', '`kith organizations` or `kith commands`'],
  ['findd kim', '`kith search kim`'],
])('%s is a misspelled word', async (line, expected) => {
  expect((await createMachine()(line)).err).toContain(`Did you mean ${expected}?`);
});

test('an alias wins over a new word, but not over an older command', async () => {
  const kith = createDemoMachine();
  const lists = await kith('lists list');
  for (const word of ['deals', 'report', 'find', 'people']) {
    expect((await kith(`alias set ${word} 'lists list'`)).code).toBe(0);
    expect(await kith(word)).toEqual(lists);
  }
  expect((await kith(`alias set meetings 'lists list'`)).code).toBe(2);
  expect((await kith(`alias set boss 'contacts $1'`)).code).toBe(0);
  expect(await kith('boss jiwoo --json')).toEqual(await kith('contacts show jiwoo --json'));
});

test('deals are the entries of --process, of the chosen process, or of the only one', async () => {
  const kith = createDemoMachine();
  expect(await kith('deals list')).toEqual({
    code: 2,
    out: '',
    err:
      "kith: There are 2 processes: 'Sales pipeline', 'Reseller program'.\n" +
      "hint: Pass --process 'Sales pipeline', or set the default: kith config set process 'Sales pipeline'\n",
  });
  const resellers = await kith('entries list "Reseller program" --json');
  expect(await kith('deals list --process "reseller program" --json')).toEqual(resellers);
  await kith('config set process "Reseller program"');
  expect(await kith('deals --json')).toEqual(resellers);
  expect(await kith('report --json')).toEqual(await kith('lists report "Reseller program" --json'));
  expect(await kith('report "Sales pipeline"')).toEqual(await kith('lists report "Sales pipeline"'));
  expect((await kith('deals move DEAL-73 won --jq .status')).out).toBe('Won\n');
  await kith('lists delete "Reseller program" --yes');
  expect(await kith('deals --json')).toEqual(await kith('entries list "Sales pipeline" --json'));
  const { id } = JSON.parse((await kith('deals get DEAL-73 --json')).out);
  expect((await kith(`deals show ${id} --jq .entry.key`)).out).toBe('DEAL-73\n');
  expect((await kith('deals move - Lost --yes', { stdin: `${id}\n` })).code).toBe(0);
  expect((await kith('deals get DEAL-73 --jq .status')).out).toBe('Lost\n');
});

test.each([
  ['add --process "Sales pipeline"', 'add "Sales pipeline"', '--organization rl16pk --status Lead'],
  ['update', 'update', 'DEAL-73 --status Won'],
  ['delete', 'delete', 'DEAL-73'],
])('deals %s sends what entries %s sends', async (deals, entries, rest) => {
  const kith = createDemoMachine();
  const result = await kith(`deals ${deals} ${rest} --dry-run`);
  expect(result).toMatchObject({ code: 0, out: expect.stringMatching(/^(POST|PATCH|DELETE) /) });
  expect(result).toEqual(await kith(`entries ${entries} ${rest} --dry-run`));
});
