import { expect, test } from 'vitest';
import { createSampleWorkspace } from '../../import/workspace.ts';

test('a dry run prints the plan of each row', async () => {
  const { importRows, toNames } = await createSampleWorkspace();
  const csv = 'deal,date,body\nQ-1,May 1,Signed\n';
  const { code, out, err } = await importRows('notes', csv, '--dry-run');
  expect([code, await toNames([out]), err]).toEqual([
    0,
    [
      '+ create note.organization_id: [acme.example], note.deal_id: [Q-1], note.body: May 1 Signed  (row 2)\n',
    ],
    '',
  ]);
});

test('guesses the columns of notes, and undoes their import in two ways', async () => {
  const { importRows, kith, json, env, toPath } = await createSampleWorkspace();
  const countNotes = async () => (await json('notes list --all')).length;
  const csv = 'Company,Date,Notes\nAcme,2026-05-01,"Called back.\nWants a quote."\nTwin,,x\n';
  expect(await importRows('notes', csv)).toMatchObject({
    code: 6,
    err: expect.stringContaining("kith: Guessed columns: --map 'Company=organization' --map 'Notes=body'\n"),
  });
  expect(await countNotes()).toBe(2);
  const line = `notes import --undo ${toPath('sheet.report.csv')}`;
  // A note of several lines has one line.
  expect((await kith(`${line} --dry-run`)).out.split('\n')).toEqual([
    expect.stringContaining('1 would be undone'),
    expect.stringMatching(/^ {2}delete note 2026-05-01.*Called/),
    '',
  ]);
  expect(await kith(`${line} --yes`)).toMatchObject({ code: 0, out: expect.stringContaining('1 undone') });
  expect(await countNotes()).toBe(1);
  const recorded = { env: { ...env, KITH_UNDO: 'on' } };
  await kith(['notes', 'import', toPath('sheet.csv')], recorded);
  expect((await kith('undo --yes', recorded)).out).toContain('1 undone');
  expect(await countNotes()).toBe(1);
});

test('imports the CSV export of notes without a change', async () => {
  const { importRows, runSuccessfully, takeWrites } = await createSampleWorkspace();
  await importRows('notes', 'organization,deal,body\nAcme,Q-1,"One\nTwo"\n한빛물류,,Three\n,FUN-1,Four\n');
  const { out } = await runSuccessfully('notes list --all --format csv');
  takeWrites();
  expect([(await importRows('notes', out, '', 'export.csv')).out, takeWrites()]).toEqual([
    expect.stringContaining('4 rows: 0 created, 0 updated, 4 same, 0 refused'),
    [],
  ]);
});

test('does not suggest --create-fields for an unknown column of notes', async () => {
  const { importRows } = await createSampleWorkspace();
  const csv = 'organization,body,Shoe\nAcme,Called,44\n';
  expect(await importRows('notes', csv, '--strict-columns')).toMatchObject({
    code: 2,
    err:
      'kith: "Shoe" doesn\'t match any field of a note.\nhint: Pass --map "Shoe=FIELD" or --ignore "Shoe". ' +
      'Available fields: organization, organization_id, deal, deal_id, body, domains, date.\n',
  });
});
