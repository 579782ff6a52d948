import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { complete } from '../../src/completion/complete.ts';
import { loadSqlite } from '../../src/sqlite/engine.ts';
import {
  createDemoMachine,
  createLocalMachine,
  createMachine,
  createTemporaryFolder,
} from '../support/kith.ts';
import { createCompleter, listNamed } from './machine.ts';

/** Creates a workspace with contacts, and a function that completes their names. */
async function createContacts(contacts: readonly (readonly [first: string, last: string, email?: string])[]) {
  const folder = createTemporaryFolder();
  const kith = createLocalMachine(folder);
  for (const [first, last, email] of contacts) {
    const flags = [...(last ? ['--last-name', last] : []), ...(email ? ['--email', email] : [])];
    await kith(['contacts', 'create', '--first-name', first, ...flags]);
  }
  const find = createCompleter(folder);
  return { folder, kith, find: (word: string) => find('contacts', { word }) };
}

test('completes a contact by either part of the name, in any case, and by email address', async () => {
  const { find } = await createContacts([
    ['Ada', 'Lovelace', 'countess@engine.example'],
    ['도현', '박', 'dohyun@hanbit.example'],
    ['Bob', ''],
    ['Mary Ann', 'van Dam'],
  ]);
  expect(find('ada L')).toEqual(['Ada Lovelace\tcountess@engine.example']);
  expect(find('love')).toEqual(['Lovelace Ada\tcountess@engine.example']);
  expect(find('COUNT')).toEqual(['countess@engine.example\tAda Lovelace']);
  expect(find('박도')).toEqual(['박도현\tdohyun@hanbit.example']);
  expect(find('도')).toEqual(['도현 박\tdohyun@hanbit.example']);
  expect(find('Bob')).toEqual(['Bob']);
  expect(find('mary ann V')).toEqual(['Mary Ann van Dam']);
  expect(find('van dam mary')).toEqual(['van Dam Mary Ann']);
  expect(find('x')).toEqual([]);
});

test('completes the names of installed schedules', () => {
  const folder = createTemporaryFolder();
  const complete = createCompleter(folder);
  expect(complete('schedules')).toEqual([]);
  mkdirSync(join(folder, 'schedules'));
  for (const file of ['nightly.json', 'nightly.last-run.json', 'nightly.log', 'index.json'])
    writeFileSync(join(folder, 'schedules', file), '');
  expect(complete('schedules').sort()).toEqual(['index', 'nightly']);
  expect(complete('schedules', { word: 'ni' })).toEqual(['nightly']);
});

test('a name of several contacts is offered once, and wildcards are plain characters', async () => {
  const { find, folder, kith } = await createContacts([
    ['Kim', 'Lee', 'a@x.example'],
    ['Kim', 'Lee', 'b@x.example'],
    ['100%', 'A_b'],
    ['1000', 'Acb'],
    ['a\\b', ''],
  ]);
  expect(find('Kim')).toEqual(['Kim Lee\t2 contacts']);
  expect(find('100%')).toEqual(['100% A_b']);
  expect(find('A_')).toEqual(['A_b 100%']);
  expect(find('a\\')).toEqual(['a\\b']);
  for (const name of ['A_b', 'Acb', '50%', '500']) await kith(['organizations', 'create', '--name', name]);
  const findOrganization = (word: string) => createCompleter(folder)('organizations', { word });
  expect(findOrganization('a_')).toEqual(['A_b']);
  expect(findOrganization('50%')).toEqual(['50%']);
});

test('offers no name that a terminal cannot show or that would be a flag, and sanitizes descriptions', async () => {
  const { find, kith } = await createContacts([
    ['Evil\u001b[2J', ''],
    ['Two\nlines', ''],
    ['--all', ''],
  ]);
  await kith(['contacts', 'create', '--first-name', 'X\u009b', '--email', 'evil@x.example']);
  expect(find('')).toEqual([]);
  expect(find('evil')).toEqual(['evil@x.example\tX\\x9b']);
});

test('offers the newest 50 contacts if nothing is typed', async () => {
  const folder = createTemporaryFolder();
  const kith = createLocalMachine(folder);
  const file = join(folder, 'people.ndjson');
  const rows = Array.from({ length: 120 }, (_, index) =>
    JSON.stringify({ email: `p${1000 + index}@x.example`, first_name: `P${1000 + index}` }),
  );
  writeFileSync(file, rows.join('\n'));
  expect((await kith(['contacts', 'import', file, '--concurrency', '1'])).code).toBe(0);
  const names = createCompleter(folder)('contacts').map((line) => line.split('\t')[0]);
  expect(names).toEqual(Array.from({ length: 50 }, (_, index) => `P${1070 + index}`));
});

test('completes lists, statuses, fields and options of the workspace that --profile names', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  await listNamed(kith);
  const find = createCompleter(folder);
  const list = 'sales PIPELINE';
  expect(find('statuses', { list, word: 'p' })).toEqual(['Proposal']);
  expect(find('statuses', { list: 'vy7gy3', word: 'p' })).toEqual(['Proposal']);
  expect(find('statuses', { list: 'deal-73', word: 'p' })).toEqual(['Proposal']);
  expect(find('statuses', { list: 'DEAL' })).toEqual([]);
  expect(find('statuses', { list: 'Newsletter' })).toEqual([]);
  expect(find('statuses')).toEqual([]);
  expect(find('lists', { word: 'vy' })).toEqual(['vy7gy3\tSales pipeline']);
  const findStatuses = (word: string) => find('status-list', { command: 'entries list', list, word });
  expect(findStatuses('p')).toEqual(['Proposal']);
  expect(findStatuses('won,l')).toEqual(['won,Lead', 'won,Lost']);
  expect(findStatuses('Won,Lead,l')).toEqual(['Won,Lead,Lost']);
  expect(find('sort', { command: 'lists report', list, word: 'ro' })).toEqual(['Rooms']);
  expect(find('fields', { command: 'contacts update', word: 'b' })).toEqual(['Birthday=']);
  expect(find('fields', { command: 'orgs update', word: 'keeps cold=ch' })).toEqual([
    'keeps cold=Cheese',
    'keeps cold=Chocolate',
  ]);
  expect(find('fields', { command: 'orgs update', word: 'Keeps cold=ch' })).toEqual([
    'Keeps cold=Cheese',
    'Keeps cold=Chocolate',
  ]);
  expect(find('fields', { command: 'entries add', list, word: 'S' })).toEqual(['Source=']);
  expect(find('list-fields', { list, word: 'My column=S' })).toEqual(['My column=Source']);
  expect(find('sort', { command: 'entries list', list, word: 's' })).toEqual(['status', 'Source']);
  expect(find('columns', { command: 'contacts list', word: 'id,good' })).toEqual(['id,Good to know']);
  await kith(['custom-fields', 'create', 'Fee: a=b, c.d\\e', '--model', 'contact', '--type', 'text']);
  expect(find('columns', { command: 'contacts list', word: 'id,fee' })).toEqual([
    'id,Fee\\: a\\=b\\, c\\.d\\\\e',
  ]);
  const process = ['--entry-type', 'Contact', '--process', '--identifier', 'P', '--no-duplicates'];
  const statuses = ['--status', 'Live, paid:won', '--status', 'Open:active'];
  await kith(['lists', 'create', 'Partners', ...process, ...statuses]);
  expect(find('status-list', { list: 'Partners', word: 'open,l' })).toEqual(['open,Live\\, paid']);
  expect(find('status-list', { list: 'Partners', word: 'Live\\, paid,' })).toEqual(['Live\\, paid,Open']);
  expect(find('columns', { command: 'fields list', word: 'mod' })).toEqual(['model']);
  expect(find('lists', { profile: 'other' })).toEqual([]);
});

test('uses the last of several flags', async () => {
  const folder = createTemporaryFolder();
  await listNamed(createDemoMachine(folder));
  const words = ['--profile', 'other', 'complete', 'lists', '--word=N', '--profile=demo'];
  expect(complete(words, { env: { KITH_CONFIG_DIR: folder }, folder })).toBe('Newsletter\n');
});

test('a project file chooses the profile, unless the environment does', async () => {
  const folder = createTemporaryFolder();
  await listNamed(createDemoMachine(folder));
  const project = createTemporaryFolder();
  writeFileSync(join(project, '.kith.json'), '{"profile": "other"}');
  expect(createCompleter(folder, {}, project)('lists', { word: 'N' })).toEqual([]);
  expect(createCompleter(folder, { KITH_PROFILE: 'demo' }, project)('lists', { word: 'N' })).toEqual([
    'Newsletter',
  ]);
  expect(createCompleter(folder, {}, folder)('profiles')).toEqual(['demo']);
});

test('changes no file', async () => {
  const { folder, find } = await createContacts([['Ada', '']]);
  const hashFolder = () =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(parentPath, name)))
          .digest('hex'),
      ]);
  const before = hashFolder();
  expect(find('A')).toEqual(['Ada']);
  expect(hashFolder()).toEqual(before);
});

test('offers nothing without a workspace, or if the cache is missing, locked, damaged or not trusted', async () => {
  const { folder, find } = await createContacts([['Ada', '']]);
  expect(createCompleter(createTemporaryFolder())('contacts')).toEqual([]);
  expect(createCompleter(folder, { KITH_DATABASE_URL: join(folder, 'missing.sqlite') })('contacts')).toEqual(
    [],
  );
  const cache = join(folder, readdirSync(folder).find((name) => name.startsWith('names-')) ?? '');
  expect(statSync(cache).mode & 0o777).toBe(0o600);
  chmodSync(cache, 0o666);
  expect(find('A')).toEqual([]);
  chmodSync(cache, 0o600);
  const sqlite = new (loadSqlite())(cache);
  onTestFinished(() => sqlite.close());
  sqlite.exec('begin exclusive');
  expect(find('A')).toEqual([]);
  sqlite.exec('rollback');
  expect(find('A')).toEqual(['Ada']);
  writeFileSync(cache, 'not a database');
  expect(find('A')).toEqual([]);
});

test('a damaged cache is replaced', async () => {
  const { folder, kith, find } = await createContacts([['Ada', '']]);
  const cache = join(folder, readdirSync(folder).find((name) => name.startsWith('names-')) ?? '');
  writeFileSync(cache, 'not a database, but long enough to be read as the header of one: '.repeat(20));
  expect(await kith('contacts list -q')).toMatchObject({ code: 0, err: '' });
  await kith('contacts list -q');
  expect(find('A')).toEqual(['Ada']);
});

test('a cache of another version is not read, and is replaced', async () => {
  const { folder, kith, find } = await createContacts([['Ada', '']]);
  const cache = join(folder, readdirSync(folder).find((name) => name.startsWith('names-')) ?? '');
  const change = (sql: string) => {
    const sqlite = new (loadSqlite())(cache);
    sqlite.exec(sql);
    sqlite.close();
  };
  change('pragma user_version = 2');
  expect(find('A')).toEqual([]);
  change('drop table name; create table name (word text)');
  await kith('contacts list -q');
  expect(find('A')).toEqual(['Ada']);
});

test('offers records by the names that the last command has seen', async () => {
  const { folder, kith, find } = await createContacts([
    ['Ada', 'Lovelace'],
    ['Alan', 'Turing'],
  ]);
  const { out } = await kith('contacts list --jq .[].id');
  const [ada, alan] = out.trim().split('\n');
  await kith(['contacts', 'update', `${ada}`, '--first-name', 'Augusta']);
  await kith(['contacts', 'delete', 'Alan Turing', '--yes']);
  expect(find('')).toEqual(['Augusta Lovelace']);
  const other = createMachine();
  const env = { KITH_DATABASE_URL: join(folder, 'workspace.sqlite') };
  await other(['lists', 'create', 'Old', '--entry-type', 'Contact'], { env });
  await other(['contacts', 'create', '--first-name', 'Grace'], { env });
  expect(find('G')).toEqual([]);
  await kith('contacts list -q');
  expect(find('G')).toEqual(['Grace']);
  expect(alan).toBeDefined();
});

test('a list on one page replaces the cached names, and a longer list adds to them', async () => {
  const { folder, kith } = await createContacts([]);
  const findLists = () => createCompleter(folder)('lists').filter((line) => !line.includes('\t'));
  for (const name of ['A', 'B']) await kith(['lists', 'create', name, '--entry-type', 'Contact']);
  const elsewhere = createMachine();
  const env = { KITH_DATABASE_URL: join(folder, 'workspace.sqlite') };
  await elsewhere(['lists', 'delete', 'A', '--yes'], { env });
  await kith('lists list --limit 1');
  expect(findLists()).toEqual(['B']);
});

test('offers no name that contains a key of this machine', async () => {
  const folder = createTemporaryFolder();
  const kith = createLocalMachine(folder);
  for (const name of ['Ada', 'Ada kith_0123456789']) await kith(['contacts', 'create', '--first-name', name]);
  expect(createCompleter(folder)('contacts')).toEqual(['Ada', 'Ada kith_0123456789']);
  const env = { KITH_PROFILE: 'local', KITH_API_KEY: 'kith_0123456789' };
  expect(createCompleter(folder, env)('contacts')).toEqual(['Ada']);
});

test('completes entry keys, meeting titles and note ids that a command has read', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  await kith('entries list "Sales pipeline" --limit 3');
  await kith('entries list "Reseller program" --limit 1');
  await kith('events list --limit 2');
  await kith('notes list --limit 1');
  const find = createCompleter(folder);
  expect(find('keys', { word: 'deal-' })).toEqual(['DEAL-1\tWon', 'DEAL-2\tWon', 'DEAL-3\tWon']);
  expect(find('keys', { list: 'Reseller program' })).toEqual(['RES-1\tCertified']);
  expect(find('lists-and-keys', { word: 'R' })).toEqual(['Reseller program', 'RES-1\tCertified']);
  expect(find('subjects', { word: 'DEAL-1' })).toEqual(['DEAL-1\tWon']);
  expect(find('events', { word: 'les' })).toEqual(['Les quatre pour cent\t2026-11-17']);
  expect(find('notes')).toEqual([expect.stringMatching(/^j5ek5n\t지우 님과 첫 통화\./)]);
  await kith('entries list "Sales pipeline" --all');
  await kith('entries list "Reseller program" --all');
  expect(find('keys', { list: 'Sales pipeline' })).toHaveLength(50);
  await kith('entries delete DEAL-2 --yes');
  expect(find('keys', { word: 'DEAL-2' })).not.toContain('DEAL-2\tWon');
  expect(find('keys', { word: 'DEAL-3' })).toContain('DEAL-3\tWon');
});

test('completes each word of --allow and of --tools, without a workspace', () => {
  const find = createCompleter(createTemporaryFolder());
  expect(find('permissions', { word: 'notes,entries:' })).toEqual([
    'notes,entries:add',
    'notes,entries:update',
    'notes,entries:delete',
  ]);
  expect(find('permissions', { word: 'cus' })[0]).toBe('custom-fields');
  expect(find('toolsets', { word: 'read,no' })).toEqual(['read,notes']);
});
