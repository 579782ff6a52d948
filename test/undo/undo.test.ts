import { expect, test } from 'vitest';
import { createRecordingMachine, withoutUpdates } from './recording-machine.ts';

test.each([
  ['a new contact', 'contacts create --first-name 지우 --email new@analytical.example'],
  ['a new organization', 'organizations create --name 새회사 --domain saehoesa.example'],
  [
    'a new contact with its new organization',
    'contacts create --email ada@saehoesa.example --organization auto',
  ],
  ['a new note', 'notes create --organization 한빛물류 --body "Called back."'],
  ['a new custom field', 'custom-fields create Shoe --model contact --type number'],
  ['a new list', 'lists create "Trade fair" --entry-type Contact --field "Met at:date"'],
  [
    'a new process',
    'lists create Onboarding --entry-type Organization --process --identifier ONB --no-duplicates --status Live:won',
  ],
  ['a new entry', 'entries add Newsletter --contact CONTACT'],
  ['names', 'contacts update 0rlnky --first-name 우지 --last-name ""'],
  [
    'added email addresses and replaced phone numbers',
    'contacts update 0rlnky --email z@b.example --phone +821055509876',
  ],
  [
    'a name that was replaced by the first email address',
    'contacts update e4yek8 --first-name "" --last-name "" --email z@b.example',
  ],
  [
    'values and the organization',
    'contacts update 0rlnky --organization "" --field Language=Japanese --field "Last visit=2026-05-01T09:30:00Z"',
  ],
  [
    'the name and the domains of an organization',
    'organizations update 한빛물류 --name 한빛 --domain hanbit.example',
  ],
  [
    'an updated entry',
    'entries update "Sales pipeline" DEAL-1 --one-time-value 12.50 --assignee "" --field Rooms=99',
  ],
  ['a renamed list', 'lists update Newsletter --name 소식지'],
  ['a renamed custom field', 'custom-fields update CUSTOMFIELD --name 역할'],
])('undoes %s', async (_, line) => {
  const { kith, run, dump } = await createRecordingMachine();
  const before = await dump();
  const field = before.fields?.find(({ name }) => name === 'Role');
  const newsletter = before.lists?.find(({ name }) => name === 'Newsletter');
  const members = before.entries?.filter(({ list_id }) => list_id === newsletter?.id);
  const other = before.contacts?.find(({ id }) => !members?.some(({ entryable_id }) => entryable_id === id));
  await run(line.replace('CUSTOMFIELD', String(field?.id)).replace('CONTACT', String(other?.id)));
  expect(withoutUpdates(await dump())).not.toEqual(withoutUpdates(before));
  expect(await kith('undo --yes')).toMatchObject({ code: 0 });
  expect(withoutUpdates(await dump())).toEqual(withoutUpdates(before));
});

const friends = [
  'custom-fields create Friend --model contact --type contact --multiple',
  'custom-fields create Sponsor --model organization --type contact',
  'contacts create --first-name A',
  'contacts create --first-name B',
  'contacts create --first-name C',
  'contacts update A --field Friend=B',
  'contacts update B --field Friend=A --field Friend=0rlnky',
  'contacts update C --field Friend=C --field Friend=0rlnky',
  'organizations update 한빛물류 --field Sponsor=0rlnky',
  'entries update "Sales pipeline" DEAL-1 --contact-id 0rlnky',
];

test.each<[string, string, (readonly string[])?]>([
  ['a contact with its entries', 'contacts delete 0rlnky'],
  ['several contacts', 'contacts delete 0rlnky dohyun.park@hanbit-cold.example'],
  ['contacts that name each other', 'contacts delete A B', friends],
  ['a contact that names itself', 'contacts delete C', friends],
  ['these contacts in the other order', 'contacts delete B A', friends],
  ['a contact that others name', 'contacts delete 0rlnky', friends],
  ['a contact that others name, after a merge', 'contacts merge A 0rlnky', friends],
  ['an organization with its notes, entries and contacts', 'organizations delete 한빛물류'],
  ['a note', 'notes delete NOTE'],
  ['a custom field with its values', 'custom-fields delete CUSTOMFIELD'],
  ['a list with its entries', 'lists delete Newsletter'],
  ['a process with its entries', 'lists delete "Sales pipeline"'],
  ['an entry', 'entries delete "Sales pipeline" DEAL-1'],
  ['the removal of email addresses', 'contacts remove-emails 0rlnky jiwoo.kim@hanbit-cold.example'],
  ['the removal of domains', 'organizations remove-domains 한빛물류 DOMAIN'],
])('creates again %s', async (_, line, earlier = []) => {
  const { kith, run, dump, dumpContent } = await createRecordingMachine();
  for (const command of earlier) await run(command);
  const { fields, notes, organizations } = await dump();
  const before = await dumpContent();
  const organization = organizations?.find(({ name }) => name === '한빛물류');
  const words = line
    .replace('CUSTOMFIELD', String(fields?.find(({ name }) => name === 'Role')?.id))
    .replace('NOTE', String(notes?.[0]?.id))
    .replace('DOMAIN', String([organization?.domains].flat()[0]));
  await run(`${words} --yes`);
  expect(await dumpContent()).not.toEqual(before);
  const { code, out, err } = await kith('undo --yes');
  expect(code).toBe(0);
  if (earlier.length > 0) expect(out + err).not.toContain('ot restored');
  expect(await dumpContent()).toEqual(before);
});

test('counts each record that an undo restores, and each value that it gives back', async () => {
  const { kith, run } = await createRecordingMachine();
  await run('organizations delete 한빛물류 --yes');
  const { out } = await kith('undo --dry-run');
  expect(out).toContain('create organization 한빛물류 again, with 4 entries and 3 notes\n');
  expect(out).toContain('restore values in 5 contacts\n');
  expect(out).toContain('The organization, its notes and its entries get new ids');
  expect((await kith('undo --yes')).out).toBe('Undid `kith organizations delete`: 13 changes.\n');
});
