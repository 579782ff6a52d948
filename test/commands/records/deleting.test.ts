import { expect, test } from 'vitest';
import { Failure } from '../../../src/contract/errors.ts';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

const options = { terminal: 200, env: { NO_COLOR: '1' } };

test.each([
  ['contacts delete 0rlnky', '{\n  "id": "0rlnky",\n  "deleted": true\n}\n'],
  ['organizations delete rl16pk', '{\n  "id": "rl16pk",\n  "deleted": true\n}\n'],
  ['lists delete Newsletter', '{\n  "id": "4y3m1d",\n  "deleted": true\n}\n'],
  ['entries delete "Sales pipeline" m7lwpy', '{\n  "id": "m7lwpy",\n  "deleted": true\n}\n'],
])('%s --yes --json prints the deleted id, and not found the second time', async (line, out) => {
  const kith = createDemoMachine();
  expect(await kith(`${line} --yes --json`)).toEqual({ code: 0, out, err: '' });
  expect(await kith(`${line} --yes`)).toMatchObject({ code: 3, out: '' });
});

test('a deletion prints the deleted id, unless a note in the terminal shows it', async () => {
  const kith = createDemoMachine();
  expect(await kith('contacts delete 0rlnky --yes')).toEqual({
    code: 0,
    out: 'id\tdeleted\n0rlnky\ttrue\n',
    err: '',
  });
  expect(await kith('organizations delete rl16pk --yes', options)).toEqual({
    code: 0,
    out: '',
    err: 'kith: Deleted organization rl16pk.\n',
  });
  expect(await kith('contacts delete v49o47 --yes --quiet', options)).toEqual({
    code: 0,
    out: 'ID       v49o47\nDeleted  true\n',
    err: '',
  });
});

test.each([
  ['contacts delete nope 0rlnky nobody v49o47', 'No contact has the id or name', '["0rlnky","v49o47"]'],
  ['organizations delete nope rl16pk nobody', 'No organization has the id or name', '["rl16pk"]'],
  [
    'entries delete "Sales pipeline" nope m7lwpy nobody',
    'No entry of "Sales pipeline" has the id',
    '["m7lwpy"]',
  ],
  ['entries delete vy7gy3 nope m7lwpy nobody', 'No entry of "Sales pipeline" has the id', '["m7lwpy"]'],
  ['lists delete nope Newsletter nobody', 'No list or process has the id or name', '["4y3m1d"]'],
])('%s deletes the existing records and names the others', async (line, reason, missing) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(`${line} --yes --jq map(.id)`);
  expect({ code, out, err }).toEqual({
    code: 6,
    out: `${missing}\n`,
    err: `kith: Not deleted: nope (${reason} "nope"); nobody (${reason} "nobody").\n`,
  });
});

test('a failure that affects every record stops the deletion and reports the rest as not tried', async () => {
  const { requests, env } = await startTestService(({ method }, response) =>
    method === 'GET'
      ? sendJson(response, 200, { id: 'a' })
      : sendJson(response, 401, { message: 'The key was revoked.' }),
  );
  expect(await createMachine()('contacts delete a b c --yes --retries 0', { env })).toMatchObject({
    code: 4,
    err: expect.stringContaining('Not deleted: a (The key was revoked). Not tried: 2.'),
  });
  expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

test('if no record can be deleted, the exit code is that of their failure', async () => {
  const kith = createDemoMachine();
  expect((await kith('contacts delete nope none --yes')).code).toBe(3);
  expect((await kith('contacts delete nope 0rlnky --yes')).code).toBe(6);
});

test('removing emails and domains does not ask for confirmation', async () => {
  const kith = createDemoMachine();
  const { out } = await kith(
    'contacts remove-emails 0rlnky jiwoo.kim@hanbit-cold.example --fields emails --json',
  );
  expect(JSON.parse(out)).toEqual({ emails: [] });
  const { code } = await kith('organizations remove-domains rl16pk hanbit-cold.example', options);
  expect(code).toBe(0);
});

test('deletes several entries of a list whose name could be an id', async () => {
  const kith = createDemoMachine();
  const ids = (await kith('entries list Newsletter --limit 2 --jq .[].id -q')).out.trim().split('\n');
  expect(await kith(`entries delete Newsletter ${ids.join(' ')} --yes`)).toMatchObject({ code: 0, err: '' });
  for (const id of ids) expect(await kith(`entries get Newsletter ${id}`)).toMatchObject({ code: 3 });
});

test('--no-input refuses to delete in a terminal without --yes', async () => {
  const kith = await createDemoMachine();
  expect(await kith('contacts delete 0rlnky --no-input', { ...options, answers: [true] })).toEqual({
    code: 2,
    out: '',
    err: 'kith: Refusing to delete without confirmation. Pass --yes to skip the prompt.\n',
  });
  expect(await kith('contacts delete 0rlnky -n')).toMatchObject({
    code: 0,
    out: 'DELETE /v1/contacts/0rlnky\n',
  });
  expect((await kith('contacts get 0rlnky')).code).toBe(0);
});

test('Ctrl-C lets the deletion in flight finish, and deletes no further record', async () => {
  const interrupt = new AbortController();
  const { requests, env } = await startTestService((_, response) => {
    interrupt.abort(new Failure('interrupted', 'Interrupted.'));
    sendJson(response, 204);
  });
  const kith = createMachine();
  expect(await kith('contacts delete a b c --yes --ids-only', { env, signal: interrupt.signal })).toEqual({
    code: 130,
    out: 'a\n',
    err:
      'kith: Interrupted. Deleted 1 of 3; 2 not done.\n' +
      'hint: To delete the other records, run the command again with their ids.\n',
  });
  expect(requests).toHaveLength(1);
});

test.each([
  [true, 0, ''],
  [false, 7, 'hint: kith contacts get a1\n'],
])('looks up a deletion whose response was lost (deleted: %s)', async (isDeleted, code, hint) => {
  const { requests, env } = await startTestService(({ method }, response) => {
    if (method !== 'GET') response.destroy();
    else if (isDeleted) sendJson(response, 404, { message: 'Not found.' });
    else sendJson(response, 200, { id: 'a1', emails: [] });
  });
  const result = await createMachine()('contacts delete a1 --yes --retries 0', { env });
  expect(result).toMatchObject({ code, err: expect.stringContaining(hint) });
  expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});
