import { expect, test } from 'vitest';
import { createRecordingMachine, withoutUpdates } from './recording-machine.ts';

test('undoes an update if only other fields have changed since the command', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  await run('contacts update 0rlnky --last-name Kim');
  await run('contacts update 0rlnky --first-name Ada', elsewhere);
  expect((await kith('undo --yes')).code).toBe(0);
  const { out } = await kith('contacts get 0rlnky --jq "[.first_name, .last_name]"');
  expect(JSON.parse(out)).toEqual(['Ada', '김']);
});

const nothing = 'hint: Nothing was written. To undo the command, first revert these changes by hand.\n';

test.each([
  [
    'an update of a field that has changed',
    'contacts update 0rlnky --last-name Kim --phone +821055509876',
    'contacts update 0rlnky --last-name Lee',
    new RegExp(
      `^kith: Contact 0rlnky has changed \\(last_name\\) since \`kith contacts update\`\\.\n${nothing}$`,
    ),
  ],
  [
    'an update of a record that was deleted',
    'contacts update 0rlnky --last-name Kim',
    'contacts delete 0rlnky --yes',
    /^kith: Contact 0rlnky was deleted since `kith contacts update`\.\n/,
  ],
  [
    'a create of two records that have changed',
    'contacts create --email ada@saehoesa.example --organization auto',
    'contacts update ada@saehoesa.example --first-name Ada\norganizations update saehoesa.example --name Neu',
    /2 records have changed since `kith contacts create`:\n.*Organization .*name.*\n.*Contact .*first_name/,
  ],
  [
    'a created list that has entries now',
    'lists create Fair --entry-type Contact',
    'entries add Fair --contact 0rlnky',
    /^kith: List \w+ is used by 1 entry added since `kith lists create`\.\n/,
  ],
  [
    'a created organization that has a note and a contact now',
    'organizations create --name Neu',
    'notes create --organization Neu --body Hi\ncontacts update 0rlnky --organization Neu',
    /^kith: Organization \w+ is used by 1 note and 1 contact added since/,
  ],
  [
    'a created custom field that has values now',
    'custom-fields create Shoe --model contact --type number',
    'contacts update 0rlnky --field Shoe=38',
    /^kith: Custom field \w+ is used by 1 contact added since/,
  ],
  [
    'a created contact that has changed',
    'contacts create --first-name Ada',
    'contacts update Ada --last-name Lovelace',
    /^kith: Contact \w+ has changed \(last_name\) since `kith contacts create`\.\n/,
  ],
])('refuses to undo %s, and writes nothing', async (_, line, later, message) => {
  const { kith, run, elsewhere, dump } = await createRecordingMachine();
  await run(line);
  for (const one of later.split('\n')) await run(one, elsewhere);
  const before = await dump();
  expect(await kith('undo --yes')).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
  expect(await dump()).toEqual(before);
});

test('asks first, and does nothing if the answer is no or without a terminal', async () => {
  const { kith, run, dump } = await createRecordingMachine();
  await run('contacts update 0rlnky --last-name Kim');
  const before = await dump();
  const declined = await kith('undo', { terminal: 80, answers: [false] });
  expect(declined.code).toBe(1);
  expect(declined.err).toContain('Undo `kith contacts update`?');
  expect(await kith('undo --quiet')).toEqual({
    code: 2,
    out: '',
    err: 'kith: Refusing to undo without confirmation. Pass --yes to skip the prompt.\n',
  });
  expect(await dump()).toEqual(before);
  expect((await kith('undo', { terminal: 80, answers: [true] })).code).toBe(0);
  expect(withoutUpdates(await dump())).not.toEqual(withoutUpdates(before));
});

test('shows the current and the restored values, and what cannot be restored', async () => {
  const { kith, run } = await createRecordingMachine();
  const now = new Date('2026-11-23T10:00:00Z');
  await run('contacts update 0rlnky --last-name Kim --email b@b.example', { now });
  const later = new Date('2026-11-23T10:05:00Z');
  const plan = [
    'Undo `kith contacts update` from 5 min ago:',
    '  update contact 지우 Kim (0rlnky)',
    '    last_name: Kim -> 김',
    '    emails: jiwoo.kim@hanbit-cold.example, b@b.example -> jiwoo.kim@hanbit-cold.example',
  ];
  expect(await kith('undo --dry-run', { now: later })).toEqual({
    code: 0,
    out: `${plan.join('\n')}\n`,
    err: '',
  });
  expect(await kith('undo --yes', { now: later })).toEqual({
    code: 0,
    out: 'Undid `kith contacts update`: 1 change.\n',
    err: plan.map((line) => `kith: ${line}\n`).join(''),
  });
  await run('lists delete "Sales pipeline" --yes', { now });
  expect((await kith('undo --dry-run', { now: later })).out).toBe(
    'Undo `kith lists delete` from 5 min ago:\n' +
      '  create list Sales pipeline again, with 9 entries\n' +
      'The process and its entries get new ids and creation times; the entries also get new keys and closing times.\n',
  );
});

test('--json prints the changes, and whether they were made', async () => {
  const { kith, run } = await createRecordingMachine();
  const now = new Date('2026-11-23T10:00:00Z');
  await run('contacts update 0rlnky --last-name Kim', { now });
  const document = {
    command: 'contacts update',
    number: 1,
    at: '2026-11-23T10:00:00.000Z',
    unrecorded: [],
    changes: [
      {
        action: 'update',
        record: 'contact',
        id: '0rlnky',
        name: '지우 Kim',
        fields: { last_name: { from: 'Kim', to: '김' } },
      },
    ],
    not_restored: [],
    undone: false,
  };
  expect(JSON.parse((await kith('undo --dry-run --json')).out)).toEqual(document);
  expect(JSON.parse((await kith('undo --yes --json')).out)).toEqual({ ...document, undone: true });
});

test('exits with 3 if there is nothing to undo', async () => {
  const { kith } = await createRecordingMachine();
  const message = 'kith: Nothing to undo: no change to this workspace was recorded on this machine.\n';
  expect(await kith('undo --yes')).toEqual({ code: 3, out: '', err: message });
  expect((await kith('config set undo off')).out).toBe('Recording of changes for `kith undo` set to off.\n');
  expect(await kith('contacts update 0rlnky --last-name Kim', { env: { KITH_UNDO: '' } })).toMatchObject({
    code: 0,
  });
  expect(await kith('undo --yes', { env: { KITH_UNDO: '' } })).toEqual({
    code: 3,
    out: '',
    err: `${message.trimEnd()} Not recorded: \`kith contacts update\` from just now.\nhint: To record the commands of scripts too: kith config set undo on\n`,
  });
});

test.each([
  ['config set undo never', 'kith: undo: "never" is not one of auto, on, off.\n', {}],
  [
    'contacts update 0rlnky --last-name Kim',
    'kith: KITH_UNDO: "yes" is not one of auto, on, off.\n',
    { KITH_UNDO: 'yes' },
  ],
])('%s with an invalid setting is a usage error', async (line, message, env) => {
  const { kith, dump } = await createRecordingMachine();
  const before = await dump();
  expect(await kith(line, { env })).toEqual({ code: 2, out: '', err: message });
  expect(await dump()).toEqual(before);
});

test('the plan says that a status that closes entries again changes their closing times', async () => {
  const { kith, run } = await createRecordingMachine();
  const { statuses } = JSON.parse((await run('lists get "Sales pipeline" --json')).out);
  const update = (change: object) => {
    const changed = statuses.map((status: { name: string }) =>
      status.name === 'Won' ? { ...status, ...change } : status,
    );
    return run(['lists', 'update', 'Sales pipeline', '--data', JSON.stringify({ statuses: changed })]);
  };
  const sentence = 'Entries that are closed again get new closing times.\n';
  await update({ type: 'lost' });
  expect((await kith('undo --dry-run')).out).not.toContain(sentence);
  await update({ type: 'active' });
  expect((await kith('undo --dry-run')).out).toContain(sentence);
});

test('the plan says that an entry gets a new closing time only if it is closed again', async () => {
  const { kith, run } = await createRecordingMachine();
  const sentence = 'The entry gets a new closing time.\n';
  const plan = async (status: string) => {
    await run(`entries update "Sales pipeline" DEAL-1 --status ${status}`);
    return (await kith('undo --dry-run')).out;
  };
  await plan('Lead');
  expect(await plan('Won')).not.toContain(sentence);
  expect(await plan('Lead')).toContain(sentence);
});
