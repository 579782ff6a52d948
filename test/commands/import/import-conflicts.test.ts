import { expect, test } from 'vitest';
import { funnel } from '../../import/controlled-service.ts';
import { createWatchedImport, formatReportRows, parseError } from './import-machine.ts';

/** A machine on a service that has a contact, an organization, a field and a process. */
async function createPreparedMachine() {
  const machine = await createWatchedImport();
  const { sendOk } = machine;
  await sendOk('POST /v1/custom_fields', { model: 'contact', name: 'Title', data_type: 'text' });
  const ada = { first_name: 'Ada', emails: ['a@x.example'], phone_numbers: ['+821055501234'] };
  await sendOk('POST /v1/contacts', { ...ada, custom_fields: [{ name: 'Title', value: 'Engineer' }] });
  await sendOk('POST /v1/lists', { ...funnel, duplicates_allowed: false });
  machine.takeRequests();
  return machine;
}

test.each([
  ['by email', 'a@x.example,,Countess', 'A@X.example,,Lady'],
  ['by phone number in different notations', ',+821055501234,Countess', ',010-5550-1234,Lady'],
  ['one by email and one by phone number', 'a@x.example,,Countess', ',010-5550-1234,Lady'],
  ['one by phone number and one by email', ',+82 10-5550-1234,Countess', 'a@x.example,,Lady'],
])('two conflicting rows about one contact, %s, both leave the field unchanged', async (_, one, other) => {
  const { importRows, takeWrites, readReport, json } = await createPreparedMachine();
  const csv = `email,phone,Title\n${one}\nb@x.example,,Admiral\n${other}\n`;
  const sentence = 'custom field Title: row 2 has "Countess" and row 4 has "Lady"; it was not written.';
  for (const count of [1, 0]) {
    const { code, err } = await importRows('contacts', csv, '--json');
    expect([code, parseError(err).details]).toEqual([
      6,
      ['row 2', 'row 4'].map((pointer) => expect.objectContaining({ pointer, message: sentence })),
    ]);
    expect(formatReportRows(readReport())).toEqual([
      `2 refused ${sentence}`,
      count === 1 ? '3 create' : '3 same',
      `4 refused ${sentence}`,
    ]);
    expect(takeWrites()).toHaveLength(count);
  }
  const titles = (await json('contacts list')).map(({ custom_fields }) => JSON.stringify(custom_fields));
  expect(titles[0]).toContain('"Engineer"');
});

test('writes the fields on which rows agree; a dry run and --strict report the same', async () => {
  const { importRows, takeWrites, json, readReport } = await createPreparedMachine();
  const csv = 'email,first_name,last_name,Title\nnew@x.example,Grace,Hopper,A\nnew@x.example,Grace,,B\n';
  const plan = await importRows('contacts', csv, '--dry-run');
  expect([plan.code, plan.out]).toEqual([6, expect.stringContaining('row 2 has "A" and row 3 has "B"')]);
  expect((await importRows('contacts', csv, '--strict')).code).toBe(2);
  expect(takeWrites()).toEqual([]);
  expect((await importRows('contacts', csv)).code).toBe(6);
  expect(readReport().map(({ action, id }) => [action, id !== ''])).toEqual([
    ['refused', true],
    ['refused', true],
  ]);
  expect((await json('contacts list'))[1]).toMatchObject({ first_name: 'Grace', last_name: 'Hopper' });
  expect(takeWrites()).toHaveLength(1);
});

test('refuses all of three conflicting rows, each with a row that it conflicts with', async () => {
  const { importRows, readReport, takeWrites } = await createPreparedMachine();
  await importRows('contacts', 'email,first_name\na@x.example,Ada\na@x.example,Eva\na@x.example,Ada\n');
  expect(formatReportRows(readReport()).map((line) => line.slice(0, 60))).toEqual([
    '2 refused first_name: row 2 has "Ada" and row 3 has "Eva"; i',
    '3 refused first_name: row 2 has "Ada" and row 3 has "Eva"; i',
    '4 refused first_name: row 3 has "Eva" and row 4 has "Ada"; i',
  ]);
  expect(takeWrites()).toEqual([]);
});

test.each([
  [
    'different people at one telephone',
    'c@x.example,+82255501,Cy\nd@x.example,+82255501,Di\n',
    'contacts',
    '',
    0,
  ],
  ['one value written in two ways', 'c@x.example,,Cy\nC@X.example,, Cy \n', 'contacts', '', 0],
  [
    'a row that matches several contacts',
    'c@x.example,,C\nd@x.example,,D\nc@x.example;d@x.example,,E\n',
    'contacts',
    '',
    1,
  ],
])('%s do not conflict', async (_, rows, noun, flags, refused) => {
  const { importRows, readReport } = await createPreparedMachine();
  await importRows(noun, `email,phone,first_name\n${rows}`, flags);
  const lines = formatReportRows(readReport());
  expect(lines.filter((line) => line.includes('refused'))).toHaveLength(refused);
  expect(lines.filter((line) => line.includes('not written'))).toEqual([]);
});

test('finds conflicting rows of organizations and entries', async () => {
  const { kith, writeTestFile, importRows, readReport, takeWrites, takeRequests } =
    await createPreparedMachine();
  const firms =
    'name,domain\nAcme,acme.example\nBcme,acme.example\nAcme Ltd,c.example\nACME  ltd,c.example\n';
  await importRows('organizations', firms);
  expect(formatReportRows(readReport()).map((line) => line.slice(0, 61))).toEqual([
    '2 refused name: row 2 has "Acme" and row 3 has "Bcme"; it was',
    '3 refused name: row 2 has "Acme" and row 3 has "Bcme"; it was',
    '4 create',
    '5 same',
  ]);
  const deals = writeTestFile(
    'deals.csv',
    'email,phone,status,Tier\na@x.example,,Lead,Gold\n,+821055501234,,Silver\n',
  );
  takeRequests();
  const { code, err } = await kith(['entries', 'import', 'Funnel', deals]);
  expect([code, err]).toEqual([
    6,
    expect.stringContaining('list field Tier: row 2 has "Gold" and row 3 has "Silver"'),
  ]);
  expect(takeWrites()).toEqual([expect.not.stringContaining('Tier')]);
});

test('writes the values of all rows about a record at once, also of rows far apart', async () => {
  const { importRows, takeWrites, readReport } = await createPreparedMachine();
  const others = Array.from({ length: 60 }, (_, at) => `p${at}@x.example,,,`).join('\n');
  const csv =
    'email,phone,first_name,Title\n' +
    `new@x.example,,Grace,\n,010-5550-1234,,Countess\na@x.example,,Ada,\n${others}\n` +
    'NEW@x.example;g@x.example,,,Admiral\nNew@x.example,+821055507777,,\ng@x.example,,Grace,\n';
  const dry = await importRows('contacts', csv, '--dry-run');
  expect((await importRows('contacts', csv)).code).toBe(0);
  const writes = takeWrites().filter((line) => !/"p\d/.test(line));
  expect(writes.toSorted()).toEqual([
    expect.stringMatching(/^PATCH .*Countess/),
    expect.stringMatching(/^POST .*"Grace".*"new@x.example","g@x.example".*"\+821055507777"/),
  ]);
  const lines = formatReportRows(readReport());
  const own = [...lines.slice(0, 3), ...lines.slice(-3)];
  expect(own).toEqual(['2 create', '3 update', '4 same', '65 update', '66 update', '67 same']);
  for (const line of own)
    expect(dry.out).toMatch(new RegExp(`${line.split(' ')[1]} .*\\(row ${line.split(' ')[0]}\\b`));
});

test('finds conflicting rows about a new contact, one by email and one by phone number', async () => {
  const { importRows, takeWrites, readReport } = await createPreparedMachine();
  await importRows('contacts', 'email,phone,Title\nc@x.example,+821055507777,A\n,010-5550-7777,B\n');
  const sentence = 'custom field Title: row 2 has "A" and row 3 has "B"; it was not written.';
  expect(formatReportRows(readReport())).toEqual([`2 refused ${sentence}`, `3 refused ${sentence}`]);
  expect(takeWrites()).toEqual([expect.not.stringContaining('Title')]);
});
