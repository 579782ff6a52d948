import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { readState } from '../../import/state.ts';
import { createImportMachine, createUndoMachine, type JsonRecord, parseCounts } from './import-machine.ts';

test('skips and names records changed since, and restores everything else', async () => {
  const { sendOk, importRows, undo } = await createUndoMachine();
  await sendOk('POST /v1/contacts', { first_name: 'Old', emails: ['o@x.example'] });
  await importRows('contacts', 'email,first_name\na@x.example,A\nb@x.example,B\no@x.example,New\n');
  const { data } = await sendOk<{ data: JsonRecord[] }>('GET /v1/contacts');
  const findId = (name: string) => data.find(({ first_name }) => first_name === name)?.id;
  await sendOk(`PATCH /v1/contacts/${findId('A')}`, { last_name: 'Mine' });
  await sendOk(`PATCH /v1/contacts/${findId('New')}`, { last_name: 'Another field' });
  const { code, out, err } = await undo();
  expect([code, parseCounts(out)]).toEqual([6, '2 undone, 0 already undone, 1 changed since, 0 failed']);
  expect(err).toBe(`kith: Row 2: The contact ${findId('A')} was changed since; skipped.\n`);
  const remaining = (await sendOk<{ data: JsonRecord[] }>('GET /v1/contacts')).data;
  expect(remaining.map(({ first_name, last_name }) => [first_name, last_name])).toEqual([
    ['Old', 'Another field'],
    ['A', 'Mine'],
  ]);
});

test('keeps a created record that has new related records', async () => {
  const { importRows, undo, sendOk } = await createUndoMachine();
  const csv = [
    'email,organization',
    'a@x.example,Noted',
    'b@x.example,Staffed',
    'c@x.example,Listed',
    'd@x.example,Free',
    'e@x.example,',
  ].join('\n');
  await importRows('contacts', csv, '--organization auto --list Funnel');
  const findId = async (path: string, name: string) =>
    (await sendOk<{ data: JsonRecord[] }>(`GET /v1/${path}`)).data.find((one) =>
      JSON.stringify(one).includes(name),
    )?.id;
  const [list] = (await sendOk<{ data: JsonRecord[] }>('GET /v1/lists')).data;
  await sendOk('POST /v1/notes', { organization_id: await findId('organizations', 'Noted'), body: 'Mine' });
  await sendOk('POST /v1/contacts', {
    first_name: 'Own',
    organization_id: await findId('organizations', 'Staffed'),
  });
  const { id } = await sendOk<JsonRecord>('POST /v1/lists', {
    name: 'Accounts',
    process: false,
    entry_type: 'Organization',
  });
  await sendOk(`POST /v1/lists/${id}/entries`, {
    entryable_id: await findId('organizations', 'Listed'),
    entryable_type: 'Organization',
  });
  await sendOk(`POST /v1/lists/${list?.id}/entries`, {
    entryable_id: await findId('contacts', 'e@x.example'),
    entryable_type: 'Contact',
    status: 'Won',
  });
  const before = await readState(sendOk);
  const preview = await undo('--dry-run');
  expect(await readState(sendOk)).toEqual(before);
  const { code, out, err } = await undo();
  const [counts = '', ...changes] = preview.out.trimEnd().split('\n');
  expect([code, out]).toEqual([6, `${counts.replace('would be undone', 'undone')}\n`]);
  expect(changes).toHaveLength(10);
  expect(err).toBe(preview.err);
  for (const kind of ['note', 'contact', 'entry']) {
    expect(err).toMatch(new RegExp(`The organization \\w+ has the ${kind} \\w+ now; skipped.`));
  }
  expect(err).toMatch(/The contact \w+ has the entry \w+ now; skipped/);
  const { data } = await sendOk<{ data: JsonRecord[] }>('GET /v1/organizations');
  expect(data.map(({ name }) => name).sort()).toEqual(['Listed', 'Noted', 'Staffed']);
  const people = (await sendOk<{ data: JsonRecord[] }>('GET /v1/contacts')).data;
  expect(people.map(({ first_name, emails }) => first_name ?? emails)).toEqual([['e@x.example'], 'Own']);
});

test.each([
  ['with LF', (text: string) => text.replaceAll('\r\n', '\n')],
  ['with semicolons', (text: string) => saveWith(text, ';', false)],
  ['with a mark of UTF-8, semicolons and quotes', (text: string) => `\ufeff${saveWith(text, ';')}`],
  ['with a mark of UTF-8 and tabs', (text: string) => `\ufeff${saveWith(text, '\t')}`],
  ['with a word behind its rows', (text: string) => text.replaceAll('"\r\n', '",mine\r\n')],
  ['with CR', (text: string) => text.replaceAll('\r\n', '\r')],
  ['without the empty cells at the ends of rows', (text: string) => text.replace(/,+(?=\r\n)/g, '')],
])('undoes a report that a spreadsheet program saved %s', async (_, saved) => {
  const { importRows, undo, writeTestFile, toPath, sendOk } = await createUndoMachine();
  const before = await readState(sendOk);
  await importRows(
    'contacts',
    'email,first_name,Rooms\na@x.example,"A, B; C\tD",x\nb@x.example,B,\nc@x.example,C,3\n',
  );
  const read = () => readFileSync(toPath('sheet.report.csv'), 'utf8');
  const report = saved(read());
  writeTestFile('sheet.report.csv', report);
  const { code, out, err } = await undo();
  expect([code, parseCounts(out), err]).toEqual([
    0,
    '3 undone, 0 already undone, 0 changed since, 0 failed',
    '',
  ]);
  expect(read()).toBe(report);
  expect(await readState(sendOk)).toEqual(before);
});

const saveWith = (text: string, delimiter: string, quoted = true) =>
  stringify(parse(text, { relax_column_count: true }), { delimiter, quoted, record_delimiter: '\r\n' });

test('deletes records only after a confirmation', async () => {
  const { importRows, kith, toPath } = await createImportMachine();
  await importRows('contacts', 'email\r\nada@x.example\r\n');
  const line = `contacts import --undo ${toPath('sheet.report.csv')}`;
  expect((await kith(line)).code).toBe(2);
  const promptResult = await kith(line, { terminal: 100, answers: [false] });
  expect([promptResult.code, promptResult.err.split('\n')[0]]).toEqual([
    1,
    'Delete the record that the import created, and restore the others?',
  ]);
  expect((await kith('contacts list --jq length')).out).toBe('1\n');
  expect((await kith(line, { terminal: 100, answers: [true] })).code).toBe(0);
  expect((await kith('contacts list --jq length')).out).toBe('0\n');
});

test('the undo of an import that created more than ten records requires their number', async () => {
  const { importRows, kith, toPath } = await createUndoMachine();
  const rows = Array.from({ length: 11 }, (_, index) => `p${index}@x.example,P`);
  await importRows('contacts', ['email,first_name', ...rows].join('\n'));
  const line = `contacts import --undo ${toPath('sheet.report.csv')}`;
  const { code, out, err } = await kith(line, { terminal: 200, answers: ['y', '11'] });
  expect([code, parseCounts(out), err]).toEqual([
    0,
    '11 undone, 0 already undone, 0 changed since, 0 failed',
    'Delete the 11 records that the import created, and restore the others? Type 11 to confirm:\n' +
      'That does not match. Press Escape to cancel.\n',
  ]);
});

test('creates fields with the first row that is written, and deletes those that nobody uses', async () => {
  const { importRows, undo, json, sendOk } = await createUndoMachine();
  const listFields = async () => (await json('fields list --all')).map(({ name }) => name);
  const before = await listFields();
  expect((await importRows('contacts', 'email,Shoe\nnone,44\n', '--create-fields')).code).toBe(6);
  expect(await listFields()).toEqual(before);
  const csv = 'email,Shoe,Size\na@x.example,44,1\nb@x.example,45,2\n';
  await importRows('contacts', csv, '--create-fields');
  expect(await listFields()).toEqual([...before, 'Shoe', 'Size']);
  await sendOk('POST /v1/contacts', {
    emails: ['own@x.example'],
    custom_fields: [{ name: 'Shoe', value: 40 }],
  });
  const { code, err } = await undo();
  expect([code, err]).toEqual([
    6,
    expect.stringMatching(/^kith: Row 2: The custom field \w+ has the contact \w+ now; skipped\.\n$/),
  ]);
  expect(await listFields()).toEqual([...before, 'Shoe']);
});
