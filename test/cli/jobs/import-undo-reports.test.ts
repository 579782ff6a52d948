import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stateOf } from '../../import/state.ts';
import { importingMachine, journalAt } from './importing.ts';
import { counts, prepared } from './undoing.ts';

const sheet = 'email\na@x.example\nb@x.example\n';
const journal = '.sheet.report.csv.kith-journal';

/** Cuts a journal to where it would end if its run had been killed at the second row. */
function cutToFirstRow(path: string): void {
  const text = readFileSync(path, 'utf8');
  const end = text.indexOf('{"row":3,"action"');
  writeFileSync(path, `${text.slice(0, end)}{"row":3,"act`);
}

test('an interrupted import is undone as far as it went', async () => {
  const { bring, undo, at, give } = await prepared();
  await bring('contacts', sheet);
  cutToFirstRow(at(journal));
  const { code, out, err } = await undo();
  expect([code, counts(out), err]).toEqual([
    6,
    '1 undone, 0 undone already, 0 changed since, 0 failed, 1 unknown',
    'kith: Row 3: The response was lost, so it may have been written. Check it.\n',
  ]);
  expect((await stateOf(give)).contacts).toEqual([expect.stringContaining('b@x.example')]);
});

test('a report is undone after it was moved with its journal, not without it', async () => {
  const { bring, undo, at, folder, writes, give } = await prepared();
  await bring('contacts', sheet);
  writes();
  const move = (name: string) => renameSync(at(name), at(`done/${name}`));
  await (await import('node:fs/promises')).mkdir(at('done'));
  move('sheet.report.csv');
  expect(await undo('', 'done/sheet.report.csv')).toEqual({
    code: 3,
    out: '',
    err:
      `kith: ${folder}/done/sheet.report.csv has no journal: ${folder}/done/${journal} is missing.\n` +
      'hint: Move the journal back to that path. Without it the import cannot be undone.\n',
  });
  expect(writes()).toEqual([]);
  move(journal);
  expect(await undo('', 'done/sheet.report.csv')).toMatchObject({ code: 0, err: '' });
  expect((await stateOf(give)).contacts).toEqual([]);
});

test('refuses to undo with another API key of the same service, and deletes nothing', async () => {
  const { bring, undo, kith, at, folder, env, writes, give } = await prepared();
  await bring('contacts', sheet);
  writes();
  const other = { env: { ...env, KITH_API_KEY: 'another-key' } };
  for (const flags of ['', '--dry-run']) {
    const line = `contacts import --undo ${at('sheet.report.csv')} --yes ${flags}`;
    expect(await kith(line, other)).toEqual({
      code: 2,
      out: '',
      err:
        `kith: ${at('sheet.report.csv')} is the report of an import into ${env.KITH_BASE_URL}/ with another API key.\n` +
        'hint: Use the key or the profile that the import used.\n',
    });
  }
  expect(writes()).toEqual([]);
  expect(readFileSync(join(folder, journal), 'utf8')).not.toContain(env.KITH_API_KEY);
  expect((await undo()).code).toBe(0);
  expect((await stateOf(give)).contacts).toEqual([]);
});

test('undoes and resumes an import into a workspace file that was moved', async () => {
  const { kith, bring, at, database, folder } = await importingMachine();
  await bring('contacts', sheet);
  cutToFirstRow(at(journal));
  renameSync(database, at('moved.sqlite'));
  await kith(['auth', 'login', '--local', '--database', at('moved.sqlite')]);
  const resumed = await bring('contacts', sheet);
  expect([resumed.code, resumed.err]).toEqual([
    0,
    expect.stringContaining('Resuming the interrupted import'),
  ]);
  const report = join(folder, 'sheet.report.csv');
  expect(await kith(`contacts import --undo ${report} --yes`)).toMatchObject({ code: 0 });
  expect((await kith('contacts list --json')).out).toBe('[]\n');
});

test('refuses a report with the journal of another import', async () => {
  const { bring, undo, at, writes } = await prepared();
  await bring('contacts', sheet);
  await bring('contacts', sheet.replaceAll('@x', '@y'));
  renameSync(at('sheet.report.previous.csv'), at('sheet.report.csv'));
  writes();
  expect(await undo()).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      `sheet.report.csv and its journal ${at(journal)} belong to different imports.`,
    ),
  });
  expect(writes()).toEqual([]);
  rmSync(at('sheet.report.csv'));
  expect(await undo()).toMatchObject({ code: 0, err: '' });
});

test('refuses the report of another workspace, a damaged journal, and a file that is not a report', async () => {
  const { bring, undo, at, file, writes } = await prepared();
  await bring('contacts', sheet);
  writes();
  const whole = readFileSync(at(journal), 'utf8');
  const trial = async (text: string) => {
    writeFileSync(at(journal), text);
    const { code, err } = await undo();
    return [code, err.split('\n')[0]?.replaceAll(at('sheet.report.csv'), 'FILE')];
  };
  expect(await trial(whole.replace(/http:..127.0.0.1:\d+/g, 'https://crm.example.com'))).toEqual([
    2,
    expect.stringMatching(
      /^kith: FILE is the report of an import into https:..crm.example.com\/?, not into http:/,
    ),
  ]);
  expect(await trial(whole.replace('"what":"contact"', '"what":"con'))).toEqual([
    1,
    `kith: ${at(journal)} is damaged at line 3.`,
  ]);
  file('mine.csv', 'my,own,work\n');
  expect((await undo('', 'mine.csv')).err).toContain('mine.csv has no journal');
  expect((await undo('', 'nothing.csv')).code).toBe(3);
  expect(writes()).toEqual([]);
});

test('does not resume an import that was undone: the next run imports everything again', async () => {
  const { bring, undo, at, give, report } = await prepared();
  await bring('contacts', sheet);
  cutToFirstRow(at(journal));
  const killed = readFileSync(at(journal), 'utf8');
  expect((await undo('--dry-run')).code).toBe(6);
  expect(readFileSync(at(journal), 'utf8')).toBe(killed);
  await undo();
  expect((await undo()).out).toContain(' 0 undone, 1 undone already');
  // The half of a line is gone, and there is one mark however often it is undone.
  expect(readFileSync(at(journal), 'utf8')).toBe(killed.replace('{"row":3,"act', '{"undone":true}\n'));
  const { code, err } = await bring('contacts', sheet);
  expect([code, err]).toEqual([0, expect.stringContaining(at('sheet.report.previous.csv'))]);
  expect(report().map(({ action }) => action)).toEqual(['create', 'same']);
  expect((await stateOf(give)).contacts).toHaveLength(2);
});

test('the last outcome of a row counts', async () => {
  const { bring, undo, at, give } = await prepared();
  await bring('contacts', sheet);
  // A run that resumed a killed one has found the row as it was to be.
  appendFileSync(at(journal), '{"row":3,"action":"same"}\n');
  const { code, out } = await undo();
  expect([code, counts(out)]).toEqual([0, '1 undone, 0 undone already, 0 changed since, 0 failed']);
  expect((await stateOf(give)).contacts).toEqual([expect.stringContaining('b@x.example')]);
});

test('names rows with a lost response and those that a killed run was sending', async () => {
  const { bring, undo, at, meddling } = await prepared();
  meddling.after = ({ method, body }, response) => {
    const isLost = method === 'POST' && body.includes('a@x.example');
    if (isLost) response.destroy();
    return isLost;
  };
  await bring('contacts', sheet, '--retries 0');
  const { code, out, err } = await undo();
  expect([code, counts(out)]).toEqual([
    6,
    '1 undone, 0 undone already, 0 changed since, 0 failed, 1 unknown',
  ]);
  expect(err).toBe('kith: Row 2: The response was lost, so it may have been written. Check it.\n');
  appendFileSync(at(journal), '{"row":9,"sending":{"what":"contact","body":{}}}\n');
  expect((await undo()).err).toMatch(/2 writes were not undone:\n.*row 2: .*\n.*row 9: /);
});

test('resumes an import without its report, and with one that a spreadsheet has saved', async () => {
  const { bring, at, report, writes } = await prepared();
  const outcome = await bring('contacts', sheet);
  expect(outcome.code).toBe(0);
  for (const change of [
    () => rmSync(at('sheet.report.csv')),
    () =>
      writeFileSync(at('sheet.report.csv'), '"email";"action";"id";"error"\n"a@x.example";"create";"";""\n'),
  ]) {
    cutToFirstRow(at(journal));
    change();
    writes();
    const { code, err } = await bring('contacts', sheet);
    expect([code, err]).toEqual([0, expect.stringContaining('Resuming the interrupted import')]);
    expect([writes(), report().map(({ action }) => action)]).toEqual([[], ['create', 'create']]);
    expect(journalAt(at('sheet.report.csv')).at(-1)).toEqual({ finished: true });
  }
});
