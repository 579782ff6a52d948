import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createSignedInHome } from '../../support/binary.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { runInTerminal, withExitCode } from '../../support/terminal.ts';

const options = { terminal: 200, env: { NO_COLOR: '1' } };

/** Returns a machine with a list that has an entry, and the question before its deletion. */
async function createListMachine(name: string, shown = name) {
  const kith = createDemoMachine();
  const { out } = await kith(['lists', 'create', name, '--entry-type', 'Contact', '--jq', '.id']);
  const id = out.trim();
  await kith(`entries add ${id} --contact 0rlnky`);
  const question = `Delete list "${shown}" and its 1 entry? This cannot be undone. Type its name to confirm:\n`;
  return { kith, id, question };
}

const refusal = 'That does not match. Press Escape to cancel.\n';

test.each([
  { name: '냉장 창고 박람회', answers: ['냉장 창고 박람회'.normalize('NFD')] },
  { name: '냉장 창고 박람회'.normalize('NFD'), answers: ['냉장 창고 박람회'] },
  { name: 'Café', answers: ['  Cafe\u0301 '] },
  { name: 'Trade fair', answers: ['trade fair', 'y', 'Trade', 'Trade fair'] },
  { name: '50', answers: ['1', '50'] },
  { name: 'Suppliers '.repeat(9).trim(), answers: ['Suppliers', 'Suppliers '.repeat(9)] },
  { name: 'A \u202e\u001b[31mB', answers: ['A', 'A \\u202e\\x1b[31mB'], shown: 'A \\u202e\\x1b[31mB' },
])('$name with entries is deleted after the last of $answers', async ({ name, answers, shown = name }) => {
  const { kith, id, question } = await createListMachine(name, shown);
  expect(await kith(`lists delete ${id} -q`, { ...options, answers })).toEqual({
    code: 0,
    out: expect.stringContaining(id),
    err: question + refusal.repeat(answers.length - 1),
  });
  expect((await kith(`lists get ${id}`)).code).toBe(3);
});

test('Escape, also after a wrong name, exits with 130 and deletes nothing', async () => {
  const { kith, id, question } = await createListMachine('Trade fair');
  expect([
    await kith(`lists delete ${id}`, options),
    await kith(`lists delete ${id}`, { ...options, answers: ['Fair'] }),
    await kith(`lists delete ${id}`, { ...options, answers: ['Fair', ' '] }),
  ]).toEqual([
    { code: 130, out: '', err: `${question}kith: Interrupted.\n` },
    { code: 130, out: '', err: `${question}${refusal}kith: Interrupted.\n` },
    { code: 1, out: '', err: `${question}${refusal}kith: Cancelled.\n` },
  ]);
  expect((await kith(`lists get ${id}`)).code).toBe(0);
});

test('a list without entries is deleted after y', async () => {
  const kith = createDemoMachine();
  await kith('lists create Fair --entry-type Contact');
  expect(await kith('lists delete Fair', { ...options, answers: [true] })).toEqual({
    code: 0,
    out: '',
    err: expect.stringMatching(
      /^Delete list "Fair"\? This cannot be undone\.\nkith: Deleted list Fair \(\w+\)\.\n$/,
    ),
  });
});

test('several lists with entries require their number', async () => {
  const kith = createDemoMachine();
  await kith('lists create Fair --entry-type Contact');
  const line = 'lists delete Newsletter "Sales pipeline" Fair';
  expect(await kith(line, { ...options, answers: ['Newsletter', '3'] })).toEqual({
    code: 0,
    out: '',
    err:
      'Delete 3 lists and their 110 entries: "Newsletter", "Sales pipeline", "Fair"? ' +
      `This cannot be undone. Type 3 to confirm:\n${refusal}kith: Deleted 3 lists.\n`,
  });
});

test.each([
  [[], '"Fair"? This cannot be undone.'],
  [[{ id: 'e1' }], '"Fair" and its entries? This cannot be undone. Type its name to confirm:'],
])('requests one entry if the service does not count the entries %j of a list', async (data, text) => {
  const list = { id: 'l1', name: 'Fair' };
  const { url, requests } = await startTestService(({ url }, response) => {
    if (url.startsWith('/v1/lists?')) return sendJson(response, 200, { data: [list] });
    if (url.startsWith('/v1/notes')) return sendJson(response, 200, { data: [] });
    return sendJson(response, 200, url.includes('/entries') ? { data } : list);
  });
  const env = { NO_COLOR: '1', KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const { err } = await createMachine()('lists delete l1', { ...options, env });
  expect(err).toBe(`Delete list ${text}\nkith: Interrupted.\n`);
  expect(requests.map(({ url }) => url)).toContain('/v1/lists/l1/entries?first=1');
});

test('--yes sends only the deletion', async () => {
  const { url, requests } = await startTestService((_, response) => sendJson(response, 204));
  const env = { NO_COLOR: '1', KITH_UNDO: 'off', KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const { code } = await createMachine()('contacts delete c1 --yes', { ...options, env });
  expect({ code, sent: requests.map(({ method, url }) => `${method} ${url}`) }).toEqual({
    code: 0,
    sent: ['DELETE /v1/contacts/c1'],
  });
});

const longName = '서울 물류 박람회 2026 방문객과 후속 상담 요청 목록 (냉장 창고)';

test('at 40 columns a long name is shown complete, and can be typed', async () => {
  const { env } = createSignedInHome({ NO_COLOR: '1' });
  const create = [
    `kith lists create "${longName}" --entry-type Contact -q`,
    `kith entries add "${longName}" --contact 0rlnky -q`,
  ];
  const { out } = await runInTerminal(
    `{ ${create.join('; ')}; } >/dev/null; ${withExitCode(`kith lists delete "${longName}"`)}`,
    {
      env,
      columns: 40,
      reactions: [
        ['confirm:', 'Fair\r'],
        ['Escape to', `\u0015${longName.normalize('NFD')}\r`],
      ],
    },
  );
  const lines = stripVTControlCharacters(out).replaceAll('\r', '').split('\n');
  const start = lines.findIndex((line) => line.includes('Delete list'));
  expect(lines.slice(start, start + 5)).toEqual([
    '◆  Delete list "서울 물류 박람회 2026',
    '   방문객과 후속 상담 요청 목록 (냉장',
    '   창고)" and its 1 entry? This cannot',
    '   be undone. Type its name to confirm:',
    '│  _',
  ]);
  expect(lines.slice(-4)).toEqual([
    expect.stringMatching(/^kith: Deleted list 서울 물류 박람회 2026$/),
    expect.stringMatching(/^ {6}방문객과 후속 상… \(\w+\)\.$/),
    'code 0',
    '',
  ]);
});
