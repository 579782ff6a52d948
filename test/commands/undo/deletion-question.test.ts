import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

const options = { terminal: 2000, env: { NO_COLOR: '1', KITH_UNDO: 'on' } };

const rows: readonly (readonly [line: string, question: RegExp, left: string, answer: string | true])[] = [
  [
    'contacts delete 0rlnky',
    /^Delete contact "김지우" \(0rlnky\) and its 1 entry\? 5 other records lose their reference to it\. The id cannot be restored\.$/,
    'contacts get 0rlnky',
    true,
  ],
  [
    'organizations delete rl16pk',
    /^Delete organization "한빛물류" \(rl16pk\) and its 3 notes and 4 entries\? 5 contacts lose their organization\. The id, entry keys, and note dates cannot be restored\.$/,
    'organizations get rl16pk',
    true,
  ],
  [
    'notes delete j5ek5n',
    /^Delete note "[^"]{1,40}…" \(\w+\)\? The creation time cannot be restored\.$/,
    'notes get j5ek5n',
    true,
  ],
  [
    'custom-fields delete 6j1vjg',
    /^Delete organization field "Industry" and its values in 40 records\? The id cannot be restored\.$/,
    'custom-fields get 6j1vjg',
    true,
  ],
  [
    'lists delete Newsletter',
    /^Delete list "Newsletter" and its 30 entries\? The id cannot be restored\. Type its name to confirm:$/,
    'lists get 4y3m1d',
    'Newsletter',
  ],
  [
    'lists delete vy7gy3',
    /^Delete process "Sales pipeline" and its 80 entries\? The id and entry keys cannot be restored\. Type its name to confirm:$/,
    'lists get vy7gy3',
    'Sales pipeline',
  ],
  [
    'entries delete "Sales pipeline" m7lwpy',
    /^Delete entry "한빛물류" \(DEAL-1\)\? The key cannot be restored\.$/,
    'entries get vy7gy3 m7lwpy',
    true,
  ],
  ['entries delete Newsletter 1ypxjg', /^Delete entry "[^"]+" \(\w+\)\?$/, 'entries get 4y3m1d 1ypxjg', true],
  [
    'api /v1/contacts/0rlnky -X DELETE',
    /^Send DELETE \/v1\/contacts\/0rlnky\?$/,
    'contacts get 0rlnky',
    true,
  ],
];

test.each(rows)(
  '%s asks for confirmation, and deletes only after it',
  async (line, question, remaining, answer) => {
    const kith = createDemoMachine();
    const declined = await kith(line, { ...options, answers: [answer === true ? false : ''] });
    const [prompt = '', ...rest] = declined.err.split('\n');
    expect({ requests: prompt, rest }).toEqual({
      requests: expect.stringMatching(question),
      rest: ['kith: Cancelled.', ''],
    });
    const refusal = [
      declined,
      await kith(line, options),
      await kith(line),
      await kith(line, { ...options, env: { ...options.env, CI: 'true' } }),
      await kith(line, { ...options, env: { ...options.env, TERM: 'dumb' } }),
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
    expect((await kith(remaining)).code).toBe(0);
    const confirmed = await kith(`${line} -q`, { ...options, answers: [answer] });
    expect(confirmed).toMatchObject({ code: 0, err: `${prompt}\n` });
    expect((await kith(remaining)).code).toBe(3);
  },
);

test('asks once for several ids, and deletes nothing if a record is missing', async () => {
  const kith = createDemoMachine();
  const result = await kith('contacts delete 0rlnky v49o47', { ...options, answers: [true] });
  expect(result).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringMatching(
      /^Delete 2 contacts and their 1 entry: "김지우" \(0rlnky\), "[^"]+" \(v49o47\)\? 6 other records lose their reference to them\. The ids cannot be restored\.\nkith: Deleted 2 contacts\.\n$/,
    ),
  });
  expect(await kith('organizations delete rl16pk nope', { ...options, answers: [true] })).toEqual({
    code: 3,
    out: '',
    err: 'kith: No organization has the id or name "nope".\nhint: kith organizations list\n',
  });
  expect((await kith('organizations get rl16pk')).code).toBe(0);
});

test('a prompt for more than ten records names ten, and requires their number', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts list --limit 12 --jq .[].id');
  const ids = out.trim().split('\n');
  const { code, err } = await kith(['contacts', 'delete', ...ids], {
    ...options,
    answers: ['y', '11', ' 12 '],
  });
  expect(code).toBe(0);
  expect(err).toMatch(
    /^Delete 12 contacts and their 3 entries: ".* and 2 more\? 12 other records lose their reference to them\. The ids and entry keys cannot be restored\. Type 12 to confirm:\n(That does not match\. Press Escape to cancel\.\n){2}kith: Deleted 12 contacts\.\n$/,
  );
  expect(err.match(/" \(/g)).toHaveLength(10);
});

test('a prompt escapes control characters in the name of a record', async () => {
  const kith = createDemoMachine();
  const body = 'One\n\u001b[2J\u001b]0;x\u0007\u202etwo';
  const { out } = await kith(`notes create --organization rl16pk --body "${body}" --jq .id`);
  const { err } = await kith(`notes delete ${out.trim()}`, { ...options, answers: [false] });
  expect(err).toBe(
    `Delete note "One \\x1b[2J\\x1b]0;x\\x07\\u202etwo" (${out.trim()})? The creation time cannot be restored.\nkith: Cancelled.\n`,
  );
});

test('a prompt truncates a long note between characters', async () => {
  const kith = createDemoMachine();
  const body = `${'a'.repeat(39)}👩‍🚀 and more`;
  const { out } = await kith([...'notes create --organization rl16pk --jq .id --body'.split(' '), body]);
  const { err } = await kith(`notes delete ${out.trim()}`, options);
  expect(err).toBe(
    `Delete note "${'a'.repeat(39)}…" (${out.trim()})? The creation time cannot be restored.\nkith: Interrupted.\n`,
  );
});

const minimal = { id: 'x' };

test.each([
  ['contacts delete x', { '/v1/contacts/x': minimal }, 'Delete contact x? The id cannot be restored.'],
  [
    'organizations delete x',
    { '/v1/organizations/x': minimal },
    'Delete organization x? The id cannot be restored.',
  ],
  ['notes delete x', { '/v1/notes/x': minimal }, 'Delete note x? The creation time cannot be restored.'],
  [
    'custom-fields delete x',
    { '/v1/custom_fields/x': { ...minimal, name: 'Y' } },
    'Delete custom field "Y" and its values? The id cannot be restored.',
  ],
  [
    'custom-fields delete x',
    { '/v1/custom_fields/x': { ...minimal, name: 'Y', model: 'deal' } },
    'Delete deal field "Y" and its values? The id and values in deals cannot be restored.',
  ],
  ['entries delete l1 x', { '/v1/lists/l1/entries/x': minimal }, 'Delete entry x?'],
  [
    'entries delete l1 x',
    {
      '/v1/lists/l1/entries/x': { ...minimal, key: 'D-1', entryable_type: 'Contact', entryable_id: 'none' },
      '/v1/contacts/none': undefined,
    },
    'Delete entry D-1? The key cannot be restored.',
  ],
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

test('a process without entries has no entry keys to lose', async () => {
  const kith = createDemoMachine();
  await kith(
    'lists create Visits --process --identifier VISIT --no-duplicates --entry-type Contact --status New:active',
  );
  const { err } = await kith('lists delete Visits', options);
  expect(err).toBe('Delete process "Visits"? The id cannot be restored.\nkith: Interrupted.\n');
});

test('ten records are deleted after y', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('contacts list --limit 10 --jq .[].id');
  const ids = out.trim().split('\n');
  const { err } = await kith(['contacts', 'delete', ...ids], { ...options, answers: [true] });
  expect(err).toMatch(/ cannot be restored\.\nkith: Deleted 10 contacts\.\n$/);
});

test('the question says that a deletion cannot be undone', async () => {
  const kith = createDemoMachine();
  const env = { ...options.env, KITH_UNDO: 'off' };
  expect([
    (await kith('contacts delete 0rlnky', { ...options, env })).err,
    (await kith('lists delete Newsletter', { ...options, env })).err,
  ]).toEqual([
    'Delete contact "김지우" (0rlnky) and its 1 entry? 5 other records lose their reference to it. This cannot be undone.\nkith: Interrupted.\n',
    'Delete list "Newsletter" and its 30 entries? This cannot be undone. Type its name to confirm:\nkith: Interrupted.\n',
  ]);
});

test('the deletion of a list with more than 10,000 entries cannot be undone', async () => {
  const list = { id: 'l1', name: 'Fair' };
  const { url } = await startTestService(({ url }, response) => {
    const pagination = { end_cursor: 1, has_next_page: true, total_count: 10_001 };
    if (url.includes('/entries')) return sendJson(response, 200, { data: [{ id: 'e1' }], pagination });
    return sendJson(response, 200, url.startsWith('/v1/lists?') ? { data: [list] } : list);
  });
  const env = { ...options.env, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const { err } = await createMachine()('lists delete l1', { ...options, env });
  expect(err).toMatch(/^Delete list "Fair" and its 10,?001 entries\? This cannot be undone\. Type its name/);
});
