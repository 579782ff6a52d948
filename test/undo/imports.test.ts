import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createWatchedImport } from '../commands/import/import-machine.ts';
import { listLogs } from './recording-machine.ts';

/** A machine that records imports into a service whose responses a test can lose. */
async function createRecordedImport() {
  const machine = await createWatchedImport();
  const env = { env: { ...machine.env, KITH_UNDO: 'on' } };
  const kith = (line: string) => machine.kith(line, env);
  const importFile = async (text: string, flags = '') => {
    const file = machine.writeTestFile('sheet.csv', text);
    return kith(`contacts import ${file} ${flags}`);
  };
  const readNames = async () => {
    const contacts = await machine.json('contacts list --all');
    return contacts.map(({ first_name }) => first_name).sort();
  };
  return { ...machine, kith, importFile, readNames };
}

test('an import that changed nothing does not use up an undo', async () => {
  const { kith, importFile, readNames, sendOk } = await createRecordedImport();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { first_name: 'Ada' });
  expect((await kith(`contacts delete ${id} --yes`)).code).toBe(0);
  const csv = 'email,first_name\nb@x.example,Bo\n';
  expect((await importFile(csv)).code).toBe(0);
  expect((await importFile(csv)).out).toContain('0 created, 0 updated, 1 same');
  expect(JSON.parse((await kith('undo --list --json')).out)).toMatchObject([
    { command: 'contacts import', status: 'can be undone' },
    { command: 'contacts delete', status: 'can be undone' },
  ]);
  expect((await kith('undo --yes')).code).toBe(0);
  expect(await readNames()).toEqual([]);
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts delete`: 1 change.\n');
  expect(await readNames()).toEqual(['Ada']);
});

test('an import with a lost response and its second run are one entry', async () => {
  const { kith, importFile, readNames, control, folder } = await createRecordedImport();
  const drop = (part: string) =>
    (({ method, body }, response) => {
      if (method !== 'POST' || !body.includes(part)) return false;
      response.destroy();
      return true;
    }) satisfies typeof control.before;
  control.after = drop('b@');
  control.before = drop('c@'); // which the second run creates
  const csv = 'email,first_name\na@x.example,Ada\nb@x.example,Bo\nc@x.example,Cy\n';
  expect((await importFile(csv, '--concurrency 1')).code).toBe(6);
  control.after = () => false;
  control.before = () => false;
  expect((await importFile(csv)).code).toBe(0);
  expect(await readNames()).toEqual(['Ada', 'Bo', 'Cy']);
  expect(listLogs(folder)).toHaveLength(1);
  const { out } = await kith('undo -n');
  for (const name of ['Ada', 'Bo', 'Cy'])
    expect(out).toMatch(new RegExp(`delete contact ${name} \\(\\w+\\)`));
  expect((await kith('undo --yes')).code).toBe(0);
  expect(await readNames()).toEqual([]);
  expect((await kith('undo --yes')).code).toBe(3);
});

test('an undo of an import that lost a response is continued, and reverts no earlier command', async () => {
  const { kith, importFile, readNames, control, sendOk } = await createRecordedImport();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { first_name: 'Ada' });
  expect((await kith(`contacts delete ${id} --yes`)).code).toBe(0);
  expect((await importFile('email,first_name\nb@x.example,Bo\nc@x.example,Cy\n')).code).toBe(0);
  let lost = 0;
  control.before = ({ method }, response) => {
    if (method !== 'DELETE' || lost > 0) return false;
    lost += 1;
    response.destroy();
    return true;
  };
  expect(await kith('undo --yes --retries 0')).toMatchObject({ code: 6 });
  expect(await readNames()).toHaveLength(1);
  expect((await kith('undo --yes')).out).toContain('1 undone, 1 already undone');
  expect(await readNames()).toEqual([]);
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts delete`: 1 change.\n');
});

test('an undo of an import by an older version says how to undo the command before it', async () => {
  const { kith, importFile, toPath } = await createRecordedImport();
  expect((await importFile('email\na@x.example\n')).code).toBe(0);
  writeFileSync(toPath('.sheet.report.csv.kith-journal'), '{"kith_import":1}\n');
  const { code, err } = await kith('undo --yes');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining('hint: To revert an earlier command, pass its number: kith undo --list\n'),
  ]);
});
