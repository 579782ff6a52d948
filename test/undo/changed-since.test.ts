import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import { startControlledMachine } from '../import/controlled-service.ts';
import { createRecordingMachine } from './recording-machine.ts';

test('the undo of a deleted organization keeps the new organization of a contact, and skips a deleted one', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  await run('organizations delete rl16pk --yes');
  await run('contacts update 0rlnky --organization 5043ln', elsewhere);
  await run('contacts delete v49o47 --yes', elsewhere);
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(0);
  expect(err).toContain('  restore values in 3 contacts\n');
  expect(err).toContain('The contact 0rlnky keeps its new organization_id.\n');
  expect(err).toContain('The contact v49o47 no longer exists.\n');
  expect(err).toContain('Not restored: No contact has the id "v49o47".\n'); // of an entry
  expect(JSON.parse((await run('contacts get 0rlnky --json')).out)).toMatchObject({
    organization_id: '5043ln',
  });
});

test('the undo of a deleted contact keeps the values of a field that names another contact now', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  await run('custom-fields create Friend --model contact --type contact --multiple');
  for (const name of ['A', 'B', 'C']) await run(`contacts create --first-name ${name}`);
  await run('contacts update A --field Friend=B --field Friend=0rlnky');
  await run('contacts delete B --yes');
  await run('contacts update A --field Friend=0rlnky --field Friend=C', elsewhere);
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(0);
  expect(err).toMatch(/The contact \w+ keeps its new Friend\.\n/);
  const { out } = await run(['contacts', 'get', 'A', '--jq', '.custom_fields[] | select(.name == "Friend")']);
  const { out: id } = await run('contacts get C --jq .id');
  expect(out).toContain('0rlnky');
  expect(out).toContain(id.trim());
});

test('the undo of a deleted contact restores it without the organization and the list deleted since', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  await run('contacts create --first-name Ada --organization 5043ln');
  await run('lists create Club --entry-type Contact');
  await run('entries add Club --contact Ada');
  await run('contacts delete Ada --yes');
  await run('organizations delete 5043ln --yes', elsewhere);
  await run('lists delete Club --yes', elsewhere);
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(0);
  expect(err).toContain('Not restored: No organization has the id "5043ln".\n');
  expect(err).toMatch(/Not restored: No list or process has the id "\w+"\.\n/);
  expect((await run('contacts get Ada --jq .organization_id')).out).toBe('null\n');
});

test('the undo of a deleted contact restores it without an option that was removed since', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  await run('custom-fields create Size --model contact --type select --option S --option M');
  await run('contacts create --first-name Ada --field Size=M --field Role=Engineer');
  await run('contacts delete Ada --yes');
  const fields: { id: string; name: string }[] = JSON.parse(
    (await run('custom-fields list --all --json')).out,
  );
  await run(`custom-fields update ${fields.find(({ name }) => name === 'Size')?.id} --option S`, elsewhere);
  const { code, err } = await kith('undo --yes');
  expect(code).toBe(0);
  expect(err).toMatch(/Not restored: .*Size/);
  const { out } = await run([
    'contacts',
    'get',
    'Ada',
    '--jq',
    '.custom_fields[] | select(.name == "Role") | .value',
  ]);
  expect(out).toBe('Engineer\n');
});

test('an entry that a service returned instead of a second one is not deleted', async () => {
  const { kith, control, create, call } = await startControlledMachine({ KITH_UNDO: 'on' });
  const list = await create('lists', { name: 'Newsletter', process: false, entry_type: 'Contact' });
  const contact = await create('contacts', { first_name: 'Ada' });
  const entries = `lists/${list}/entries`;
  const id = await create(entries, { entryable_id: contact, entryable_type: 'Contact' });
  control.before = ({ method }, response) => {
    if (method === 'POST') sendJson(response, 200, { id, entryable_id: contact });
    return method === 'POST';
  };
  expect((await kith(`entries add ${list} --contact ${contact}`)).code).toBe(0);
  expect(await kith('undo --yes')).toMatchObject({
    code: 2,
    err: expect.stringContaining('The service may have returned an entry that existed before.'),
  });
  expect((await call(`GET /v1/${entries}/${id}`)).status).toBe(200);
});

test('an organization that existed before is not deleted with a new contact of it', async () => {
  const { run } = await createRecordingMachine();
  await run('organizations create --name Analytical --domain analytical.example');
  await run('contacts create --email ada@analytical.example --organization auto');
  await run('undo --yes');
  expect((await run('organizations get analytical.example --jq .name')).out).toBe('Analytical\n');
});

test('a restored record is not taken for one that someone else has created', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  const create = (name: string) => `contacts create --email ada@analytical.example ${name}`;
  await run(create(''));
  await run('contacts delete ada@analytical.example --yes');
  await run(create('--first-name Grace'), elsewhere);
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const { code, err } = await kith('undo --yes');
    expect(code).toBe(5);
    expect(err).toContain('has already been taken');
  }
});

test('an undo checks the records again after its question', async () => {
  const { kith, run, elsewhere } = await createRecordingMachine();
  await run('contacts update 0rlnky --last-name Kim');
  const answer = async () => {
    await run('contacts update 0rlnky --last-name Lee', elsewhere);
    return true;
  };
  const { code, err } = await kith('undo', { terminal: 80, answers: [answer] });
  expect(code).toBe(2);
  expect(err).toContain('Contact 0rlnky has changed (last_name) since `kith contacts update`.');
});
