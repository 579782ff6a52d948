import { expect, test } from 'vitest';
import { createDemoMachine, createLocalMachine, createTemporaryFolder } from '../../support/kith.ts';

/** Reads an id of the sample workspace. */
async function readId(kith: ReturnType<typeof createDemoMachine>, line: string) {
  return (await kith(`${line} --json`)).out.replaceAll(/[^\w]/g, '');
}

const terminal = { terminal: 100, env: { NO_COLOR: '1' } };

test.each([
  ['contacts get', ['김지우'], 'contacts get 0rlnky'],
  ['contacts show', ['jiwoo.kim@'], 'contacts show 0rlnky'],
  ['organizations get', ['hanbit-cold'], 'organizations get rl16pk'],
  ['orgs show', ['rl16pk'], 'orgs show rl16pk'],
  ['custom-fields get', ['language'], 'custom-fields get 8lmwjd'],
  ['lists get', ['sales'], 'lists get "Sales pipeline"'],
  ['lists report', ['pipe sal'], 'lists report "Sales pipeline"'],
  ['entries list', ['newsletter'], 'entries list Newsletter'],
  ['entries get', ['sales', 'deal-1'], 'entries get "Sales pipeline" DEAL-1'],
  ['entries get "Sales pipeline"', ['한빛 won'], 'entries get "Sales pipeline" m7lwpy'],
  [
    'entries update --status Lost -n',
    ['sales', '한빛'],
    'entries update "Sales pipeline" m7lwpy --status Lost -n',
  ],
  ['contacts update --first-name A -n', ['김지우'], 'contacts update 0rlnky --first-name A -n'],
  ['contacts delete -n', ['김지우'], 'contacts delete 0rlnky -n'],
  ['contacts merge -n', ['김지우', '박도현'], 'contacts merge 0rlnky dohyun.park@hanbit-cold.example -n'],
  ['organizations merge -n', ['한빛물류', '영도'], 'organizations merge rl16pk 영도필름보관소 -n'],
  [
    'contacts remove-emails -n',
    ['김지우', 'jiwoo'],
    'contacts remove-emails 0rlnky jiwoo.kim@hanbit-cold.example -n',
  ],
  ['orgs remove-domains 한빛물류 -n', ['hanbit'], 'orgs remove-domains rl16pk hanbit-cold.example -n'],
  ['auth switch', ['demo'], 'auth switch demo'],
])('%s continues with the choices %j as if they were arguments', async (line, answers, typed) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(line, { ...terminal, answers });
  expect({ code, out }).toEqual({ code: 0, out: (await kith(typed, terminal)).out });
  expect(err.match(/^Which .*\?$/gm)).toHaveLength(answers.length);
});

test.each([
  ['notes get', 'notes list --limit 1 --jq .[0].id'],
  ['events get', 'events list --limit 1 --jq .[0].id'],
  ['recordings get', 'events list --limit 1 --jq .[0].recordings[0].id'],
])('%s offers the records of its kind, the first one first', async (line, first) => {
  const kith = createDemoMachine();
  const id = await readId(kith, first);
  const { code, out } = await kith(`${line} --json`, { ...terminal, answers: [''] });
  expect({ code, id: JSON.parse(out).id }).toEqual({ code: 0, id });
});

test('lists report offers only processes', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  await kith('lists create Newsletter --entry-type Contact');
  expect((await kith('lists report', terminal)).err).toContain('There are no processes to choose from.');
});

test('shows details that distinguish records, and sanitizes text of the service', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  await kith('organizations create --name Acme --domain acme.example');
  await kith(['contacts', 'create', '--first-name', 'Ada\u001b[31m', '--organization', 'Acme']);
  await kith('contacts create --first-name Grace --email grace@x.example');
  const { err } = await kith('contacts get', terminal);
  expect(err).toBe('Which contact?\nAda\\x1b[31m (Acme)\nGrace (grace@x.example)\nkith: Interrupted.\n');
});

test.each([
  ['a word in any case', 'BRÁS'],
  ['without accents', 'sao bras'],
  ['words in any order', 'bras queijaria'],
  ['the domain', 'saobras-queijo.example'],
  ['decomposed letters', 'São Brás'.normalize('NFD')],
])('finds a record by %s', async (_, text) => {
  const { code, out } = await createDemoMachine()('organizations get --jq .name', {
    ...terminal,
    answers: [text],
  });
  expect({ code, out }).toEqual({ code: 0, out: 'Queijaria São Brás\n' });
});

test('finds a Korean name that is typed in decomposed letters, or by the organization', async () => {
  const kith = createDemoMachine();
  for (const text of ['한빛 지우', '지우'.normalize('NFD'), '한빛'.normalize('NFD')])
    expect(await kith('contacts get --jq .id', { ...terminal, answers: [text] })).toMatchObject({
      code: 0,
      out: '0rlnky\n',
    });
});

const missing =
  'kith: Missing required argument: ID|EMAIL|PHONE|NAME\nhint: Type: kith contacts delete ID|EMAIL|PHONE|NAME...\n';

test.each([
  ['the output is a pipe', 'contacts delete --yes', { env: { NO_COLOR: '1' } }],
  ['--no-input is set', 'contacts delete --yes --no-input', terminal],
  ['--output names a file', 'contacts delete --yes --output /dev/null', terminal],
  ['CI is set', 'contacts delete --yes', { ...terminal, env: { NO_COLOR: '1', CI: '1' } }],
  ['the terminal is dumb', 'contacts delete --yes', { ...terminal, env: { NO_COLOR: '1', TERM: 'dumb' } }],
])('is a usage error if %s', async (_, line, options) => {
  expect(await createDemoMachine()(line, { ...options, answers: ['김지우'] })).toEqual({
    code: 2,
    out: '',
    err: missing,
  });
});

test.each([
  ['contacts update', /^kith: Nothing to update/],
  ['contacts get --format nonsense', /^kith: --format/],
  ['contacts get --unknown', /^kith: Unknown option: --unknown/],
  ['entries import', /^kith: Missing required argument: LIST/],
])('%s reports another usage error before it asks', async (line, expected) => {
  const { code, err } = await createDemoMachine()(line, { ...terminal, answers: ['a', 'b'] });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(expected) });
  expect(err).not.toContain('Which');
});

test('Escape exits with 130 and writes nothing', async () => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith('contacts delete --yes', terminal);
  expect({ code, out, end: err.split('\n').at(-2) }).toEqual({
    code: 130,
    out: '',
    end: 'kith: Interrupted.',
  });
  expect((await kith('contacts list --all --jq length')).out).toBe('150\n');
});

test.each([
  ['contacts merge 0rlnky', 'contact', '박도현'],
  ['organizations merge rl16pk', 'organization', '자갈치새벽시장조합'],
])('%s does not offer the record itself', async (line, noun, first) => {
  const { err } = await createDemoMachine()(line, terminal);
  expect(err.split('\n', 2)).toEqual([
    `Which ${noun} do you want to merge into the first one and delete?`,
    expect.stringMatching(new RegExp(`^${first} `)),
  ]);
});

test.each([
  ['contacts get', 'contacts', 'contacts create'],
  ['organizations delete', 'organizations', 'organizations create'],
  ['notes get', 'notes', 'notes create'],
  ['custom-fields get', 'custom fields', 'custom-fields create'],
  ['entries get', 'lists', 'lists create'],
  ['events get', 'meetings', 'workspace import-events'],
  ['recordings get', 'recordings', 'workspace import-recording'],
  ['recordings summary', 'finished recordings', 'workspace import-recording'],
  ['lists report', 'processes', 'lists create'],
])('%s in an empty workspace says how to create a record', async (line, nouns, command) => {
  expect(await createLocalMachine(createTemporaryFolder())(line, terminal)).toEqual({
    code: 3,
    out: '',
    err: `kith: There are no ${nouns} to choose from.\nhint: kith ${command} --help\n`,
  });
});

test('the help of a command says which arguments can be chosen in a terminal', async () => {
  const kith = createDemoMachine();
  const asks = async (line: string) =>
    (await kith(`${line} --help`, { terminal: 200 })).out.match(/^.*if omitted, asks in a terminal/gm)
      ?.length ?? 0;
  expect([await asks('contacts merge'), await asks('entries get'), await asks('entries import')]).toEqual([
    2, 2, 0,
  ]);
});
