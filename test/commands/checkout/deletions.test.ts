import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFilledWorkspaces } from '../../service/service.ts';
import { createMachine, createTemporaryFolder } from '../../support/kith.ts';
import { createWorkingCopy } from './working-copy.ts';

const names = [
  'Ángel',
  'Bjørn',
  'Chloé',
  '민준',
  'Dvořák',
  'Éva',
  'François',
  '가영',
  'Günter',
  'Ines',
  'José',
  'Ştefan',
];
const files = names.map((name) => `${name.toLowerCase()}.yaml`);
const [angel = '', bjorn = '', chloe = ''] = files;

/** Creates a workspace with twelve contacts, and an organization with two notes. */
const createWorkspace = createFilledWorkspaces(async ({ create }) => {
  for (const first_name of names) await create('contacts', { first_name });
  const organization_id = await create('organizations', { name: '한빛' });
  for (const body of ['Called.', 'Wrote.']) await create('notes', { organization_id, body });
});

/** Returns a working copy of such a workspace. */
async function createCopy() {
  const { file } = await createWorkspace();
  const folder = createTemporaryFolder();
  const copy = createWorkingCopy(() => createMachine(folder), { KITH_DATABASE_URL: file });
  await copy.checkout();
  const listRecords = async (noun: string): Promise<Record<string, unknown>[]> =>
    JSON.parse((await copy.kith([noun, 'list', '--all', '--json'])).out);
  const countRecords = async () =>
    (await listRecords('contacts')).length + (await listRecords('notes')).length;
  return { ...copy, listRecords, countRecords, path: (name: string) => join(copy.root, name) };
}

type Copy = Awaited<ReturnType<typeof createCopy>>;

const toNfd = (folder: string) => {
  for (const name of readdirSync(folder)) renameSync(join(folder, name), join(folder, name.normalize('NFD')));
};

const removeFiles = (folder: string, count: number) => {
  for (const name of readdirSync(folder).toSorted().slice(0, count)) rmSync(join(folder, name));
};

test.each<[string, (copy: Copy) => void]>([
  ['contacts with names in NFD', ({ path }) => toNfd(path('contacts'))],
  ['a folder with a name in NFD', ({ path }) => toNfd(path('organizations'))],
  ['a file with another name', ({ path }) => renameSync(path(`contacts/${angel}`), path('contacts/x.yaml'))],
  [
    'a file with a name in another case',
    ({ path }) => renameSync(path('contacts/ines.yaml'), path('contacts/Ines.YAML')),
  ],
])('a rename is no deletion: %s', async (_, rename) => {
  const copy = await createCopy();
  rename(copy);
  expect(await copy.status()).toEqual([]);
  expect(await copy.push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
  expect(await copy.checkout()).toBe(`${copy.root}: 15 unchanged\n`);
  expect(await copy.push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
  expect(await copy.countRecords()).toBe(14);
});

test('sends an edit and a new note from files with names in NFD, and writes no second file', async () => {
  const { edit, list, listRecords, path, push, status, write } = await createCopy();
  toNfd(path('contacts'));
  toNfd(path('organizations'));
  const before = list();
  edit(`contacts/${angel.normalize('NFD')}`, (text) => text.replace('last_name:', 'last_name: Ruiz'));
  write(`organizations/${'한빛'.normalize('NFD')}/notes/new.md`, 'Met.\n');
  expect(await push()).toMatchObject({ code: 0 });
  expect((await listRecords('contacts')).map(({ last_name }) => last_name)).toContain('Ruiz');
  expect(list().length).toBe(before.length + 1);
  expect(list().filter((name) => name.includes('ruiz'))).toHaveLength(1);
  expect(await status()).toEqual([]);
});

const missing = (folder: string) =>
  `${folder}:1: The folder is missing, so its files do not count as deleted. Restore it,`;
const held = (file: string, lost: string) =>
  `${file}:1: This file has the id of ${lost}, which is missing, so its record does not count as deleted.`;

test.each<[string, (copy: Copy) => void, string, readonly string[]]>([
  [
    'a folder that was moved away',
    ({ path }) => renameSync(path('contacts'), path('../elsewhere')),
    missing('contacts'),
    ['contacts'],
  ],
  [
    'a folder that was moved within the working copy',
    ({ path }) => renameSync(path('contacts'), path('people')),
    missing('contacts'),
    ['contacts'],
  ],
  [
    'the folder of an organization',
    ({ path }) => rmSync(path('organizations/한빛'), { recursive: true }),
    missing('organizations/한빛'),
    ['organizations/한빛'],
  ],
  [
    'a file in place of a folder',
    ({ path }) => {
      rmSync(path('organizations/한빛/notes'), { recursive: true });
      writeFileSync(path('organizations/한빛/notes'), '');
    },
    missing('organizations/한빛/notes'),
    ['organizations/한빛/notes'],
  ],
  [
    'a file that was moved out of the folders',
    ({ path }) => renameSync(path(`contacts/${bjorn}`), path('later.yml')),
    held('later.yml', `contacts/${bjorn}`),
    ['later.yml'],
  ],
  [
    'a note that was moved to a hidden folder',
    ({ path }) => {
      mkdirSync(path('.later/deep/er/than/four'), { recursive: true });
      const [note = ''] = readdirSync(path('organizations/한빛/notes'));
      renameSync(path(`organizations/한빛/notes/${note}`), path('.later/deep/er/than/four/README.md'));
    },
    '.later/deep/er/than/four/README.md:1: This file has the id of organizations/한빛/notes/',
    ['.later/deep/er/than/four/README.md'],
  ],
  [
    'a file in place of another one',
    ({ path }) => renameSync(path(`contacts/${bjorn}`), path(`contacts/${angel}`)),
    held(`contacts/${angel}`, `contacts/${bjorn}`),
    [`contacts/${angel}`],
  ],
  [
    'a file that was moved to the meetings',
    ({ path }) => {
      mkdirSync(path('meetings'));
      renameSync(path(`contacts/${chloe}`), path(`meetings/${chloe}`));
    },
    held(`meetings/${chloe}`, `contacts/${chloe}`),
    [`meetings/${chloe}`],
  ],
  [
    'the file of an organization, but not those of its notes',
    ({ path }) => rmSync(path('organizations/한빛.yaml')),
    'organizations/한빛.yaml:1: The file was deleted, but the files of its notes were not.',
    ['organizations/한빛.yaml'],
  ],
  [
    'the file of an organization whose notes were moved out of the folders',
    ({ path }) => {
      rmSync(path('organizations/한빛.yaml'));
      const notes = readdirSync(path('organizations/한빛/notes'));
      for (const [index, note] of notes.entries())
        renameSync(path(`organizations/한빛/notes/${note}`), path(`${index}.md`));
    },
    'Nothing was sent: there are 2 errors in 2 files.',
    ['0.md', '1.md'],
  ],
])('does not delete without evidence: %s', async (_, change, message, rows) => {
  const copy = await createCopy();
  change(copy);
  const { code, err } = await copy.push();
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
  for (const flags of [[], ['--local']]) {
    const states = (await copy.status(...flags)).map(({ state, file }) => [state, file]);
    expect(states.filter(([state]) => state !== 'edited')).toEqual(rows.map((file) => ['invalid', file]));
  }
  expect(await copy.countRecords()).toBe(14);
});

test.each([
  ['dangling', 'nowhere'],
  ['working', '../moved'],
])('refuses a %s link in place of a folder', async (_, target) => {
  const copy = await createCopy();
  renameSync(copy.path('contacts'), copy.path('../moved'));
  symlinkSync(target, copy.path('contacts'));
  for (const command of ['push', 'status', 'checkout'])
    expect(
      await copy.kith(['workspace', command, copy.root, '--yes'].slice(0, command === 'push' ? 4 : 3)),
    ).toMatchObject({ code: 2, err: expect.stringContaining(`${copy.path('contacts')} is a link.`) });
  expect(await copy.countRecords()).toBe(14);
});

test('a file and its copy with a name in NFD are an error', async () => {
  const { path, push, read, write } = await createCopy();
  const copied = `contacts/${angel.normalize('NFD')}`;
  write(copied, read(`contacts/${angel}`));
  expect(await push()).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${copied}:1: contacts/${angel} has the same id`),
  });
  rmSync(path(`contacts/${angel}`));
  expect(await push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
});

test('continues an interrupted push with the number of the first run', async () => {
  const { countRecords, kith, path, push, root } = await createCopy();
  removeFiles(path('contacts'), 12);
  const env = { KITH_UNDO: 'auto' };
  const line = ['workspace', 'push', root, '--yes', '--delete', '12'];
  const first = await kith([...line, '--max-writes', '5'], { env });
  expect(first).toMatchObject({ code: 9 });
  expect(await countRecords()).toBe(9);
  expect(await push('--delete', '6')).toMatchObject({ code: 2 });
  expect(await kith(line, { env })).toMatchObject({ code: 0 });
  expect(await countRecords()).toBe(2);
});

test('checkout writes no file into a folder that is missing, and --overwrite restores it', async () => {
  const { checkout, create, kith, list, path, root, status } = await createCopy();
  renameSync(path('contacts'), path('../elsewhere'));
  await create('contacts create --first-name New');
  expect(await kith(['workspace', 'checkout', root])).toMatchObject({
    code: 2,
    err: expect.stringContaining('contacts:1: The folder is missing'),
  });
  expect(list().filter((name) => name.startsWith('contacts/'))).toEqual([]);
  await checkout('--overwrite');
  expect(await status()).toEqual([]);
  expect(list().filter((name) => name.startsWith('contacts/'))).toHaveLength(13);
});

test.each<[string, string, number, number]>([
  ['three of twelve contacts', 'contacts', 3, 0],
  ['four of twelve contacts', 'contacts', 4, 4],
  ['all contacts', 'contacts', 12, 12],
  ['both notes of an organization, which leaves an empty folder', 'organizations/한빛/notes', 2, 2],
])('requires the exact number for many deletions: %s', async (_, folder, count, required) => {
  const { countRecords, kith, path, push, root, status } = await createCopy();
  removeFiles(path(folder), count);
  const line = ['workspace', 'push', root];
  if (required > 0) {
    const refusal = `kith: ${count} files were deleted. To delete the records, pass --delete ${count} to \`push\`.`;
    for (const result of [
      await push(),
      await push('--delete', String(count - 1)),
      await kith([...line, '--dry-run']),
      await kith(line, { terminal: 100, answers: [true, String(count)] }),
    ])
      expect(result).toMatchObject({ code: 2, err: expect.stringContaining(refusal) });
    expect((await kith(['workspace', 'status', root])).err).toContain(
      `${count} files were deleted. To delete the records, pass --delete ${count} to \`push\`.`,
    );
    expect(await countRecords()).toBe(14);
  }
  expect(await push('--delete', String(count))).toMatchObject({ code: 0 });
  expect(await countRecords()).toBe(14 - count);
  expect(await status()).toEqual([]);
});

test('deletes an organization whose notes were deleted with it, and continues without them', async () => {
  const { kith, path, push, status } = await createCopy();
  rmSync(path('organizations/한빛'), { recursive: true });
  rmSync(path('organizations/한빛.yaml'));
  expect((await status()).map(({ state, noun }) => [state, noun])).toEqual([['deleted', 'organizations']]);
  expect(await push('--delete', '3')).toMatchObject({ code: 0 });
  expect(await kith('notes list --json')).toMatchObject({ out: '[]\n' });
  expect(await push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
});

test('an id in the file of another record is no evidence against a deletion', async () => {
  const { path, push, status } = await createCopy();
  rmSync(path(`contacts/${angel}`));
  appendFileSync(path(`contacts/${bjorn}`), '# id: nothing\n');
  expect((await status()).map(({ state }) => state)).toEqual(['deleted', 'edited']);
  expect(await push()).toMatchObject({ code: 0 });
});
