import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { startRecordingService } from '../../commands/recording-service.ts';
import { createSignedInHome } from '../../support/binary.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { runInTerminal } from '../../support/terminal.ts';

const terminal = { terminal: 200, env: { NO_COLOR: '1' } };

const rows: readonly (readonly [line: string, note: RegExp])[] = [
  [
    'contacts create --first-name Ada --last-name Lovelace --email ada@x.example',
    /^Created contact Ada Lovelace \(\w+\)\.$/,
  ],
  ['contacts create --email ada@x.example', /^Created contact ada@x\.example \(\w+\)\.$/],
  [
    'contacts update 0rlnky --last-name 이 --email j@x.example --field Role=Driver',
    /^Updated contact 이지우 \(0rlnky\): last_name, emails, Role\.$/,
  ],
  [
    'contacts update 0rlnky --first-name 지우 --last-name 김 --email j@x.example --field Role=A --field Birthday=2000-01-02',
    /^Updated contact 김지우 \(0rlnky\): 5 fields\.$/,
  ],
  [
    'contacts remove-emails 0rlnky jiwoo.kim@hanbit-cold.example',
    /^Removed jiwoo\.kim@hanbit-cold\.example from contact 김지우 \(0rlnky\)\.$/,
  ],
  [
    'contacts remove-emails 0rlnky a@x.example b@x.example c@x.example d@x.example e@x.example',
    /^Removed 5 emails from contact 김지우 \(0rlnky\)\.$/,
  ],
  ['organizations create --domain acme.example', /^Created organization acme\.example \(\w+\)\.$/],
  [
    'organizations update rl16pk --domain hanbit.example --data {}',
    /^Updated organization 한빛물류 \(rl16pk\): domains\.$/,
  ],
  [
    'organizations remove-domains rl16pk hanbit-cold.example',
    /^Removed hanbit-cold\.example from organization 한빛물류 \(rl16pk\)\.$/,
  ],
  ['notes create --organization rl16pk --body "Called back."', /^Created note \w+\.$/],
  ['notes update j5ek5n --body "Quote sent."', /^Updated note \w+: body\.$/],
  ['custom-fields create Zone --model contact', /^Created contact field Zone \(\w+\)\.$/],
  ['custom-fields update 6j1vjg --name Branch', /^Updated organization field Branch \(\w+\): name\.$/],
  ['lists create Fair --entry-type Contact', /^Created list Fair \(\w+\)\.$/],
  ['lists update "Sales pipeline" --name Sales', /^Updated process Sales \(vy7gy3\): name\.$/],
  ['entries add Newsletter --contact v49o47', /^Added entry \w+\.$/],
  ['entries add "Sales pipeline" --organization rl16pk', /^Added entry DEAL-\d+ \(\w+\)\.$/],
  [
    'entries update "Sales pipeline" m7lwpy --status Won --field Rooms=3',
    /^Updated entry DEAL-1 \(m7lwpy\): status, Rooms\.$/,
  ],
  ['contacts delete 0rlnky --yes', /^Deleted contact 0rlnky\.$/],
  ['contacts delete 0rlnky v49o47 --yes', /^Deleted 2 contacts\.$/],
  ['entries delete "Sales pipeline" DEAL-1 --yes', /^Deleted entry m7lwpy\.$/],
];

test.each(rows)('%s prints a note in a terminal and does not change stdout', async (line, note) => {
  const run = (flags: string, options: object) =>
    createDemoMachine()(`${line} ${flags}`, { ...options, now: new Date('2026-11-23T12:00:00Z') });
  const shown = await run('--jq .', terminal);
  expect(shown).toMatchObject({ code: 0, err: expect.stringMatching(/^kith: [^\n]+\n$/) });
  expect(shown.err.slice('kith: '.length, -1)).toMatch(note);
  const { out } = shown;
  expect(await run('--jq . --quiet', terminal)).toEqual({ code: 0, out, err: '' });
  expect(await run('--jq .', {})).toEqual({ code: 0, out, err: '' });
  expect((await run('--dry-run', terminal)).err).not.toMatch(/Created|Updated|Added|Removed|Deleted/);
});

test('the note of a confirmed deletion has the name of the record', async () => {
  const kith = createDemoMachine();
  const run = async (line: string, answer: string | boolean) => {
    const { out, err } = await kith(line, { ...terminal, answers: [answer] });
    return { out, note: err.split('\n')[1] };
  };
  expect([
    await run('contacts delete jiwoo.kim@hanbit-cold.example', true),
    await run('lists delete "Sales pipeline"', 'Sales pipeline'),
    await run('entries delete Newsletter 1ypxjg', true),
  ]).toEqual([
    { out: '', note: 'kith: Deleted contact 김지우 (0rlnky).' },
    { out: '', note: 'kith: Deleted process Sales pipeline (vy7gy3).' },
    { out: '', note: expect.stringMatching(/^kith: Deleted entry \S+ \(1ypxjg\)\.$/) },
  ]);
});

test('a partly failed deletion notes the deleted records, and --format still prints them', async () => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith('contacts delete 0rlnky nope v49o47 --yes --format tsv', terminal);
  expect({ code, out, err }).toEqual({
    code: 6,
    out: 'id\tdeleted\n0rlnky\ttrue\nv49o47\ttrue\n',
    err: expect.stringMatching(/^kith: Deleted 2 contacts\.\nkith: Not deleted: nope /),
  });
});

test.each([
  ['contacts update x --first-name A', { id: 'x' }, 'Updated contact x: first_name.'],
  ['contacts update x --first-name A', { id: 'x', first_name: 'A' }, 'Updated contact A (x): first_name.'],
  ['contacts create --first-name A', { id: 'x', first_name: 'A' }, 'Created contact A (x).'],
  ['contacts create --first-name A', { id: 'x', first_name: '' }, 'Created contact x.'],
  ['entries add Fair --contact x', { id: 'x' }, 'Added entry x.'],
  [
    'organizations update x --name A',
    { id: 'x', name: `One\n\u001b[2J\u202e${'긴'.repeat(30)}` },
    `Updated organization One \\x1b[2J\\u202e${'긴'.repeat(11)}… (x): name.`,
  ],
])('%s notes a record with few or unsafe fields', async (line, record, note) => {
  const lists = { data: [{ id: 'l1', name: 'Fair' }] };
  const { url } = await startTestService(({ url, method }, response) =>
    sendJson(response, 200, url.startsWith('/v1/lists?') ? lists : method === 'GET' ? { id: 'x' } : record),
  );
  const { code, err } = await createMachine()(`${line} --jq .`, {
    ...terminal,
    env: { ...terminal.env, KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' },
  });
  expect({ code, err }).toEqual({ code: 0, err: `kith: ${note}\n` });
});

test('a terminal shows the note if stdout is a pipe, and a file gets none', async () => {
  const { env, home: cwd } = createSignedInHome({ NO_COLOR: '1' });
  const line = 'kith contacts update 0rlnky --first-name 지수 --jq .id';
  const { out } = await runInTerminal(`${line} | cat; ${line} 2>notes; echo "$(cat notes)."`, { env, cwd });
  expect(out.replaceAll('\r', '')).toBe(
    'kith: Updated contact 김지수 (0rlnky): first_name.\n0rlnky\n0rlnky\n.\n',
  );
});

const person = { terminal: 100 };
const lookup = 'GET /v1/organizations?first=500&after=0';

test.each<
  readonly [flags: readonly string[], machine: object, requests: readonly string[], isNoted: boolean]
>([
  [['--name', ' ACME', '--yes'], person, [lookup, 'POST /v1/organizations {"name":" ACME"}'], true],
  [['--data', '{"name":"Acme"}', '--yes'], person, [lookup, 'POST /v1/organizations {"name":"Acme"}'], true],
  [['--name', 'Acme', '--dry-run'], person, [lookup], true],
  [['--name', 'Ac'], person, [lookup, 'POST /v1/organizations {"name":"Ac"}'], false],
  [['--name', 'Acme', '--no-input'], person, ['POST /v1/organizations {"name":"Acme"}'], false],
  [['--name', 'Acme', '--quiet'], person, ['POST /v1/organizations {"name":"Acme"}'], false],
  [['--name', 'Acme'], {}, ['POST /v1/organizations {"name":"Acme"}'], false],
])(
  'organizations create %j with %j prints a note that the name exists',
  async (flags, machine, requests, isNoted) => {
    const { env, listRequests } = await startRecordingService();
    const { code, err } = await createMachine()(['organizations', 'create', ...flags], {
      ...machine,
      env: { ...env, NO_COLOR: '1' },
    });
    const note = 'kith: An organization named "Acme" already exists: o1\n';
    expect({ code, requests: listRequests(), isNoted: err.startsWith(note) }).toEqual({
      code: 0,
      requests,
      isNoted,
    });
  },
);

test('organizations create asks in a terminal before it creates another organization with the name', async () => {
  const { env, listRequests } = await startRecordingService();
  const create = (answer: boolean) =>
    createMachine()('organizations create Acme', {
      ...person,
      answers: [answer],
      env: { ...env, NO_COLOR: '1' },
    });
  const question = 'An organization named "Acme" already exists: o1. Create another?\n';
  expect(await create(false)).toEqual({ code: 1, out: '', err: `${question}kith: Cancelled.\n` });
  expect(listRequests()).toEqual([lookup]);
  expect(await create(true)).toMatchObject({ code: 0, err: expect.stringContaining(question) });
  expect(listRequests().at(-1)).toBe('POST /v1/organizations {"name":"Acme"}');
});

test('organizations create compares its name with at most 500 others, and needs no list', async () => {
  let status = 200;
  const service = await startTestService(({ method, url }, response) => {
    const after = Number(new URL(url, 'http://service').searchParams.get('after'));
    const data = Array.from({ length: 100 }, (_, index) => ({ id: `o${after + index}`, name: 'Other' }));
    const pagination = { end_cursor: after + 100, has_next_page: true, total_count: 5000 };
    sendJson(response, method === 'GET' ? status : 201, { data, pagination, id: 'new', name: 'Acme' });
  });
  const kith = createMachine();
  const env = { ...service.env, NO_COLOR: '1' };
  for (const count of [2, 4]) {
    expect(await kith('organizations create --name Acme', { ...person, env })).toMatchObject({
      code: 0,
      err: 'kith: Created organization Acme (new).\n',
    });
    expect(service.requests).toHaveLength(count);
    status = 403;
  }
});
