import { expect, test } from 'vitest';
import { readState } from '../../import/state.ts';
import { formatReportRows } from './import-machine.ts';
import { createUndoMachine } from './undo-machine.ts';

const csv = 'email,Mentor:contact\na@x.example,b@x.example\nb@x.example,A@x.example\nc@x.example,\n';

test('imports contacts that refer to each other in one run, and undoes it', async () => {
  const { importRows, undo, readReport, sendOk, json, takeWrites } = await createUndoMachine();
  const before = await readState(sendOk);
  takeWrites();
  const dry = await importRows('contacts', csv, '--create-fields --dry-run');
  expect([dry.code, takeWrites()]).toEqual([0, []]);
  expect((await importRows('contacts', csv, '--create-fields --strict --concurrency 1')).code).toBe(0);
  expect(formatReportRows(readReport())).toEqual(['2 create', '3 create', '4 create']);
  const contacts = await json<{ id: string; custom_fields: object }[]>('contacts list');
  const [a, b] = contacts.map(({ id }) => id);
  const mentorIds = contacts.map(
    ({ custom_fields }) => Object.values(custom_fields).find(({ name }) => name === 'Mentor')?.value,
  );
  expect(mentorIds).toEqual([b, a, null]);
  expect(await undo()).toMatchObject({ code: 0, err: '' });
  expect(await readState(sendOk)).toEqual(before);
});

test('imports a row without a reference that was not found, and refuses it', async () => {
  const { importRows, readReport, json, undo } = await createUndoMachine();
  const { code } = await importRows(
    'contacts',
    'email,Mentor:contact\na@x.example,x@x.example\n',
    '--create-fields',
  );
  expect([code, formatReportRows(readReport())]).toEqual([
    6,
    ['2 refused Mentor: contact "x@x.example" not found. Everything else was imported.'],
  ]);
  const [contact] = await json<{ id: string }[]>('contacts list');
  expect(readReport()[0]?.id).toBe(contact?.id);
  expect((await undo()).code).toBe(0);
  expect(await json('contacts list')).toEqual([]);
});

test('imports organizations that refer to existing contacts', async () => {
  const { importRows, readReport, sendOk, json } = await createUndoMachine();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { emails: ['a@x.example'] });
  const rows = 'name,By:contact\nAcme,A@x.example\nOther,x@x.example\n';
  expect((await importRows('organizations', rows, '--create-fields')).code).toBe(6);
  expect(formatReportRows(readReport())).toEqual([
    '2 create',
    '3 refused By: contact "x@x.example" not found.',
  ]);
  expect(JSON.stringify(await json('organizations list'))).toContain(`"value":"${id}"`);
});
