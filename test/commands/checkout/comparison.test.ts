import { expect, test } from 'vitest';
import { createWorkingCopy } from './working-copy.ts';

const file = 'contacts/ada-lovelace.yaml';

const none: readonly string[] = [];

test.each<
  [string, (text: string) => string, string, readonly (readonly [string, readonly string[]])[], number]
>([
  [
    'the case of an address',
    (text) => text.replace('ada@x.example', 'ADA@X.example'),
    '--last-name King',
    [
      ['edited', none],
      ['changed', ['last_name']],
    ],
    0,
  ],
  [
    'the form of a phone number',
    (text) => text.replace('"+442071234567"', '+44 20 7123 4567'),
    '--last-name King',
    [
      ['edited', none],
      ['changed', ['last_name']],
    ],
    0,
  ],
  [
    'another reference to the same organization',
    (text) => text.replace('organization: acme.example', 'organization: acme inc'),
    '--last-name King',
    [
      ['edited', none],
      ['changed', ['last_name']],
    ],
    0,
  ],
  [
    'line endings',
    (text) => text.replaceAll('\n', '\r\n'),
    '--last-name King',
    [['changed', ['last_name']]],
    0,
  ],
  ['line endings, and nothing else', (text) => text.replaceAll('\n', '\r\n'), '', [], 0],
  [
    'a name, and an address on the service',
    (text) => text.replace('last_name: Lovelace', 'last_name: King'),
    '--email new@x.example',
    [['conflict', ['last_name', 'emails']]],
    6,
  ],
  [
    'the same name as on the service',
    (text) => text.replace('last_name: Lovelace', 'last_name: King'),
    '--last-name King',
    [],
    0,
  ],
  [
    'a value that is not valid',
    (text) => text.replace('ada@x.example', 'nobody'),
    '--last-name King',
    [
      ['invalid', none],
      ['changed', ['last_name']],
    ],
    2,
  ],
  [
    'a value that the API cannot change',
    (text) => text.replace(/^id: .*/, 'id: other'),
    '',
    [['invalid', none]],
    2,
  ],
])(
  'status, checkout and push compare by the type of the field: %s',
  async (_, change, update, rows, code) => {
    const { checkout, create, edit, get, kith, push, root, status } = createWorkingCopy();
    await create(['organizations', 'create', '--name', 'Acme Inc', '--domain', 'acme.example']);
    const id = await create(
      'contacts create --first-name Ada --last-name Lovelace --email ada@x.example --phone +442071234567 --organization acme.example',
    );
    await checkout();
    edit(file, change);
    if (update !== '') await kith(`contacts update ${id} ${update}`);
    const before = await get(`contacts get ${id}`);
    expect((await status()).map(({ state, fields }) => [state, fields])).toEqual(rows);
    const isConflict = rows.some(([state]) => state === 'conflict');
    const { err, out } = await kith(['workspace', 'push', root, '--yes', '--dry-run']);
    expect({ isSent: out.includes('PATCH'), isConflict: err.includes('on the service') }).toEqual({
      isSent: false,
      isConflict,
    });
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
