import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startRecordingService } from './recording-service.ts';

const options = { terminal: 200, env: { NO_COLOR: '1' } };

/** Returns a machine with the sample workspace, and a function that fills in ids of its records. */
async function createRecords() {
  const kith = createDemoMachine();
  const readId = async (line: string) => (await kith(`${line} --jq .[0].id -q`)).out.trim();
  const [note, field, entry] = [
    await readId('notes list --limit 1'),
    await readId('custom-fields list --limit 1'),
    await readId('entries list Newsletter --limit 1'),
  ];
  return {
    kith,
    fillIds: (line: string) => line.replace('NOTE', note).replace('FIELD', field).replace('ENTRY', entry),
  };
}

const rows: readonly (readonly [line: string, question: RegExp, left: string])[] = [
  ['contacts delete 0rlnky', /^Delete contact: 0rlnky \(김지우\)\?$/, 'contacts get 0rlnky'],
  [
    'organizations delete rl16pk',
    /^Delete organization: rl16pk \(한빛물류\), with its notes and entries\?$/,
    'organizations get rl16pk',
  ],
  ['notes delete NOTE', /^Delete note: \w+ \([^)]{1,40}…\)\?$/, 'notes get NOTE'],
  [
    'custom-fields delete FIELD',
    /^Delete custom field: \w+ \(organization field Industry\), with its values\?$/,
    'custom-fields get FIELD',
  ],
  [
    'lists delete Newsletter',
    /^Delete list: 4y3m1d \(Newsletter\), with its \d+ entries\?$/,
    'lists get 4y3m1d',
  ],
  [
    'lists delete "Sales pipeline"',
    /^Delete list: vy7gy3 \(Sales pipeline\), with its 80 entries\?$/,
    'lists get vy7gy3',
  ],
  [
    'entries delete "Sales pipeline" m7lwpy',
    /^Delete entry: DEAL-1 \(Organization rl16pk\)\?$/,
    'entries get vy7gy3 m7lwpy',
  ],
  ['entries delete Newsletter ENTRY', /^Delete entry: \w+ \(Contact \w+\)\?$/, 'entries get 4y3m1d ENTRY'],
  ['api /v1/contacts/0rlnky -X DELETE', /^Send DELETE \/v1\/contacts\/0rlnky\?$/, 'contacts get 0rlnky'],
];

test.each(rows)('%s asks for confirmation, and deletes only after yes', async (line, question, remaining) => {
  const { kith, fillIds } = await createRecords();
  const [command, get] = [fillIds(line), fillIds(remaining)];
  const [prompt = '', ...rest] = (await kith(command, { ...options, answers: [false] })).err.split('\n');
  expect({ requests: prompt, rest }).toEqual({
    requests: expect.stringMatching(question),
    rest: ['kith: Cancelled.', ''],
  });
  const refusal = [
    await kith(command, { ...options, answers: [false] }),
    await kith(command, options),
    await kith(command),
    await kith(command, { ...options, env: { ...options.env, CI: 'true' } }),
    await kith(command, { ...options, env: { ...options.env, TERM: 'dumb' } }),
  ];
  const unconfirmed = {
    code: 2,
    out: '',
    err: 'kith: Refusing to delete without confirmation. Pass --yes to skip the prompt.\n',
  };
  expect(refusal).toEqual([
    { code: 1, out: '', err: `${prompt}\nkith: Cancelled.\n` },
    { code: 130, out: '', err: `${prompt}\nkith: Interrupted.\n` },
    unconfirmed,
    unconfirmed,
    unconfirmed,
  ]);
  expect((await kith(get)).code).toBe(0);
  expect(await kith(command, { ...options, answers: [true] })).toMatchObject({ code: 0, err: `${prompt}\n` });
  expect((await kith(get)).code).toBe(3);
});

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

test('a delete prints the deleted id in a pipe and in a terminal', async () => {
  const kith = createDemoMachine();
  expect(await kith('contacts delete 0rlnky --yes')).toEqual({
    code: 0,
    out: 'id\tdeleted\n0rlnky\ttrue\n',
    err: '',
  });
  expect((await kith('contacts delete v49o47 --yes', options)).out).toBe('id       v49o47\ndeleted  true\n');
});

test.each([
  ['contacts delete nope 0rlnky no v49o47', 'No contact has the id or name', '["0rlnky","v49o47"]'],
  ['organizations delete nope rl16pk no', 'No organization has the id or name', '["rl16pk"]'],
  ['entries delete "Sales pipeline" nope m7lwpy no', 'No entry of "Sales pipeline" has the id', '["m7lwpy"]'],
  ['entries delete vy7gy3 nope m7lwpy no', 'No entry of "Sales pipeline" has the id', '["m7lwpy"]'],
  ['lists delete nope Newsletter no', 'No list or process has the id', '["4y3m1d"]'],
])('%s deletes the existing records and names the others', async (line, reason, missing) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(`${line} --yes --jq map(.id)`);
  expect({ code, out, err }).toEqual({
    code: 6,
    out: `${missing}\n`,
    err: `kith: Not deleted: nope (${reason} "nope"); no (${reason} "no").\n`,
  });
});

test('with --json a partial failure is an object on stderr', async () => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith('contacts delete 0rlnky nope --yes --json');
  expect({ code, out: JSON.parse(out), err: JSON.parse(err) }).toEqual({
    code: 6,
    out: [{ id: '0rlnky', deleted: true }],
    err: {
      error: {
        code: 'partial',
        message: 'Not deleted: nope (No contact has the id or name "nope").',
        details: [],
      },
    },
  });
});

test('several ids get one prompt; a missing record stops it before anything is deleted', async () => {
  const kith = createDemoMachine();
  const result = await kith('contacts delete 0rlnky v49o47', { ...options, answers: [true] });
  expect(result).toMatchObject({
    code: 0,
    err: expect.stringMatching(/^Delete these 2: 0rlnky \(김지우\); v49o47 \([^)]+\)\?\n$/),
  });
  expect(await kith('organizations delete rl16pk nope', { ...options, answers: [true] })).toEqual({
    code: 3,
    out: '',
    err: 'kith: No organization has the id or name "nope".\nhint: kith organizations list\n',
  });
  expect((await kith('organizations get rl16pk')).code).toBe(0);
});

test('a failure that affects every record stops the deletion and reports the rest as not tried', async () => {
  const { url, requests } = await startTestService(({ method }, response) =>
    method === 'GET'
      ? sendJson(response, 200, { id: 'a' })
      : sendJson(response, 401, { message: 'The key was revoked.' }),
  );
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  expect(await createMachine()('contacts delete a b c --yes --retries 0', { env })).toMatchObject({
    code: 4,
    err: expect.stringContaining('Not deleted: a (The key was revoked). Not tried: 2.'),
  });
  expect(requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
});

test('deletes nothing if one of several names is ambiguous', async () => {
  const kith = createDemoMachine();
  for (let count = 0; count < 2; count += 1) await kith('organizations create --name Acme');
  const { code, err } = await kith('organizations delete rl16pk Acme --yes');
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('2 organizations match "Acme"') });
  expect((await kith('organizations get rl16pk')).code).toBe(0);
});

test('if no record can be deleted, the exit code is that of their failure', async () => {
  const kith = createDemoMachine();
  expect((await kith('contacts delete nope none --yes')).code).toBe(3);
  expect((await kith('contacts delete nope 0rlnky --yes')).code).toBe(6);
});

test('a prompt names ten records and counts the others', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts list --limit 12 --jq .[].id');
  const ids = out.trim().split('\n');
  const { code, err } = await kith(['contacts', 'delete', ...ids], { terminal: 100, answers: [false] });
  expect(code).toBe(1);
  expect(err).toMatch(/^Delete these 12: .*; and 2 more\?\n/);
  expect(err.match(/\(/g)).toHaveLength(10);
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

test('a prompt escapes control characters in the name of a record', async () => {
  const kith = createDemoMachine();
  const { out } = await kith([
    'notes',
    'create',
    '--organization',
    'rl16pk',
    '--body',
    'One\n\u001b[2J\u001b]0;x\u0007\u202etwo',
    '--jq',
    '.id',
  ]);
  const { err } = await kith(`notes delete ${out.trim()}`, { ...options, answers: [false] });
  expect(err).toBe(`Delete note: ${out.trim()} (One \\x1b[2J\\x1b]0;x\\x07\\u202etwo)?\nkith: Cancelled.\n`);
});

test('a prompt truncates a long note between characters', async () => {
  const kith = createDemoMachine();
  const body = `${'a'.repeat(39)}👩‍🚀 and more`;
  const { out } = await kith([...'notes create --organization rl16pk --jq .id --body'.split(' '), body]);
  const { err } = await kith(`notes delete ${out.trim()}`, options);
  expect(err).toBe(`Delete note: ${out.trim()} (${'a'.repeat(39)}…)?\nkith: Interrupted.\n`);
});

const minimal = { id: 'x' };

test.each([
  ['contacts delete x', { '/v1/contacts/x': minimal }, 'Delete contact: x?'],
  [
    'organizations delete x',
    { '/v1/organizations/x': minimal },
    'Delete organization: x, with its notes and entries?',
  ],
  ['notes delete x', { '/v1/notes/x': minimal }, 'Delete note: x?'],
  [
    'custom-fields delete x',
    { '/v1/custom_fields/x': { ...minimal, name: 'Y' } },
    'Delete custom field: x (Y), with its values?',
  ],
  ['entries delete l1 x', { '/v1/lists/l1/entries/x': minimal }, 'Delete entry: x?'],
])('%s asks for confirmation even if the service returns few fields', async (line, responses, question) => {
  const { env } = await startRecordingService(responses);
  expect(
    await createMachine()(line, { ...options, env: { ...options.env, ...env }, answers: [false] }),
  ).toEqual({
    code: 1,
    out: '',
    err: `${question}\nkith: Cancelled.\n`,
  });
});

test('deletes several entries of a list whose name could be an id', async () => {
  const { kith } = await createRecords();
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
