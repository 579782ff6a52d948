import { expect, test } from 'vitest';
import { funnel } from '../../import/controlled-service.ts';
import { createWatchedImport, formatReportRows, type JsonRecord } from './import-machine.ts';

/** Creates a machine with the organization Acme, a contact of it, and a process of each with a deal: D-1 and FUN-1. */
async function createNotesMachine() {
  const machine = await createWatchedImport();
  const { sendOk } = machine;
  const create = async (path: string, body: object) =>
    (await sendOk<{ id: string }>(`POST ${path}`, body)).id;
  const acme = await create('/v1/organizations', { name: 'Acme', domains: ['acme.example'] });
  const other = await create('/v1/organizations', { name: '한빛물류' });
  const ada = await create('/v1/contacts', { first_name: 'Ada', organization_id: acme });
  const deals = await create('/v1/lists', {
    ...{
      name: 'Deals',
      process: true,
      entry_type: 'Organization',
      identifier: 'D',
      duplicates_allowed: true,
    },
    statuses: [{ name: 'Lead', type: 'active' }],
  });
  const contactDeals = await create('/v1/lists', funnel);
  const addEntry = (list: string, entryable_id: string, entryable_type: string) =>
    create(`/v1/lists/${list}/entries`, { entryable_id, entryable_type, status: 'Lead' });
  const deal = await addEntry(deals, acme, 'Organization');
  const second = await addEntry(deals, acme, 'Organization');
  const contactDeal = await addEntry(contactDeals, ada, 'Contact');
  machine.takeWrites();
  const listNotes = async () =>
    (await machine.json<JsonRecord[]>('notes list --all')).map((note) => [
      note.organization_id,
      note.deal_id,
      note.body,
    ]);
  const undo = (flags = '') =>
    machine.kith(`notes import --undo ${machine.toPath('sheet.report.csv')} --yes ${flags}`);
  return { ...machine, acme, other, ada, deal, second, contactDeal, addEntry, contactDeals, listNotes, undo };
}

const csv = [
  'Company,Deal,Date,Notes',
  'acme,,2026-05-01,"Called back.\nWants a quote."',
  'acme.example,D-1,,Quote sent',
  ',d-1,,Signed',
  ',FUN-1,,Met Ada',
  '한빛물류,,,Quote sent',
  'acme,,2026-05-01,"Called back.\r\nWants a quote. "',
].join('\n');

test('imports notes, and changes nothing in a second run', async () => {
  const { importRows, listNotes, acme, other, deal, contactDeal, readReport, takeWrites } =
    await createNotesMachine();
  const { code, err } = await importRows('notes', csv);
  expect([code, err]).toEqual([
    0,
    "kith: Guessed columns: --map 'Company=organization' --map 'Notes=body'\n",
  ]);
  expect(await listNotes()).toEqual([
    [acme, null, '2026-05-01\nCalled back.\nWants a quote.'],
    [acme, deal, 'Quote sent'],
    [acme, deal, 'Signed'],
    [acme, contactDeal, 'Met Ada'],
    [other, null, 'Quote sent'],
  ]);
  const rows = ['2', '3', '4', '5', '6', '7'];
  expect(formatReportRows(readReport())).toEqual(
    rows.map((row) => `${row} ${row === '7' ? 'same' : 'create'}`),
  );
  takeWrites();
  expect((await importRows('notes', csv)).out).toContain('6 same');
  expect([takeWrites(), formatReportRows(readReport())]).toEqual([[], rows.map((row) => `${row} same`)]);
});

test('a dry run prints the plan of each row and sends nothing', async () => {
  const { importRows, takeWrites, acme, deal } = await createNotesMachine();
  const { code, out } = await importRows('notes', 'deal,date,body\nD-1,May 1,Signed\n', '--dry-run');
  expect([code, out, takeWrites()]).toEqual([
    0,
    `+ create note.organization_id: ${acme}, note.deal_id: ${deal}, note.body: May 1 Signed  (row 2)\n`,
    [],
  ]);
});

test('undoes an import of notes', async () => {
  const { importRows, undo, listNotes, sendOk, acme, kith, env, toPath } = await createNotesMachine();
  await sendOk('POST /v1/notes', { organization_id: acme, body: 'Quote sent' });
  const before = await listNotes();
  await importRows('notes', csv);
  expect(await listNotes()).toHaveLength(5);
  const preview = await undo('--dry-run');
  expect([preview.code, preview.out]).toEqual([0, expect.stringContaining('5 would be undone')]);
  expect(await undo()).toMatchObject({ code: 0, out: expect.stringContaining('5 undone') });
  expect(await listNotes()).toEqual(before);
  const recorded = { env: { ...env, KITH_UNDO: 'on' } };
  expect((await kith(['notes', 'import', toPath('sheet.csv')], recorded)).code).toBe(0);
  expect((await kith('undo --yes', recorded)).out).toContain('5 undone');
  expect(await listNotes()).toEqual(before);
});

test('adds the deal of a row to a note without a deal, but not to a note of another deal', async () => {
  const { importRows, listNotes, sendOk, acme, deal, second, takeWrites } = await createNotesMachine();
  await sendOk('POST /v1/notes', { organization_id: acme, body: 'Called' });
  takeWrites();
  const rows = 'organization,deal,body\nAcme,D-1,Called\nAcme,D-2,Called\nAcme,,Called\n';
  expect((await importRows('notes', rows)).out).toContain('1 created, 1 updated, 1 same');
  const expected = [
    [acme, deal, 'Called'],
    [acme, second, 'Called'],
  ];
  expect(await listNotes()).toEqual(expected);
  expect((await importRows('notes', rows)).out).toContain('3 same');
  expect(await listNotes()).toEqual(expected);
});

test('creates one note for several rows about it', async () => {
  const { importRows, takeWrites, acme, deal } = await createNotesMachine();
  await importRows('notes', 'organization,deal,body\nAcme,,Called\n,D-1,Called\n');
  expect(takeWrites()).toEqual([
    `POST /v1/notes ${JSON.stringify({ organization_id: acme, body: 'Called', deal_id: deal })}`,
  ]);
});

test('does not create a note again if the response to its creation was lost', async () => {
  const { importRows, control, listNotes, readReport, acme } = await createNotesMachine();
  control.after = ({ method }, response) => {
    if (method !== 'POST') return false;
    control.after = () => false;
    response.destroy();
    return true;
  };
  expect((await importRows('notes', 'organization,body\nAcme,Called\n', '--retries 0')).code).toBe(0);
  expect(readReport().map(({ action }) => action)).toEqual(['create']);
  expect((await importRows('notes', 'organization,body\nAcme,Called\n')).code).toBe(0);
  expect(await listNotes()).toEqual([[acme, null, 'Called']]);
});

test('keeps the deal_id of a row with an organization, because the deal may be deleted', async () => {
  const { importRows, listNotes, acme } = await createNotesMachine();
  await importRows('notes', 'organization_id,deal_id,body\n'.concat(`${acme},unlisted,Called\n`));
  expect(await listNotes()).toEqual([[acme, 'unlisted', 'Called']]);
});

test('imports the CSV export of notes without a change', async () => {
  const { importRows, runSuccessfully, takeWrites } = await createNotesMachine();
  await importRows('notes', csv);
  const { out } = await runSuccessfully('notes list --all --format csv');
  takeWrites();
  expect([(await importRows('notes', out, '', 'export.csv')).out, takeWrites()]).toEqual([
    expect.stringContaining('5 rows: 0 created, 0 updated, 5 same, 0 refused'),
    [],
  ]);
});

test.each([
  ['Acme,,', 'No text for the note; fill in the body.'],
  [',,Called', 'No organization or deal for the note; fill in one of them.'],
  ['Nobody,,Called', 'Organization "Nobody" not found.'],
  [',D-9,Called', 'Deal "D-9" not found.'],
  ['Acme,Nothing,Called', 'Deal "Nothing" not found.'],
  ['한빛물류,D-1,Called', /^The deal "D-1" belongs to another organization: /],
  [',FUN-2,Called', 'The contact of the deal "FUN-2" has no organization.'],
  ['Twins,,Called', /^Several organizations have the name "Twins": /],
  [',TWIN-1,Called', /^Several deals have the key "TWIN-1": /],
])('refuses the row %s', async (cells, message) => {
  const { importRows, readReport, sendOk, addEntry, contactDeals, acme, takeWrites } =
    await createNotesMachine();
  if (cells.includes('FUN-2')) {
    const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { first_name: 'Nobody' });
    await addEntry(contactDeals, id, 'Contact');
  }
  for (const domain of cells.startsWith('Twins') ? ['a.example', 'b.example'] : [])
    await sendOk('POST /v1/organizations', { name: 'Twins', domains: [domain] });
  for (const name of cells.includes('TWIN') ? ['One', 'Two'] : []) {
    const process = { ...funnel, name, identifier: 'TWIN', entry_type: 'Organization' };
    await addEntry((await sendOk<{ id: string }>('POST /v1/lists', process)).id, acme, 'Organization');
  }
  takeWrites();
  const { code } = await importRows('notes', `organization,deal,body\n${cells}\n`);
  const error = typeof message === 'string' ? message : expect.stringMatching(message);
  expect([code, readReport(), takeWrites()]).toEqual([
    6,
    [expect.objectContaining({ action: 'refused', error })],
    [],
  ]);
});

test('the plan of an undo has one line for a note of several lines', async () => {
  const { importRows, undo } = await createNotesMachine();
  await importRows('notes', 'organization,body,date\nAcme,Called,2026-05-01\n');
  expect((await undo('--dry-run')).out.split('\n')).toEqual([
    expect.stringContaining('1 would be undone'),
    expect.stringMatching(/^ {2}delete note 2026-05-01.*Called/),
    '',
  ]);
});

test('does not suggest --create-fields for an unknown column of notes', async () => {
  const { importRows } = await createNotesMachine();
  const csv = 'organization,body,Shoe\nAcme,Called,44\n';
  expect(await importRows('notes', csv, '--strict-columns')).toMatchObject({
    code: 2,
    err:
      'kith: "Shoe" doesn\'t match any field of a note.\nhint: Pass --map "Shoe=FIELD" or --ignore "Shoe". ' +
      'Available fields: organization, organization_id, deal, deal_id, body, domains, date.\n',
  });
});
