import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRecordingMachine } from './recording-machine.ts';

test.each(['first', 'last'])(
  'keeps texts that equal the id of a contact that was deleted %s; references get its new id',
  async (order) => {
    const { kith, run, dump } = await createRecordingMachine();
    const json = async (line: string) => JSON.parse((await run(`${line} --json`)).out);
    await run('custom-fields create Code --model contact --type text --multiple');
    await run('custom-fields create Friend --model contact --type contact --multiple');
    const { id } = await json('contacts create --email ada@b.example');
    const texts = ['--first-name', id, '--field', `Code=${id}`, '--field', 'Code=other'];
    const { id: other } = await json(`contacts create ${texts.join(' ')} --field Friend=${id}`);
    await run(`contacts update ada@b.example ${texts.join(' ')}`);
    await run(`organizations create --name ${id} --domain b.example`);
    await run(`notes create --organization b.example --body ${id}`);
    const deleteContact = () => run(`contacts delete ${id} --yes`);
    if (order === 'first') await deleteContact();
    await run('organizations delete b.example --yes');
    await run(`contacts update ${other} --first-name X --field Code=X`);
    await run(`contacts delete ${other} --yes`);
    if (order === 'last') await deleteContact();
    for (let count = 0; count < 4; count += 1) await run('undo --yes');
    const { contacts, organizations, notes } = await dump();
    const restored = contacts?.find(({ emails }) => [emails].flat().includes('ada@b.example'));
    expect(restored?.id).not.toBe(id);
    const named = contacts?.filter(({ first_name }) => first_name === id) ?? [];
    const read = (record: object | undefined, field: string) =>
      Object.values(
        (record as { custom_fields: Record<string, { name: string; value: unknown }> }).custom_fields,
      )
        .filter(({ name }) => name === field)
        .map(({ value }) => value);
    expect(named).toHaveLength(2);
    for (const one of named) expect(read(one, 'Code')).toEqual([[id, 'other']]);
    const friend = named.find((one) => one.id !== restored?.id);
    expect(read(friend, 'Friend')).toEqual([[restored?.id]]);
    const organization = organizations?.find(({ name }) => name === id);
    expect(notes?.filter(({ body }) => body === id)).toMatchObject([{ organization_id: organization?.id }]);
    expect((await kith('undo --dry-run')).out).toContain('notes create');
  },
);

test('after a backup was restored, an undo does not change another record with the same id', async () => {
  const { kith, run, dump, folder, elsewhere } = await createRecordingMachine();
  const [file, backup] = ['demo.sqlite', 'backup.sqlite'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  copyFileSync(file, backup);
  const create = async (name: string, options = {}) =>
    (await run(`contacts create --first-name ${name} --jq .id`, options)).out.trim();
  const id = await create('Ada');
  await run(`contacts update ${id} --last-name Lovelace`);
  copyFileSync(backup, file);
  expect(await create('Grace', elsewhere)).toBe(id);
  await run(`contacts update ${id} --last-name Lovelace`, elsewhere);
  const before = await dump();
  expect(await kith('undo --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining(`Contact ${id} was deleted since \`kith contacts update\`.`),
  });
  expect(await dump()).toEqual(before);
});

test('after a backup was restored, an undo of a create deletes no other record with the same id', async () => {
  const { kith, run, dump, folder, elsewhere } = await createRecordingMachine();
  const [file, backup] = ['demo.sqlite', 'backup.sqlite'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  copyFileSync(file, backup);
  const { out: id } = await run('contacts create --first-name Ada --jq .id');
  copyFileSync(backup, file);
  expect((await run('contacts create --first-name Ada --jq .id', elsewhere)).out).toBe(id);
  const before = await dump();
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts create`: 0 changes.\n');
  expect(await dump()).toEqual(before);
});

/** Creates entries of an organization and of its contact, and a note of another organization for each. */
async function createDealNotes() {
  const machine = await createRecordingMachine();
  const { run, dump } = machine;
  const id = async (line: string) => (await run(`${line} --jq .id`)).out.trim();
  await run('organizations create --name Alpha --domain alpha.example');
  await run('organizations create --name Beta --domain beta.example');
  await run('contacts create --email a@alpha.example');
  const fields = '--entry-type Contact --process --no-duplicates --identifier PEO --status Live:won';
  await run(`lists create People ${fields}`);
  const entries = [
    await id('entries add "Sales pipeline" --organization alpha.example --one-time-value 77'),
    await id('entries add People --contact a@alpha.example --one-time-value 78'),
  ];
  for (const [index, entry] of entries.entries())
    await run(`notes create --organization beta.example --body note${index} --deal ${entry}`);
  await run(`notes create --organization alpha.example --body own --deal ${entries[0]}`);
  /** Returns the values of the entries that notes name; undefined for a deleted entry. */
  const readDeals = async () => {
    const all = await dump();
    const find = (id: unknown) => all.entries?.find((entry) => entry.id === id)?.one_time_value_cents;
    const named = all.notes?.filter(({ body }) => /^(note|own)/.test(String(body))) ?? [];
    return Object.fromEntries(named.map(({ body, deal_id }) => [body, find(deal_id)]));
  };
  return { ...machine, entries, readDeals };
}

const allDeals = { note0: 7700, note1: 7800, own: 7700 };

test.each([
  ['entries delete "Sales pipeline" ENTRY --yes', { note1: 7800 }],
  ['organizations delete alpha.example --yes', { note1: 7800 }],
  ['organizations delete alpha.example beta.example --yes', {}],
  ['organizations delete beta.example alpha.example --yes', {}],
  ['contacts delete a@alpha.example --yes', { note0: 7700, own: 7700 }],
  ['lists delete "Sales pipeline" --yes', { note1: 7800 }],
])('notes name the restored deal after each undo of %s', async (line, remaining) => {
  const { run, entries, readDeals } = await createDealNotes();
  await run(line.replace('ENTRY', entries[0] ?? ''));
  const deals: object[] = [];
  for (const verb of ['undo', 'redo', 'undo']) {
    await run(`${verb} --yes`);
    deals.push(await readDeals());
  }
  expect(deals).toEqual([allDeals, remaining, allDeals]);
});
