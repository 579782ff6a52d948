import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toStoredWorkspace } from '../../src/files/workspace-identity.ts';
import { getOldLogPath } from '../../src/import/import-log.ts';
import { hashInput } from '../../src/import/table-file.ts';
import { createUndoMachine, parseCounts } from '../commands/import/import-machine.ts';
import { createMachine, createTemporaryFolder, writeStoredSettings } from '../support/kith.ts';
import { createOldFile } from '../support/old-workspace.ts';

const data = join(import.meta.dirname, 'data', 'old-report');
const read = (name: string) => readFileSync(join(data, name), 'utf8');

/**
 * Creates a service with the records of an import by an older version of kith, and the files of that import: the report
 * and the log next to it. `lines`: the number of lines in the log.
 */
async function createOldImport(lines?: number) {
  const machine = await createUndoMachine();
  const { env, sendOk, clock, writeTestFile, url } = machine;
  const create = (first_name: string, email: string) =>
    sendOk<{ id: string }>('POST /v1/contacts', { first_name, emails: [email] });
  const [ada, bo] = [await create('Ada', 'a@x.example'), await create('Bo', 'b@x.example')];
  const { identity, workspace } = toStoredWorkspace({ place: `${url}/`, key: env.KITH_API_KEY });
  const keyHash = 'key_hash' in identity ? identity.key_hash : '';
  const sheet = writeTestFile('sheet.csv', read('people.csv'));
  const columns = ['email', 'first_name'];
  const settings = [
    ['contact', null, null, [false, false]],
    { map: [], ignore: [], listField: [] },
    columns,
    [null, null, null],
    keyHash,
  ];
  const input = await hashInput(sheet, settings);
  const fill = (text: string) =>
    text
      .replaceAll('CONTACT-A', ada.id)
      .replaceAll('CONTACT-B', bo.id)
      .replaceAll('TIME', clock.time)
      .replaceAll('WORKSPACE', workspace)
      .replaceAll('KEY-HASH', keyHash)
      .replaceAll('INPUT', input);
  const report = writeTestFile('sheet.report.csv', fill(read('people.report.csv')));
  const log = fill(read('journal.ndjson')).split('\n').slice(0, lines).join('\n');
  writeFileSync(getOldLogPath(report), lines === undefined ? log : `${log}\n`);
  const readNames = async () => {
    const { data } = await sendOk<{ data: { first_name: string }[] }>('GET /v1/contacts');
    return data.map(({ first_name }) => first_name).toSorted();
  };
  return { ...machine, sheet, report, readNames };
}

test('undoes an import of an older version of kith with the log next to its report', async () => {
  const { undo, readNames } = await createOldImport();
  expect(parseCounts((await undo('--dry-run')).out)).toContain('2 would be undone');
  expect(await readNames()).toEqual(['Ada', 'Bo']);
  const { code, out, err } = await undo();
  expect([code, parseCounts(out), err]).toEqual([
    0,
    '2 undone, 0 already undone, 0 changed since, 0 failed',
    '',
  ]);
  expect(await readNames()).toEqual(['Old']);
  expect(parseCounts((await undo()).out)).toBe('0 undone, 2 already undone, 0 changed since, 0 failed');
});

test('does not undo an import of an older version with another key', async () => {
  const { kith, report, env, readNames } = await createOldImport();
  const line = `contacts import --undo ${report} --yes`;
  expect(await kith(line, { env: { ...env, KITH_API_KEY: 'another-key' } })).toMatchObject({
    code: 2,
    err: expect.stringContaining('with another API key.\nhint: Use the key or the profile that'),
  });
  expect(await readNames()).toEqual(['Ada', 'Bo']);
});

test('refuses to continue an import of an older version, and imports its report instead', async () => {
  const { kith, sheet, report, readNames } = await createOldImport(9);
  const { code, err } = await kith(`contacts import ${sheet}`);
  expect([code, err]).toEqual([
    2,
    `kith: An older version of kith has not finished the import into ${report}.\n` +
      `hint: Import the report instead: completed rows are skipped. To revert the import: --undo ${report}\n`,
  ]);
  expect((await kith(`contacts import ${report}`)).out).toContain('0 created, 0 updated, 2 same, 1 refused');
  expect(await readNames()).toEqual(['Ada', 'Bo']);
});

test('keeps the log of an older version next to its renamed report', async () => {
  const { importRows, undo, readNames } = await createOldImport();
  await importRows('contacts', 'email\nc@x.example\n');
  expect((await undo('', 'sheet.report.previous.csv')).code).toBe(0);
  expect(await readNames()).toHaveLength(2);
});

test('matches the records of an older version, and lists them as duplicates', async () => {
  const emails = ['ada@a.example\u200b', 'b\u00adob@a.example', 'bob@a.example'];
  const rows = emails.map((email, index) => {
    const values = `('${'Ada Bob Bob\u200b'.split(' ')[index]}', 0, 0)`;
    return `insert into contact (first_name, created_at, updated_at) values ${values};
      insert into contact_email (folded, email, contact_id, position) values ('${email}', '${email}', ${index + 1}, 0)`;
  });
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, {
    active: 'old',
    profiles: { old: { database: createOldFile(9, rows.join(';')) } },
  });
  const kith = createMachine(folder);
  expect((await kith('contacts find --email "Ada <ada@a.example>" --jq .[0].first_name')).out).toBe('Ada\n');
  const { out } = await kith(['contacts', 'import', '-', '--report', join(folder, 'r.csv')], {
    stdin: 'First Name,Email\nAda,ada@a.example\n',
  });
  expect(out).toContain('1 same');
  expect((await kith('contacts duplicates --format tsv --no-header')).out).toMatch(
    /^\d+\tsame email;same name\t/,
  );
});
