import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../src/contract/contacts.ts';
import type { CustomField } from '../../src/contract/custom-fields.ts';
import type { Organization } from '../../src/contract/organizations.ts';
import { type Database, openDatabase, transact } from '../../src/service/database.ts';
import { createService } from '../../src/service/dispatch.ts';
import { ids } from '../../src/service/ids.ts';
import { keptContacts, memoryOf, textOfAnswer } from '../../src/service/memory.ts';
import { temporaryFolder } from '../kith.ts';
import { later, workspace } from './service.ts';

/** The service on another connection to the file, which remembers nothing. */
function another(file: string) {
  const db = openDatabase(file);
  onTestFinished(() => db.destroy());
  const log = (text: string) => {
    throw new Error(text);
  };
  const service = createService({ db, now: () => new Date(later), log });
  const call = (line: string, body?: unknown) => {
    const [method = '', path = ''] = line.split(' ');
    return service({ method, path, query: [], body });
  };
  return { db, call };
}

/** A workspace that remembers its contacts, and three of them with all that a contact shows. */
async function remembering() {
  const file = join(temporaryFolder(), 'kith.sqlite');
  const made = workspace(file);
  memoryOf(made.db);
  const { give, call } = made;
  const field = await give<CustomField>('POST /v1/custom_fields', {
    ...{ name: 'Role', model: 'contact', data_type: 'text' },
  });
  const organization = await give<Organization>('POST /v1/organizations', { name: 'Acme' });
  const people: Contact[] = [];
  for (const name of ['ada', 'grace', 'edith']) {
    people.push(
      await give<Contact>('POST /v1/contacts', {
        ...{ first_name: name, emails: [`${name}@acme.example`, `${name}@home.example`] },
        ...{ phone_numbers: ['+14155550100'], organization_id: organization.id },
        custom_fields: [{ name: 'Role', value: 'R' }],
      }),
    );
  }
  const paths = {
    contact: `/v1/contacts/${people[1]?.id}`,
    field: `/v1/custom_fields/${field.id}`,
    organization: `/v1/organizations/${organization.id}`,
  };
  const fresh = another(file);
  /** Everything that shows contacts, as this service tells it and as one does that remembers nothing. */
  const both = async () => {
    const lines = ['', ...people.map(({ id }) => `/${id}`)].map((rest) => `GET /v1/contacts${rest}`);
    const [told, read]: [string[], string[]] = [[], []];
    for (const line of lines) {
      told.push(textOfAnswer((await call(line)).body).replace(/"request_id":"[^"]*",?/, ''));
      read.push(JSON.stringify((await fresh.call(line)).body));
    }
    return { told, read };
  };
  const kept = () => people.map((_, index) => keptContacts(made.db)?.get(index + 1) !== undefined);
  return { ...made, ...paths, paths, fresh, both, kept };
}

type Paths = Awaited<ReturnType<typeof remembering>>['paths'];

interface Write {
  readonly what: string;
  readonly line: (paths: Paths) => string;
  readonly body?: unknown;
}

const ofContact = (what: string, body: unknown): Write => ({
  what,
  line: ({ contact }) => `PATCH ${contact}`,
  body,
});

const age = { name: 'Age', model: 'contact', data_type: 'number', accepts_multiple_values: false };

const writes: readonly Write[] = [
  ofContact('a name', { first_name: 'Mary' }),
  ofContact('one email more', { emails: ['new@acme.example'] }),
  ofContact('other phones', { phone_numbers: ['+14155550199'] }),
  ofContact('no phone', { phone_numbers: [] }),
  ofContact('a value', { custom_fields: [{ name: 'Role', value: 'S' }] }),
  ofContact('no value', { custom_fields: [{ name: 'Role', value: null }] }),
  ofContact('no organization', { organization_id: null }),
  {
    what: 'one email less',
    line: ({ contact }) => `DELETE ${contact}/emails`,
    body: { emails: ['grace@home.example'] },
  },
  { what: 'a contact that goes', line: ({ contact }) => `DELETE ${contact}` },
  { what: 'a contact that comes', line: () => 'POST /v1/contacts', body: { first_name: 'New' } },
  { what: 'the name of a field', line: ({ field }) => `PATCH ${field}`, body: { name: 'Job' } },
  { what: 'a field that goes', line: ({ field }) => `DELETE ${field}` },
  { what: 'a field that comes', line: () => 'POST /v1/custom_fields', body: age },
  { what: 'an organization that goes', line: ({ organization }) => `DELETE ${organization}` },
];

test.each(writes)(
  '$what shows at once, whether this process or another writes it',
  async ({ line, body }) => {
    for (const which of ['this', 'another'] as const) {
      const { call, fresh, both, paths } = await remembering();
      const before = await both();
      expect(before.told).toEqual(before.read);
      const { status } = await (which === 'this' ? call : fresh.call)(line(paths), body);
      expect(status).toBeLessThan(300);
      const after = await both();
      expect(after.told).toEqual(after.read);
      expect(after.told).not.toEqual(before.told);
    }
  },
);

test('a write forgets the contacts that it wrote and no other; another process forgets all', async () => {
  const { call, both, kept, contact, fresh } = await remembering();
  expect(kept()).toEqual([false, false, false]);
  await both();
  expect(kept()).toEqual([true, true, true]);
  await call(`PATCH ${contact}`, { first_name: 'Mary' });
  expect(kept()).toEqual([true, false, true]);
  await call('POST /v1/organizations', { name: 'Other' });
  expect(kept()).toEqual([true, false, true]);
  await both();
  await fresh.call('POST /v1/organizations', { name: 'More' });
  expect(kept()).toEqual([false, false, false]);
});

test('the name of an organization, which a contact does not show, forgets no contact', async () => {
  const { call, both, kept, organization } = await remembering();
  const before = await both();
  await call(`PATCH ${organization}`, { name: 'Other' });
  expect(kept()).toEqual([true, true, true]);
  expect(await both()).toEqual(before);
});

/** What each statement writes, by the numbers of the contacts. */
test.each([
  ["insert into contact_email values ('x@x.example', 'x@x.example', 2, 9)", [2]],
  ["update contact_email set email = 'ADA@acme.example' where folded = 'ada@acme.example'", [1]],
  ["update contact_email set contact_id = 3, position = 9 where folded = 'ada@acme.example'", [1, 3]],
  ["delete from contact_email where folded = 'edith@acme.example'", [3]],
  ["insert into contact_phone values (2, 9, '+14155550101', '4155550101')", [2]],
  ['update contact_phone set contact_id = 3, position = 9 where contact_id = 1', [1, 3]],
  ['delete from contact_phone where contact_id = 2', [2]],
  ["update contact_value set value = '2' where record_id = 2", [2]],
  ["insert or replace into contact_value values (2, 1, '3')", [2]],
  ['delete from contact_value where record_id = 3', [3]],
  ['update contact set updated_at = 1 where id in (1, 2)', [1, 2]],
  ['delete from contact where id = 1', [1]],
  ['delete from organization', [1, 2, 3]],
  ["update custom_field set name = 'Job'", [1, 2, 3]],
  ['delete from custom_field', [1, 2, 3]],
  ["update workspace set region = 'KR'", []],
] as const)('%s forgets the contacts that it writes', async (statement, written) => {
  const { db, both, kept } = await remembering();
  await both();
  await sql.raw(statement).execute(db);
  expect(kept()).toEqual([1, 2, 3].map((row) => !written.some((other) => other === row)));
  const { told, read } = await both();
  expect(told).toEqual(read);
});

const rename = (db: Database, first_name: string) =>
  db.updateTable('contact').set({ first_name }).where('id', '=', 2).execute();

test('what a transaction has written and undone is not remembered', async () => {
  const { db, call, both, contact } = await remembering();
  const before = await both();
  const undone = transact(db, async (inside) => {
    await rename(inside, 'Nobody');
    memoryOf(db).known();
    const during = call(`GET ${contact}`);
    await sql`select 1`.execute(inside);
    throw Object.assign(new Error('undone'), { during });
  });
  const { during } = await undone.catch((error) => error);
  expect(await during).toMatchObject({ body: { first_name: 'grace' } });
  expect(await both()).toEqual(before);
});

test('what was read before a write is not remembered after it', async () => {
  const { db, contact, call, fresh } = await remembering();
  const old = (await call(`GET ${contact}`)).body as Contact; // of which this is the path
  for (const [name, writer] of Object.entries({ this: db, another: fresh.db })) {
    const before = keptContacts(db);
    await rename(writer, name);
    before?.keep(2, old);
    expect((await call(`GET ${contact}`)).body).toMatchObject({ first_name: name });
    const stale = keptContacts(db);
    await rename(writer, `${name} again`);
    keptContacts(db);
    stale?.keep(2, old);
    expect((await call(`GET ${contact}`)).body).toMatchObject({ first_name: `${name} again` });
  }
  expect(ids.contact.encode(2)).toBe(old.id);
});

test('a transaction remembers nothing, nor does a workspace that is not served', async () => {
  const { db } = await remembering();
  await transact(db, async (inside) => expect(keptContacts(inside)).toBeUndefined());
  expect(keptContacts(workspace().db)).toBeUndefined();
});
