import { expect, test } from 'vitest';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import { startRecordService } from '../../search/index/record-service.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startSmallService } from './small-service.ts';

test.each([
  ['the beginning of a name', 'contacts', 'Peters', 'okxzz4'],
  ['a word of a name', 'contacts', 'petersen', 'okxzz4'],
  ['words without accents, in another order', 'contacts', 'PETERSEN jorn', 'okxzz4'],
  ['an umlaut that is written as two letters', 'contacts', 'Friederike Gross', '0rly94'],
  ['the beginning of an email address', 'contacts', 'jiwoo', '0rlnky'],
  ['a word of an email address', 'contacts', 'kim', '0rlnky'],
  ['a given name without spaces', 'contacts', '지우', '0rlnky'],
  ['decomposed Hangul', 'contacts', '지우'.normalize('NFD'), '0rlnky'],
  ['Katakana for Hiragana', 'contacts', 'サクラ', 'yrgopk'],
  ['half-width Katakana', 'contacts', 'ﾘｭｶ', 'zk55mk'],
  ['Hiragana for Katakana', 'organizations', 'ふぃるむ', 'mldz0y'],
  ['a word of a domain', 'organizations', 'hanbit', 'rl16pk'],
  ['the beginning of a Korean name', 'organizations', '한빛', 'rl16pk'],
  ['a word of its name', 'lists', 'pipeline', 'vy7gy3'],
  ['a word of its title', 'events', 'cat', 'vrwx0w'],
  ['a whole title', 'events', 'the nose AND the cat', 'vrwx0w'],
  ['the beginning of its name', 'custom-fields', 'birth', 'o7exl2'],
  ['a name in another case', 'custom-fields', 'ROLE', 'ml5d7x'],
])('a reading command finds a record by %s', async (_, noun, reference, id) => {
  const kith = createDemoMachine();
  expect(await kith([noun, 'get', reference, '--jq', '.id'])).toEqual({ code: 0, out: `${id}\n`, err: '' });
});

test.each([
  ['contacts', 'jiwoo', '0rlnky'],
  ['organizations', 'hanbit', 'rl16pk'],
])('%s show %s shows everything about the record', async (noun, reference, id) => {
  const kith = createDemoMachine();
  const [byName, byId] = [
    await kith([noun, 'show', reference, '--json']),
    await kith([noun, 'show', id, '--json']),
  ];
  expect(byName).toEqual(byId);
  expect(JSON.parse(byName.out).meetings.length).toBeGreaterThan(0);
});

test.each(['example', 'com', 'uk', '%'])('"%s" matches no domain of an organization', async (reference) => {
  const kith = createDemoMachine();
  await kith('organizations create --domain acme.com --domain ibm.co.uk');
  expect((await kith(['organizations', 'get', reference])).code).toBe(3);
});

/** A service with three contacts of the name Kim, one of which is named exactly `Kim`. */
async function startServiceOfKims() {
  const service = await startSmallService();
  const kim = await service.create('contacts', { first_name: 'Kim' });
  const minji = await service.create('contacts', { first_name: 'Minji', last_name: 'Kim' });
  const jisoo = await service.create('contacts', { emails: ['jisoo.kim@x.example'] });
  service.takeRequests();
  return { ...service, kim, minji, jisoo, machine: createMachine() };
}

test('an exact name wins over parts of other names, also in a write', async () => {
  const { kith, kim } = await startServiceOfKims();
  expect((await kith(['contacts', 'get', 'KIM', '--jq', '.id'])).out).toBe(`${kim}\n`);
  expect((await kith(['contacts', 'update', 'kim', '--last-name', 'K', '--jq', '.id'])).out).toBe(`${kim}\n`);
});

test('prints the commands to paste if several records match in part', async () => {
  const { kith, minji, jisoo, kim } = await startServiceOfKims();
  await kith(['contacts', 'delete', kim, '--yes']);
  const problem = `kith: 2 contacts match "Ki": ${minji} (Minji Kim), ${jisoo} (jisoo.kim@x.example, jisoo.kim@x.example).`;
  expect(await kith(['contacts', 'show', 'Ki', '--since', '7d'])).toEqual({
    code: 2,
    out: '',
    err: `${problem}\nhint: kith contacts show ${minji} --since 7d\n      kith contacts show ${jisoo} --since 7d\n`,
  });
  const filter = await kith(['contacts', 'list', '--where', 'organization = c', '--json']);
  expect(filter).toMatchObject({ code: 3, err: expect.stringContaining('not_found') });
});

test.each([
  ['contacts update lovelace --first-name A', 'contacts update ADA --first-name A'],
  ['contacts delete lovelace --yes', 'contacts delete ADA --yes'],
  ['contacts delete nobody lovelace --yes', 'contacts delete nobody ADA --yes'],
  ['contacts update lovelace --first-name A --dry-run', 'contacts update ADA --first-name A --dry-run'],
  ['contacts remove-emails lovelace a@x.example', "contacts remove-emails ADA 'a@x.example'"],
  ['contacts merge lovelace nobody --yes', 'contacts merge ADA nobody --yes'],
  ['entries add Readers --contact lovelace', 'entries add Readers --contact ADA'],
  ['entries add Readers --contact=lovelace', "entries add Readers '--contact=ADA'"],
  ['contacts update X --field Knows=lovelace', "contacts update X --field 'Knows=ADA'"],
  ['contacts update X --add-field Knows=lovelace', "contacts update X --add-field 'Knows=ADA'"],
])('a write without a terminal does not use a part of a name: %s', async (line, hint) => {
  const { kith, ada, muhammad, takeWrites } = await startSmallService();
  const fill = (text: string) => text.replace('ADA', ada).replace(' X ', ` ${muhammad} `);
  const [, flag] = / (--\w*-?field) Knows=/.exec(line) ?? [];
  const prefix = flag === undefined ? '' : `${flag} "Knows": `;
  const problem = `kith: ${prefix}1 contact matches "lovelace": ${ada} (Ada Lovelace, Acme).`;
  expect(await kith(fill(line).split(' '))).toEqual({
    code: 2,
    out: '',
    err: `${problem} A write requires the id or the exact name.\nhint: kith ${fill(hint)}\n`,
  });
  // A word that may be an id is sent as one first; that response is a 404.
  expect(takeWrites().filter((write) => !/contacts\/(lovelace|nobody)/.test(write))).toEqual([]);
});

test('a hint replaces only the reference, not the same text in another flag', async () => {
  const { kith, ada } = await startSmallService();
  const words = ['--first-name', 'lovelace', '--field=Introduced by=lovelace'];
  expect((await kith(['contacts', 'update', 'lovelace', ...words])).err).toContain(
    `hint: kith contacts update ${ada} --first-name lovelace '--field=Introduced by=${ada}'\n`,
  );
  expect((await kith(['contacts', 'update', '--', 'lovelace'])).code).toBe(2);
});

test.each([
  ['contacts update lovelace --first-name A', 'PATCH'],
  ['notes create --organization acm --body x', 'POST'],
  ['entries add reader --contact lovelace', 'POST'],
  ['lists update reader --name Readership', 'PATCH'],
  ['contacts delete lovelace --yes', 'DELETE'],
])(
  'a write in a terminal asks whether to use the only record with the typed part: %s',
  async (line, method) => {
    const { env, ada, acme, list, takeWrites } = await startSmallService();
    const terminal = { env: { ...env, NO_COLOR: '1' }, terminal: 100 };
    const declined = await createMachine()(line, { ...terminal, answers: [false] });
    expect(declined).toMatchObject({ code: 1, err: expect.stringMatching(/\nkith: Cancelled\.\n$/) });
    takeWrites();
    const { code, err } = await createMachine()(line, { ...terminal, answers: [true, true] });
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/1 \w+ matches "\w+": [\w ]+ \(\w+\)\. Use it\?\n/),
    });
    expect(
      takeWrites()
        .filter((write) => write.startsWith(method))
        .at(-1),
    ).toMatch(line.includes('acm') ? acme : line.startsWith('lists') ? list : ada);
    const escaped = await createMachine()(line, terminal);
    expect(escaped.code).toBe(line.startsWith('contacts delete') ? 3 : 130);
  },
);

test('the picker of a write offers other records too', async () => {
  const { env, create, muhammad, takeWrites } = await startSmallService();
  await create('contacts', { first_name: 'Ralph', last_name: 'Lovelace' });
  const machine = { env, terminal: 100, answers: [muhammad] };
  await createMachine()('contacts update lovelace --last-name A', machine);
  expect(takeWrites().at(-1)).toBe(`PATCH /v1/contacts/${muhammad} {"last_name":"A"}`);
});

test('in a terminal, a command that reads says which record it uses, and asks if several match', async () => {
  const { env, ada, create } = await startSmallService();
  const machine = createMachine();
  const terminal = { env: { ...env, NO_COLOR: '1' }, terminal: 100 };
  const note = `kith: "lovelace" matches the contact Ada Lovelace (${ada}).\n`;
  expect((await machine('contacts get lovelace --jq .id', terminal)).err).toBe(note);
  expect((await machine('contacts get lovelace --jq .id -q', terminal)).err).toBe('');
  expect((await machine('contacts get "Ada Lovelace" --jq .id', terminal)).err).toBe('');
  await create('contacts', { first_name: 'Byron', last_name: 'Lovelace' });
  const several = await machine('contacts get lovelace --jq .id', { ...terminal, answers: [ada] });
  expect(several).toMatchObject({
    code: 0,
    err: expect.stringContaining('2 contacts match "lovelace". Which one?'),
  });
});

test('an MCP tool that reads takes a part of a name, and one that writes does not', async () => {
  const { env, ada, takeWrites, create } = await startSmallService();
  const { call, client } = await connectInProcess(createMachine(), env, '--allow-write');
  expect(JSON.parse((await call('records_get', { noun: 'contacts', id: 'lovel' })).text).id).toBe(ada);
  const write = await call('contacts_write', { action: 'update', id: 'lovel', first_name: 'A' });
  expect(write).toMatchObject({
    isError: true,
    text: `usage: 1 contact matches "lovel": ${ada} (Ada Lovelace, Acme). A write requires the id or the exact name.\nhint: Use the id, such as ${ada}.`,
  });
  takeWrites();
  await create('contacts', { first_name: 'Lovell' });
  expect((await call('records_get', { noun: 'contacts', id: 'lovel' })).text).toMatch(
    /^usage: 2 contacts match "lovel": /,
  );
  expect(client.getInstructions()).toContain('Tools that read accept a unique part of a name');
});

test('an MCP tool that writes does not use a record that an earlier call found by a part of its name', async () => {
  const { env, takeWrites } = await startSmallService();
  const { call } = await connectInProcess(createMachine(), env, '--allow-write');
  await call('records_show', { noun: 'organizations', id: 'acm' });
  await call('records_show', { noun: 'contacts', id: 'lovel' });
  for (const dry_run of [true, false])
    expect(
      await call('records_create', { noun: 'notes', organization: 'acm', body: 'x', dry_run }),
    ).toMatchObject({
      isError: true,
      text: expect.stringContaining('1 organization matches "acm"'),
    });
  expect(
    await call('contacts_write', { action: 'update', id: 'lovel', first_name: 'A', dry_run: true }),
  ).toMatchObject({
    isError: true,
  });
  expect(takeWrites()).toEqual([]);
});

test('a part of a name is looked up in a fresh index, and only the matches are read', async () => {
  const service = await startRecordService();
  const kith = createMachine();
  const request = async (line: string) => {
    service.requests.length = 0;
    const { out, err } = await kith(`${line} --jq .id`, { env: service.env });
    return { out, err, urls: service.requests.map(({ url }) => url.split('?')[0]) };
  };
  await kith('index update', { env: service.env });
  const [zoe, chain] = ['/v1/contacts/c1', '/v1/organizations/o2'];
  expect(await request('contacts get mull')).toEqual({
    out: 'c1\n',
    err: '',
    urls: ['/v1/contacts/mull', zoe, zoe],
  });
  expect(await request('organizations get こーるど')).toEqual({ out: 'o2\n', err: '', urls: [chain, chain] });
  expect((await request('events get freezer')).urls).toEqual([
    '/v1/calendar_events/freezer',
    '/v1/calendar_events/m1',
    '/v1/calendar_events/m1',
  ]);
});

test('an escape sequence in a name is sanitized in the message and the hint', async () => {
  const { kith, create } = await startSmallService();
  const name = 'Evil \u001b[31mRed\nkith: fake';
  await create('contacts', { first_name: name });
  const { err } = await kith(['contacts', 'update', 'evil', '--last-name', 'x']);
  expect(err).not.toContain('\u001b');
  expect(err.split('\n')).toHaveLength(3);
});
