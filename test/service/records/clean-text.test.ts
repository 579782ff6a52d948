import { expect } from 'vitest';
import type { Contact } from '../../../src/contract/contacts.ts';
import type { CustomField } from '../../../src/contract/custom-fields.ts';
import type { Note } from '../../../src/contract/notes.ts';
import type { Organization } from '../../../src/contract/organizations.ts';
import { test } from '../engines.ts';
import { openTestWorkspace } from '../service.ts';

test('cleans names, addresses and numbers from other programs before it stores them', async () => {
  const { sendOk } = await openTestWorkspace();
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    first_name: '\u202aAda\u00ad Maria\u202c',
    last_name: 'می\u200cخواهم 👨\u200d👩\u200d👧',
    emails: ['Ada <ada@a.example\u200b>', 'mailto:ada@a.example', '\u2067b@a.example\u2069'],
    phone_numbers: ['tel:+1\u00a0(415)\u00a0555\u20112671', '１４１５５５５２６７１.0'],
  });
  expect(contact).toMatchObject({
    first_name: 'Ada Maria',
    last_name: 'می\u200cخواهم 👨\u200d👩\u200d👧',
    emails: ['ada@a.example', 'b@a.example'],
    phone_numbers: ['+14155552671'],
  });
  const found = async (query: string) =>
    (await sendOk<{ data: Contact[] }>(`GET /v1/contacts?${query}`)).data;
  expect(await found(`email=${encodeURIComponent('"Ada" <ADA@a.example>')}`)).toEqual([contact]);
  expect(await found(`phone_number=${encodeURIComponent('415\u2013555\u20132671')}`)).toEqual([contact]);
  const organization = await sendOk<Organization>('POST /v1/organizations', {
    name: '\ufeffMüller\u200b GmbH',
    domains: ['https://mül\u00adler.example/\u200b'],
  });
  expect(organization).toMatchObject({ name: 'Müller GmbH', domains: ['xn--mller-kva.example'] });
});

test('removes invisible characters only at the ends of other texts', async () => {
  const { sendOk } = await openTestWorkspace();
  const { id: organization_id } = await sendOk<Organization>('POST /v1/organizations', { name: 'Acme' });
  const note = await sendOk<Note>('POST /v1/notes', { organization_id, body: '\ufeff a\u200eb\n\u200b' });
  expect(note.body).toBe(' a\u200eb\n');
  const define = (name: string, data_type: string) =>
    sendOk<CustomField>('POST /v1/custom_fields', { name, model: 'contact', data_type });
  for (const [name, type] of [['Level\u200b', 'text'], ['Since', 'date'], ['Site', 'url']] as const) // biome-ignore format: a table
    await define(name, type);
  const contact = await sendOk<Contact>('POST /v1/contacts', {
    first_name: 'Ada',
    custom_fields: [
      { name: '\u200eLevel', value: '\u200fa\u200fb\u200f' },
      { name: 'Since', value: '2026\u201105\u201101' },
      { name: 'Site', value: 'https://a.example/\u200bx' },
    ],
  });
  expect(Object.values(contact.custom_fields).map((field) => [field?.name, field?.value])).toEqual([
    ['Level', 'a\u200fb'],
    ['Since', '2026-05-01'],
    ['Site', 'https://a.example/x'],
  ]);
});

test('shows the invisible characters of a value that it refuses', async () => {
  const { call } = await openTestWorkspace();
  const { body } = await call('POST /v1/contacts', {
    emails: ['a\u200b\u00a0b'],
    phone_numbers: ['12\u202ex'],
  });
  expect(JSON.stringify(body)).toContain(
    JSON.stringify('"a\\u200b\\u00a0b" is not an email address.').slice(1, -1),
  );
  expect(JSON.stringify(body)).toContain(JSON.stringify('"12\\u202ex" is not a phone number.').slice(1, -1));
});
