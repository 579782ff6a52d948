import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../support/kith.ts';
import { createDemoCopy, createWorkingCopy } from './working-copy.ts';

test('writes one file per record in folders by noun, list and status', async () => {
  const { checkout, list, read, root } = createDemoCopy();
  expect(await checkout()).toBe(`${root}: 509 new, 0 unchanged\n`);
  const files = list();
  expect(files).toHaveLength(509);
  const folders = new Set(
    files.map((file) => dirname(file).replace(/^organizations\/.*/, 'organizations/NAME/notes')),
  );
  expect([...folders]).toEqual(
    expect.arrayContaining([
      ...['contacts', 'custom-fields/contact', 'custom-fields/deal', 'custom-fields/organization'],
      ...['lists/newsletter', 'lists/newsletter/entries', 'lists/sales-pipeline', 'lists/sales-pipeline/won'],
      ...['meetings/2026', 'organizations', 'organizations/NAME/notes'],
    ]),
  );
  expect(read('contacts/özlem-yıldız.yaml')).toBe(
    [
      'id: v49jek',
      'first_name: Özlem',
      'last_name: Yıldız',
      'emails:',
      '  - oezlem.yildiz@nordwind-kuehl.example',
      'phone_numbers:',
      '  - "+491713920051"',
      'organization: nordwind-kuehl.example # Kühlhaus Nordwind GmbH',
      'custom_fields:',
      '  Role: IT lead',
      '  Language: German',
      '  Birthday: 1985-05-19',
      '  Last visit:',
      '  Met by:',
      '    - kenji@tidewater.example',
      '  Good to know: |-',
      '    Found our API rate limit by hand. Kenji sent flowers.',
      '',
    ].join('\n'),
  );
  expect(read('lists/sales-pipeline/won/deal-22-chocolates-doña-xóchitl.yaml')).toContain(
    'id: mjd1pj\nkey: DEAL-22\norganization: dona-xochitl.example # Chocolates Doña Xóchitl\nstatus: Won\n',
  );
  expect(read('organizations/harbour-hake/notes/2026-04-28-met-jago-at-the-plymouth-fish.md')).toMatch(
    /^---\nid: gdk726\ndeal: DEAL-4\n---\n\nMet Jago at/,
  );
  expect(read('meetings/2026/2026-10-07-die-wetten-in-der-kantine.md')).toContain('## Summary');
  expect(read('meetings/2026/2026-10-07-die-wetten-in-der-kantine.transcript.md')).toMatch(/^\[00:01\] /);
  expect(read('.kith/.gitignore')).toBe('*\n');
}, 30_000);

test('a second checkout without changes rewrites no file', async () => {
  const { checkout, readTimes, root } = createDemoCopy();
  await checkout();
  const times = readTimes();
  expect(await checkout()).toBe(`${root}: 509 unchanged\n`);
  expect(readTimes()).toEqual(times);
}, 30_000);

test('brings unedited files up to date and does not write edited files', async () => {
  const { checkout, create, kith, edit, read, list, root, status } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada --last-name Lovelace');
  const bob = await create('contacts create --first-name Bob');
  const eve = await create('contacts create --first-name Eve');
  const joe = await create('contacts create --first-name Joe');
  await checkout();
  expect(list()).toEqual(['ada-lovelace', 'bob', 'eve', 'joe'].map((name) => `contacts/${name}.yaml`));
  edit('contacts/bob.yaml', (text) => text.replace('last_name:', 'last_name: Bell'));
  edit('contacts/joe.yaml', (text) => text.replace('last_name:', 'last_name: Doe'));
  await kith(`contacts update ${ada} --last-name King`);
  await kith(`contacts update ${joe} --last-name Roe`);
  await kith(`contacts delete ${eve} --yes`);
  const { out, err } = await kith(['workspace', 'checkout', root]);
  expect(out).toBe(`${root}: 1 updated, 1 removed, 1 edited, 1 conflict, 0 unchanged\n`);
  expect(err).toContain('kith: contacts/joe.yaml: changed in the file and on the service');
  expect(list()).toEqual(['ada-king', 'bob', 'joe'].map((name) => `contacts/${name}.yaml`));
  expect(read('contacts/bob.yaml')).toContain('last_name: Bell');
  expect(await status()).toEqual([
    { state: 'edited', noun: 'contacts', id: bob, file: 'contacts/bob.yaml', fields: ['last_name'] },
    { state: 'conflict', noun: 'contacts', id: joe, file: 'contacts/joe.yaml', fields: ['last_name'] },
  ]);
  expect(await checkout('--overwrite')).toBe(`${root}: 2 updated, 1 unchanged\n`);
  expect(list()).toEqual(['ada-king', 'bob', 'joe-roe'].map((name) => `contacts/${name}.yaml`));
  expect(read('contacts/joe-roe.yaml')).toContain('last_name: Roe');
  expect(await status()).toEqual([]);
});

test('gives records with hostile or equal names files that every file system accepts', async () => {
  const { checkout, create, list, root } = createWorkingCopy();
  const names = [
    '../x',
    'con',
    'a/b',
    'a\\b:c*?"<>|',
    '😀',
    '...',
    'x'.repeat(300),
    '한'.repeat(100),
    'שלום\u202e.exe',
    'Trailing dots...',
    'same',
    'Same',
    'tab\tand\u001b[31m',
    'NFD e\u0301',
  ];
  const ids: string[] = [];
  for (const name of names) ids.push(await create(['organizations', 'create', '--name', name]));
  await checkout('--only', 'organizations');
  const files = list();
  expect(files).toHaveLength(names.length);
  for (const file of files) {
    expect(Buffer.byteLength(file.split('/').at(-1) ?? '')).toBeLessThan(255);
    expect(file).toMatch(/^organizations\/[\p{L}\p{M}\p{N}~-]+\.yaml$/u);
    expect(file).toBe(file.normalize('NFC'));
  }
  const [, con, , , emoji, dots] = ids;
  expect(files).toContain('organizations/x.yaml');
  expect(files).toContain(`organizations/con-${con}.yaml`);
  expect(files).toContain(`organizations/organization-${emoji}.yaml`);
  expect(files).toContain(`organizations/organization-${dots}.yaml`);
  expect(files.filter((file) => /\/same/.test(file))).toEqual(
    [`organizations/same-${ids[11]}.yaml`, 'organizations/same.yaml'].toSorted(),
  );
  expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(names.length);
  expect(existsSync(join(dirname(root), 'x'))).toBe(false);
  expect(await checkout()).toBe(`${root}: ${names.length} unchanged\n`);
});

test('limits the folders with --only, also for later checkouts', async () => {
  const { checkout, kith, list, root } = createDemoCopy();
  await checkout('--only', 'custom-fields,contacts');
  expect(new Set(list().map((file) => file.split('/')[0]))).toEqual(new Set(['contacts', 'custom-fields']));
  expect(await checkout()).toMatch(/: \d+ unchanged\n$/);
  const { code, err } = await kith(['workspace', 'checkout', root, '--only', 'contacts,people']);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('"people" is not one of') });
}, 30_000);

test('adopts the files of a clone without state: equal files are unchanged, all other files are edited', async () => {
  const { checkout, create, edit, root, status } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  const bob = await create('contacts create --first-name Bob');
  await checkout();
  edit('contacts/bob.yaml', (text) => text.replace('Bob', 'Rob'));
  rmSync(join(root, '.kith'), { recursive: true });
  expect(await checkout()).toBe(`${root}: 1 edited, 1 unchanged\n`);
  expect(await status()).toMatchObject([{ state: 'edited', id: bob, fields: ['first_name'] }]);
});

test('a file keeps its name if it was renamed by hand', async () => {
  const { checkout, create, kith, list, root, status } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada');
  await checkout();
  renameSync(join(root, 'contacts/ada.yaml'), join(root, 'contacts/countess.yaml'));
  expect(await status()).toEqual([]);
  expect(await checkout()).toBe(`${root}: 1 unchanged\n`);
  await kith(`contacts update ${ada} --last-name King`);
  await checkout();
  expect(list()).toEqual(['contacts/ada-king.yaml']);
});

test('does not overwrite a file that kith did not write', async () => {
  const { checkout, create, list, read, root, write } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  mkdirSync(join(root, 'contacts'), { recursive: true });
  write('contacts/ada.yaml', 'first_name: Ada\n');
  await checkout();
  expect(read('contacts/ada.yaml')).toBe('first_name: Ada\n');
  expect(list()).toHaveLength(2);
});

test('refuses a folder with other files without --force, the root and the home folder', async () => {
  const { kith } = createWorkingCopy();
  const other = createTemporaryFolder();
  mkdirSync(join(other, '.git'));
  writeFileSync(join(other, 'README.md'), '');
  expect(await kith(['workspace', 'checkout', other])).toMatchObject({ code: 0 });
  const mixed = createTemporaryFolder();
  writeFileSync(join(mixed, 'main.c'), '');
  expect(await kith(['workspace', 'checkout', mixed])).toMatchObject({
    code: 2,
    err: expect.stringContaining('is not empty and not a working copy: it has main.c.'),
  });
  expect(await kith(['workspace', 'checkout', mixed, '--force'])).toMatchObject({ code: 0 });
  const home = createTemporaryFolder();
  for (const folder of ['/', home])
    expect(await kith(['workspace', 'checkout', folder, '--force'], { env: { HOME: home } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('A working copy needs its own folder'),
    });
});

test('refuses a working copy of another workspace, and a folder that is not a working copy', async () => {
  const first = createWorkingCopy();
  await first.checkout();
  const second = createDemoCopy();
  const { code, err } = await second.kith(['workspace', 'push', first.root, '--yes']);
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('is a working copy of') });
  expect(await second.kith(['workspace', 'status', second.root])).toMatchObject({
    code: 3,
    err: expect.stringContaining(`hint: Create one: kith workspace checkout ${second.root}`),
  });
});

test('a checkout without state overwrites no file in the place of a meeting', async () => {
  const { checkout, kith, read, root, write } = createDemoCopy();
  await checkout('--only', 'meetings');
  rmSync(join(root, '.kith'), { recursive: true });
  const file = 'meetings/2026/2026-10-07-die-wetten-in-der-kantine.md';
  write(file, 'My own notes.\n');
  expect(await checkout('--only', 'meetings')).toBe(`${root}: 1 edited, 71 unchanged\n`);
  expect(read(file)).toBe('My own notes.\n');
  await checkout('--overwrite');
  expect(read(file)).toContain('## Summary');
  expect((await kith(['workspace', 'status', root])).out).not.toContain('edited');
}, 30_000);
