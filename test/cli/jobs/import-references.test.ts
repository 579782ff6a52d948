import { expect, test } from 'vitest';
import { stateOf } from '../../import/state.ts';
import { told } from './importing.ts';
import { prepared } from './undoing.ts';

const sheet = 'email,Mentor:contact\na@x.example,b@x.example\nb@x.example,A@x.example\nc@x.example,\n';

test('imports contacts that refer to each other in one run, and undoes it', async () => {
  const { bring, undo, report, give, json, writes } = await prepared();
  const before = await stateOf(give);
  writes();
  const dry = await bring('contacts', sheet, '--create-fields --dry-run');
  expect([dry.code, writes()]).toEqual([0, []]);
  expect((await bring('contacts', sheet, '--create-fields --strict --concurrency 1')).code).toBe(0);
  expect(told(report())).toEqual(['2 create', '3 create', '4 create']);
  const contacts = await json<{ id: string; custom_fields: object }[]>('contacts list');
  const [a, b] = contacts.map(({ id }) => id);
  const mentors = contacts.map(
    ({ custom_fields }) => Object.values(custom_fields).find(({ name }) => name === 'Mentor')?.value,
  );
  expect(mentors).toEqual([b, a, null]);
  expect(await undo()).toMatchObject({ code: 0, err: '' });
  expect(await stateOf(give)).toEqual(before);
});

test('imports a row without a reference that was not found, and refuses it', async () => {
  const { bring, report, json, undo } = await prepared();
  const { code } = await bring(
    'contacts',
    'email,Mentor:contact\na@x.example,x@x.example\n',
    '--create-fields',
  );
  expect([code, told(report())]).toEqual([
    6,
    ['2 refused Mentor: contact "x@x.example" not found. Everything else was imported.'],
  ]);
  const [contact] = await json<{ id: string }[]>('contacts list');
  expect(report()[0]?.id).toBe(contact?.id);
  expect((await undo()).code).toBe(0);
  expect(await json('contacts list')).toEqual([]);
});

test('imports organizations that refer to existing contacts', async () => {
  const { bring, report, give, json } = await prepared();
  const { id } = await give<{ id: string }>('POST /v1/contacts', { emails: ['a@x.example'] });
  const rows = 'name,By:contact\nAcme,A@x.example\nOther,x@x.example\n';
  expect((await bring('organizations', rows, '--create-fields')).code).toBe(6);
  expect(told(report())).toEqual(['2 create', '3 refused By: contact "x@x.example" not found.']);
  expect(JSON.stringify(await json('organizations list'))).toContain(`"value":"${id}"`);
});
