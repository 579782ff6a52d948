import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkingCopy } from './working-copy.ts';

interface Row {
  readonly id?: unknown;
  readonly file?: unknown;
  readonly state?: unknown;
  readonly fields?: unknown;
  readonly status?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * Changes of contacts: the last name in the file (null: the file is deleted), the command on the service, the states that
 * `status` lists, and how a push ends.
 */
const changes: Readonly<
  Record<string, readonly [lastName: string | null, command: string, states: readonly string[], end?: string]>
> = {
  Ada: [
    'Mine',
    'update --last-name Theirs',
    ['conflict last_name'],
    'conflict: last_name: "Mine" in the file, "Theirs" on the service',
  ],
  Bob: [
    'Mine',
    'update --email bob@math.example',
    ['conflict last_name,emails'],
    'conflict: emails: "bob@math.example" on the service; last_name: "Mine" in the file',
  ],
  Cy: [
    'Mine',
    'update --last-name Mine --phone +442071234567',
    ['changed last_name,phone_numbers', 'edited '],
  ],
  Dee: ['Mine', '', ['edited last_name'], 'updated'],
  Eve: ['', 'update --last-name Theirs', ['changed last_name']],
  Fay: [
    null,
    'update --last-name Theirs',
    ['conflict '],
    'conflict: The file was deleted, and the record changed on the service. last_name: "Theirs" on the service',
  ],
  Gus: [
    'Mine',
    'delete --yes',
    ['conflict '],
    'conflict: The record was deleted on the service. Delete the file, or remove its id and rename it to create the record again.',
  ],
  Hal: [null, 'delete --yes', []],
  Ian: [null, '', ['deleted '], 'deleted'],
  Joe: ['', 'delete --yes', ['removed ']],
};
const conflicts = Object.keys(changes).filter((name) => changes[name]?.[3]?.startsWith('conflict'));

test('lists the changes in files and on the service, and sends those without a conflict, or with --overwrite all', async () => {
  const { checkout, create, edit, get, kith, push, root, status, write } = createWorkingCopy();
  const ids: Record<string, string> = {};
  for (const name of Object.keys(changes))
    ids[name] = await create(['contacts', 'create', '--first-name', name]);
  await checkout();
  const toFile = (name: string) => `contacts/${name.toLowerCase()}.yaml`;
  for (const [name, [lastName, command]] of Object.entries(changes)) {
    if (lastName === null) rmSync(join(root, toFile(name)));
    else edit(toFile(name), (text) => text.replace('last_name:', `last_name: ${lastName}`.trim()));
    const [verb, ...flags] = command.split(' ');
    if (verb) await kith(['contacts', verb, ids[name] ?? '', ...flags]);
  }
  write('contacts/new.yaml', 'first_name: New\n');
  ids.Kay = await create('contacts create --first-name Kay');
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const getName = ({ id, file }: Row) => names.get(String(id)) ?? file;
  const listStates = async (...flags: readonly string[]) =>
    (await status(...flags)).map((row) => `${getName(row)} ${row.state} ${row.fields}`).toSorted();
  const list = (part: 2 | 3) =>
    Object.entries(changes).flatMap(([name, row]) =>
      [row[part] ?? []].flat().map((text) => `${name} ${text}`),
    );

  expect(await listStates()).toEqual([...list(2), 'Kay added ', 'contacts/new.yaml new ']);
  const edited = Object.entries(changes).filter(([, [lastName]]) => lastName !== '');
  expect(await listStates('--local')).toEqual([
    ...edited.map(([name, [lastName]]) => `${name} ${lastName === null ? 'deleted ' : 'edited last_name'}`),
    'contacts/new.yaml new ',
  ]);
  const { code, out, err } = await push('--json');
  const ends = (JSON.parse(out) as Row[]).map(
    (row) => `${getName(row)} ${[row.status, row.error?.message].filter(Boolean).join(': ')}`,
  );
  expect([code, ends.toSorted()]).toEqual([6, [...list(3), 'contacts/new.yaml created']]);
  expect(err).toContain(`kith workspace push ${root} --overwrite`);
  expect(
    (await kith(['workspace', 'checkout', root])).err.match(/\S+(?=: changed in the file and)/g),
  ).toEqual(conflicts.map(toFile));
  edit(toFile('Bob'), (text) => text.replace('emails: []', 'emails: [bob@math.example]'));
  expect(await listStates()).toContain('Bob edited last_name');
  expect(await push()).toMatchObject({
    code: 6,
    err: expect.stringContaining('last_name: (none) -> Mine\nkith: Not sent: contacts/ada.yaml ('),
  });
  expect(await push('--overwrite')).toMatchObject({
    code: 6,
    err: expect.stringContaining('kith: Not sent: contacts/gus.yaml ('),
  });
  rmSync(join(root, toFile('Gus')));
  expect(await push()).toMatchObject({ code: 0 });
  expect(await status()).toEqual([]);
  expect(await get(`contacts get ${ids.Ada}`)).toMatchObject({ last_name: 'Mine' });
  expect(await get(`contacts get ${ids.Bob}`)).toMatchObject({
    last_name: 'Mine',
    emails: ['bob@math.example'],
  });
  expect(await kith(`contacts get ${ids.Fay}`)).toMatchObject({ code: 3 });
});

const replace = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);

const none: readonly string[] = [];
const editedOnly = ['edited ', 'changed last_name'];

test.each<[string, (text: string) => string, string, readonly string[], number]>([
  ['the case of an address', replace('ada@x.example', 'ADA@X.example'), 'King', editedOnly, 0],
  ['the form of a phone number', replace('"+442071234567"', '+44 20 7123 4567'), 'King', editedOnly, 0],
  ['another reference to the same organization', replace('acme.example', 'acme inc'), 'King', editedOnly, 0],
  ['line endings', replace(/\n/g, '\r\n'), 'King', ['changed last_name'], 0],
  ['line endings, and nothing else', replace(/\n/g, '\r\n'), '', none, 0],
  ['the same name as on the service', replace('Lovelace', 'King'), 'King', none, 0],
  ['an invalid value', replace('ada@x.example', 'nobody'), 'King', ['invalid ', 'changed last_name'], 2],
  ['a value that the API cannot change', replace(/^id: .*/, 'id: other'), '', ['invalid '], 2],
])(
  'status, checkout and push compare by the type of the field: %s',
  async (_, change, lastName, rows, code) => {
    const { checkout, create, edit, get, kith, push, root, status } = createWorkingCopy();
    await create(['organizations', 'create', '--name', 'Acme Inc', '--domain', 'acme.example']);
    const id = await create(
      'contacts create --first-name Ada --last-name Lovelace --email ada@x.example --phone +442071234567 --organization acme.example',
    );
    await checkout();
    edit('contacts/ada-lovelace.yaml', change);
    if (lastName !== '') await kith(`contacts update ${id} --last-name ${lastName}`);
    const before = await get(`contacts get ${id}`);
    expect((await status()).map(({ state, fields }) => `${state} ${fields}`)).toEqual(rows);
    const { err, out } = await kith(['workspace', 'push', root, '--yes', '--dry-run']);
    expect(out + err).not.toMatch(/PATCH|on the service\)/);
    expect((await push()).code).toBe(code);
    expect(await get(`contacts get ${id}`)).toEqual(before);
  },
);

test('push names the files that it writes again without a change', async () => {
  const { checkout, create, edit, kith, push, read, root } = createWorkingCopy();
  const id = await create('contacts create --first-name Ada --email ada@x.example');
  await checkout();
  edit('contacts/ada.yaml', (text) => text.replace('ada@x.example', 'ADA@X.example'));
  await kith(`contacts update ${id} --last-name King`);
  expect(await kith(['workspace', 'checkout', root])).toMatchObject({
    code: 0,
    out: `${root}: 1 edited, 0 unchanged\n`,
  });
  expect(await push()).toMatchObject({
    code: 0,
    err: 'kith: Nothing was sent. 1 edited file has the same values as the service; kith wrote it again.\n',
  });
  expect(read('contacts/ada-king.yaml')).toContain('last_name: King\nemails:\n  - ada@x.example\n');
  expect(await push()).toMatchObject({ code: 0, err: 'kith: No file was changed; nothing was sent.\n' });
});
