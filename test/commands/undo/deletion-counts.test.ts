import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const options = { terminal: 2000, env: { NO_COLOR: '1', KITH_UNDO: 'on' } };

test.each([
  [
    'custom-fields delete f1',
    { name: 'Role', model: 'contact' },
    'Delete contact field "Role" and its values? The id cannot be restored.',
    'values',
  ],
  [
    'contacts delete f1',
    { first_name: 'Ada' },
    'Delete contact "Ada" (f1)? The id cannot be restored.',
    'references in fields of type contact',
  ],
  [
    'organizations delete f1',
    { name: 'Acme' },
    'Delete organization "Acme" (f1)? The id cannot be restored.',
    'the organization fields of its contacts',
  ],
  [
    'entries delete f1 f1',
    { key: 'DEAL-1' },
    'Delete entry DEAL-1? The key cannot be restored.',
    'the deals of notes',
  ],
])(
  '%s names the kinds that it did not count if there are more than 10,000 contacts or notes',
  async (line, record, question, unread) => {
    const { url, requests } = await startTestService(({ url }, response) => {
      const field = { id: 'f2', name: 'Friend', model: 'contact', data_type: 'contact' };
      const isLong = url.startsWith(line.startsWith('entries') ? '/v1/notes?' : '/v1/contacts?');
      const data = isLong ? [{ id: 'c2' }] : url.startsWith('/v1/custom_fields?') ? [field] : [];
      const pagination = { end_cursor: 1, has_next_page: isLong, total_count: isLong ? 10_001 : data.length };
      return sendJson(response, 200, url.includes('?') ? { data, pagination } : { id: 'f1', ...record });
    });
    const env = { ...options.env, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
    const ask = async (undo: string) =>
      (await createMachine()(line, { ...options, env: { ...env, KITH_UNDO: undo } })).err;
    const reason = 'kith did not read all records (at most 10,000 of each kind), so it cannot count';
    expect(await ask('on')).toBe(`${question} ${reason} or restore ${unread}.\nkith: Interrupted.\n`);
    expect(await ask('off')).toContain(` This cannot be undone. ${reason} ${unread}.`);
    requests.length = 0;
    expect(await createMachine()(`${line} --yes`, { env: { ...env, KITH_UNDO: 'off' } })).toMatchObject({
      code: 0,
    });
    expect(requests.map(({ method }) => method)).toEqual(['DELETE']);
  },
);

test('adds up the notes, entries and contacts of more organizations than it names', async () => {
  const kith = createDemoMachine();
  const readJson = async (line: string) => JSON.parse((await kith(`${line} --json`)).out);
  const ids: string[] = (await readJson('organizations list --limit 12')).map(({ id }: { id: string }) => id);
  const count = async (line: string, field: string) =>
    (await readJson(`${line} --all`)).filter((record: Record<string, string>) =>
      ids.includes(record[field] ?? ''),
    ).length;
  const notes = await count('notes list', 'organization_id');
  const contacts = await count('contacts list', 'organization_id');
  let entries = 0;
  for (const { id } of await readJson('lists list --all'))
    entries += await count(`entries list ${id}`, 'entryable_id');
  const { err } = await kith(['organizations', 'delete', ...ids], options);
  expect(err).toContain(`Delete 12 organizations and their ${notes} notes and ${entries} entries: "`);
  expect(err).toContain(` and 2 more? ${contacts} contacts lose their organization. `);
});

test.each([
  ['entries delete "Sales pipeline" DEAL-1', '? 2 other notes lose their deal. '],
  ['organizations delete rl16pk', ' 2 other notes lose their deal. '],
  ['organizations delete rl16pk 5043ln', ' 1 other note loses its deal. '],
  ['lists delete "Sales pipeline"', '? 2 other notes lose their deal. '],
])('%s counts the notes that name a deleted deal', async (line, sentence) => {
  const kith = createDemoMachine();
  await kith('organizations create --name Beta --domain beta.example');
  for (const organization of ['5043ln', 'beta.example'])
    await kith(`notes create --organization ${organization} --body A --deal m7lwpy`);
  expect((await kith(line, options)).err).toContain(sentence);
});

test('does not count references in records that the same command deletes', async () => {
  const kith = createDemoMachine();
  for (const name of ['A', 'B', 'C']) await kith(`contacts create --first-name ${name}`);
  await kith('custom-fields create Friend --model contact --type contact');
  await kith('contacts update B --field Friend=A');
  await kith('contacts update C --field Friend=A');
  const ask = async (line: string) => (await kith(line, options)).err;
  expect(await ask('contacts delete A')).toContain('? 2 other records lose their reference to it. ');
  expect(await ask('contacts delete A B')).toContain('? 1 other record loses its reference to them. ');
  expect(await ask('contacts delete A B C')).toContain('? The ids cannot be restored.');
});
