import { expect, test } from 'vitest';
import { sendJson, sendPage, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startSmallService } from './small-service.ts';

const jiwoo = '0rlnky';
const hanbit = 'rl16pk';

test.each([
  ['contacts', 'a name', '김지우'],
  ['contacts', 'a name in another Unicode form', '김지우'.normalize('NFD')],
  ['contacts', 'a name in Western order', '지우 김'],
  ['contacts', 'a name with a comma and more blanks', '김,  지우'],
  ['contacts', 'an email address in capitals', 'JIWOO.KIM@hanbit-cold.example'],
  ['contacts', 'an email address between blanks', ' jiwoo.kim@hanbit-cold.example '],
  ['contacts', 'a phone number without a country code', '010-5550-1234'],
  ['contacts', 'a phone number in E.164', '+821055501234'],
  ['contacts', 'a URL that ends in the id', `https://crm.example.com/contacts/${jiwoo}?tab=notes`],
  ['organizations', 'a name', '한빛물류'],
  ['organizations', 'a domain', 'hanbit-cold.example'],
  ['organizations', 'another of its domains', 'Hanbit-Logis.example'],
  ['organizations', 'a URL of its website', 'https://www.hanbit-cold.example/about'],
  ['organizations', 'a URL that ends in the id', `https://crm.example.com/organizations/${hanbit}/`],
])('%s get finds a record by %s', async (noun, _, reference) => {
  const id = noun === 'contacts' ? jiwoo : hanbit;
  const kith = createDemoMachine();
  expect(await kith([noun, 'get', reference, '--jq', '.id'])).toEqual({ code: 0, out: `${id}\n`, err: '' });
});

test('a contact is found by its name with a comma, but not if its letters are split into other words', async () => {
  const kith = createDemoMachine();
  await kith(['contacts', 'create', '--first-name', 'Anna', '--last-name', 'Li, Jr.']);
  for (const name of ['anna  LI, jr.', 'Li Jr., Anna'])
    expect(await kith(['contacts', 'get', name, '--jq', '.last_name'])).toMatchObject({ out: 'Li, Jr.\n' });
  expect(await kith(['contacts', 'delete', 'Ann Ali, Jr.', '--yes'])).toMatchObject({ code: 3, out: '' });
});

test.each([
  ['contacts update 김지우 --first-name 지후', 'PATCH /v1/contacts/0rlnky'],
  ['contacts remove-emails 김지우 a@x.example', 'DELETE /v1/contacts/0rlnky/emails'],
  ['contacts delete jiwoo.kim@hanbit-cold.example 0rlnky', 'DELETE /v1/contacts/0rlnky'],
  ['organizations update 한빛물류 --name H', 'PATCH /v1/organizations/rl16pk'],
  ['organizations remove-domains 한빛물류 x.example', 'DELETE /v1/organizations/rl16pk/domains'],
  ['organizations delete hanbit-cold.example', 'DELETE /v1/organizations/rl16pk'],
  ['notes create --organization 한빛물류 --body x', '"organization_id": "rl16pk"'],
  ['contacts create --first-name A --organization hanbit-cold.example', '"organization_id": "rl16pk"'],
  ['entries add newsletter --contact 김지우', '"entryable_id": "0rlnky"'],
  [
    'entries add "Sales pipeline" --organization 한빛물류 --contact-id 010-5550-1234',
    '"contact_id": "0rlnky"',
  ],
  ['entries update "Sales pipeline" DEAL-1 --contact-id 김지우', '"contact_id": "0rlnky"'],
  ['entries update "Sales pipeline" deal-1 --status Won', '/entries/m7lwpy'],
  ['entries delete "Sales pipeline" DEAL-1', '/entries/m7lwpy'],
])('%s --dry-run prints the id', async (line, text) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(`${line} --dry-run`);
  expect({ code, out, err }).toEqual({ code: 0, out: expect.stringContaining(text), err: '' });
  expect(out.split('\n').filter((one) => /^[A-Z]+ \//.test(one))).toHaveLength(1);
});

test.each([
  ['contacts', 'get', 'Nobody Here'],
  ['contacts', 'update', 'Nobody Here', '--first-name', 'A'],
  ['contacts', 'update', 'Ada Lovelace', '--organization', 'Nobody Here'],
  ['contacts', 'update', 'Ada Lovelace', '--field', 'Introduced by=Nobody Here'],
  ['contacts', 'update', 'Ada Lovelace', '--add-field', 'Knows=Nobody Here'],
  ['contacts', 'create', '--first-name', 'A', '--organization', 'Nobody Here'],
  ['contacts', 'create', '--first-name', 'A', '--field', 'Introduced by=Nobody Here'],
  ['contacts', 'remove-emails', 'Nobody Here', 'a@x.example'],
  ['contacts', 'delete', 'Nobody Here', '--yes'],
  ['organizations', 'get', 'Nobody Here'],
  ['organizations', 'update', 'Nobody Here', '--name', 'A'],
  ['organizations', 'remove-domains', 'Nobody Here', 'a.example'],
  ['organizations', 'delete', 'Nobody Here', '--yes'],
  ['notes', 'create', '--organization', 'Nobody Here', '--body', 'x'],
  ['entries', 'add', 'Readers', '--contact', 'Nobody Here'],
  ['entries', 'add', 'Readers', '--organization', 'Nobody Here'],
  ['entries', 'update', 'Readers', 'e1', '--contact-id', 'Nobody Here'],
  ['events', 'list', '--contact', 'Nobody Here'],
  ['events', 'list', '--organization', 'Nobody Here'],
  ['events', 'grep', 'cold', '--contact', 'Nobody Here'],
  ['events', 'export', '--out', '/nowhere', '--organization', 'Nobody Here'],
])('%s %s %s %s %s %s exits with 3 and writes nothing', async (...words) => {
  const { kith, takeWrites } = await startSmallService();
  const mayDryRun = words[0] !== 'events' && words[1] !== 'get';
  for (const line of mayDryRun ? [words, [...words, '--dry-run']] : [words])
    expect(await kith(line)).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(
        /^kith: (--[a-z-]+ "[^"]+": )?No (contact|organization) has the id or name "Nobody Here"\.\nhint: /,
      ),
    });
  expect(takeWrites()).toEqual([]);
});

test('organizations find ignores case and spacing, but prefers exactly the typed name', async () => {
  const { kith, acme, create } = await startSmallService();
  const find = async (name: string) =>
    (await kith(['organizations', 'find', '--name', name, '--fields', 'id', '--no-header'])).out
      .trim()
      .split('\n');
  expect(await find(' ACME')).toEqual([acme]);
  const other = await create('organizations', { name: 'ACME' });
  expect(await Promise.all(['ACME', 'Acme', 'acme'].map(find))).toEqual([[other], [acme], [acme, other]]);
});

test.each([
  ['nobody@x.example', 'email address'],
  ['+1 415 555 0199', 'phone number'],
  ['415-555-0199', 'id or phone number'],
  ['nobody', 'id or name'],
])('reports what %s was compared with', async (reference, what) => {
  const { kith } = await startSmallService();
  const result = {
    code: 3,
    out: '',
    err: `kith: No contact has the ${what} "${reference}".\nhint: kith contacts list\n`,
  };
  expect(await kith(['contacts', 'get', reference])).toEqual(result);
  expect(await kith(['events', 'list', '--contact', reference])).toEqual(result);
});

test.each([
  ['Ada Lovelase', 'contacts', 'Ada Lovelace'],
  ['Lovelase', 'contacts', 'Ada Lovelace'],
  ['Grace', 'contacts', undefined],
  ['محمد عللي', 'contacts', 'محمد علي'],
  ['acme.exampel', 'organizations', 'Acme'],
])('suggests the closest name for %s', async (reference, noun, name) => {
  const { kith, ada, muhammad, acme } = await startSmallService();
  const id = name === 'Acme' ? acme : name === 'Ada Lovelace' ? ada : muhammad;
  const { code, err } = await kith([noun, 'get', reference]);
  const end = name ? ` Closest names: ${name} (${id}).\n` : '\nhint: kith contacts list\n';
  expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining(`"${reference}".${end}`) });
  if (name)
    expect((await kith([noun, 'get', reference, '--json'])).err).toContain(`Closest names: ${name} (${id}).`);
});

test('prefers the id of a record over the name of another', async () => {
  const { kith, ada, create } = await startSmallService();
  const namesake = await create('contacts', { first_name: ada });
  expect((await kith(['contacts', 'get', ada, '--jq', '.id'])).out).toBe(`${ada}\n`);
  await kith(['contacts', 'delete', ada, '--yes']);
  expect((await kith(['contacts', 'get', ada, '--jq', '.id'])).out).toBe(`${namesake}\n`);
});

test('--add-field and --remove-field accept the names of contacts, and the id of one that is deleted', async () => {
  const { kith, ada, muhammad, create, takeWrites } = await startSmallService();
  const grace = await create('contacts', { first_name: 'Grace' });
  takeWrites();
  const update = (...flags: string[]) => kith(['contacts', 'update', ada, ...flags]);
  await update('--add-field', 'Knows=محمد علي', '--add-field', 'Knows=grace');
  await update('--remove-field', 'Knows=GRACE');
  const knows = (value: unknown) =>
    `PATCH /v1/contacts/${ada} ${JSON.stringify({ custom_fields: [{ name: 'Knows', value }] })}`;
  expect(takeWrites()).toEqual([knows([muhammad, grace]), knows([muhammad])]);
  await kith(['contacts', 'delete', muhammad, '--yes']);
  takeWrites();
  await update('--remove-field', `Knows=${muhammad}`);
  expect(takeWrites()).toEqual([knows(null)]);
});

test('stops if the service ignores the filter for email addresses', async () => {
  const other = { id: 'c2', first_name: 'Grace', emails: ['grace@x.example'] };
  const { requests, env } = await startTestService((_, response) =>
    sendJson(response, 200, { data: [other] }),
  );
  const kith = createMachine();
  for (const line of ['contacts delete ada@x.example --yes', 'events list --contact ada@x.example'])
    expect(await kith(line, { env })).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('The service ignored the filter email'),
    });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('reads 4000 organizations once to find a name', async () => {
  const all = Array.from({ length: 4000 }, (_, index) => ({ id: `o${index}`, name: `물류 ${index}` }));
  const { requests, env } = await startTestService(({ url }, response) => sendPage(response, url, all));
  const name = '물류 3876'.normalize('NFD');
  const line = `notes create --body x --dry-run --jq .body.organization_id --organization "${name}"`;
  const { out } = await createMachine()(line, { env });
  expect({ out, count: requests.length }).toEqual({ out: 'o3876\n', count: 41 });
});

test.each(['', '  '])('an empty reference "%s" names no record without a name', async (reference) => {
  const { kith, create, takeWrites } = await startSmallService();
  await create('contacts', { emails: ['a@x.example'] });
  await create('organizations', { domains: ['x.example'] });
  expect(await kith(['contacts', 'delete', reference, '--yes'])).toMatchObject({ code: 3 });
  expect(await kith(['organizations', 'delete', reference, '--yes'])).toMatchObject({ code: 3 });
  expect(takeWrites()).toEqual([]);
});
