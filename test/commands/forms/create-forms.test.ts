import { expect, test } from 'vitest';
import { skip, startSmallService } from '../../cli/references/small-service.ts';
import { funnel } from '../../import/controlled-service.ts';
import { createMachine, splitWords } from '../../support/kith.ts';

/** Fills in a form; returns the request, after checking that the noted command line sends the same one. */
async function fillIn(
  line: string,
  answers: Parameters<Awaited<ReturnType<typeof startSmallService>>['fill']>[1],
) {
  const desk = await startSmallService();
  return { ...desk, ...(await fillAt(desk, line, answers)) };
}

async function fillAt(
  { fill, kith, env, takeWrites }: Awaited<ReturnType<typeof startSmallService>>,
  line: string,
  answers: Parameters<Awaited<ReturnType<typeof startSmallService>>['fill']>[1],
) {
  const { code, err } = await fill(line, answers);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/Equivalent command:/) });
  const writes = takeWrites().map((write) => {
    const [, start = '', body = ''] = /^(\S+ \S+) (.*)$/.exec(write) ?? [];
    return [start, JSON.parse(body)];
  });
  const [, noted = ''] = /Equivalent command:\s+kith (.*)/.exec(err) ?? [];
  const [noun = '', verb = '', ...words] = splitWords(noted);
  const { out } = await kith([noun, verb, '--dry-run', '--json', ...words], { env });
  const { method, path, body } = JSON.parse(out);
  expect([[`${method} ${path}`, body]]).toEqual(writes);
  return { err, path, body };
}

test('lists create asks for the properties, statuses and fields of a process', async () => {
  const { err, path, body } = await fillIn('lists create', [
    skip,
    'Onboarding',
    'process',
    'Organization',
    skip,
    'ONB',
    'one',
    'Started: now',
    'active',
    'Live',
    'won',
    skip,
    'Customer',
    skip,
    'Modules: all',
    'select',
    skip,
    'Probes, small',
    'Loggers',
    skip,
    'several',
    'Go-live',
    'date',
    'one',
    skip,
    skip,
  ]);
  expect(path).toBe('/v1/lists');
  expect(body).toEqual({
    name: 'Onboarding',
    process: true,
    entry_type: 'Organization',
    identifier: 'ONB',
    duplicates_allowed: false,
    statuses: [
      { name: 'Started: now', type: 'active' },
      { name: 'Live', type: 'won' },
    ],
    entry_label: 'Customer',
    fields: [
      {
        name: 'Modules: all',
        data_type: 'select',
        accepts_multiple_values: true,
        options: ['Probes, small', 'Loggers'],
      },
      { name: 'Go-live', data_type: 'date' },
    ],
  });
  expect(err).toContain('List name is required.\n');
  expect(err).toContain('A process requires a prefix.\n');
  expect(err).toContain('A select field requires options.\n');
  expect(err).toContain('Create this process? [Y/n/edit]\n');
});

test('lists create with a name does not ask for it, and asks nothing about processes for a list', async () => {
  const { err, body } = await fillIn('lists create Digest', ['list', 'Contact', skip, skip]);
  expect(body).toEqual({ name: 'Digest', process: false, entry_type: 'Contact' });
  expect(err).not.toContain('List name');
  expect(err).not.toContain('Prefix');
});

test('the form asks for the properties of a process if a list becomes one', async () => {
  const { body } = await fillIn('lists create -- -Digest-', [
    'list',
    'Contact',
    skip,
    'e',
    'process',
    'process',
    'DIG',
    'several',
    skip,
    skip,
    skip,
    skip,
  ]);
  expect(body).toMatchObject({
    name: '-Digest-',
    process: true,
    identifier: 'DIG',
    duplicates_allowed: true,
  });
});

test('custom-fields create asks for options only if the type is select', async () => {
  const select = ['Region', 'organization', 'select', skip, 'EMEA', 'APAC', skip, 'several', skip];
  expect((await fillIn('custom-fields create', select)).body).toEqual({
    name: 'Region',
    model: 'organization',
    data_type: 'select',
    accepts_multiple_values: true,
    options: ['EMEA', 'APAC'],
  });
  const date = ['contact', 'date', 'one', skip];
  expect((await fillIn('fields create Anniversary', date)).body).toEqual({
    name: 'Anniversary',
    model: 'contact',
    data_type: 'date',
  });
});

test('entries add asks for a contact in a list of contacts, and for values in a process', async () => {
  const desk = await startSmallService();
  const list = await fillAt(desk, 'entries add Readers', [skip, 'nobody', 'Ada Lovelace', skip]);
  expect(list.body).toEqual({ entryable_id: desk.ada, entryable_type: 'Contact' });
  expect(list.err).toContain(
    'An entry requires a contact.\nkith: No contact has the id or name "nobody". See `kith contacts list`.\n',
  );
  expect(list.err).not.toContain('Status');
  await desk.create('lists', funnel);
  desk.takeWrites();
  const answers = [
    'Ada Lovelace',
    'Won',
    'rui',
    'rui@tidewater.example',
    '1,200',
    '1200.5',
    skip,
    'Gold',
    skip,
  ];
  const process = await fillAt(desk, 'entries add Funnel', answers);
  expect(process.body).toEqual({
    entryable_id: desk.ada,
    entryable_type: 'Contact',
    status: 'Won',
    assignee_email: 'rui@tidewater.example',
    one_time_value_cents: 120050,
    list_fields: [{ name: 'Tier', value: 'Gold' }],
  });
  expect(process.err).toContain('"rui" is not the email address of a user.\n');
  expect(process.err).toContain('"1,200" is not an amount with at most two decimals, such as 1200.50.\n');
  expect(process.err).not.toContain('Period of the recurring value');
});

test('entries add asks for an organization, its contact, and the period of a recurring value', async () => {
  const desk = await startSmallService();
  await desk.create('lists', { ...funnel, entry_type: 'Organization', fields: [] });
  desk.takeWrites();
  const answers = ['acme.example', 'Ada Lovelace', 'Lead', skip, skip, '99', 'monthly', skip];
  const { body, err } = await fillAt(desk, 'entries add Funnel', answers);
  expect(err).toContain('\nRecurring       99.00/mo\n');
  expect(body).toEqual({
    entryable_id: desk.acme,
    entryable_type: 'Organization',
    status: 'Lead',
    contact_id: desk.ada,
    recurring_value_cents: 9900,
    recurring_value_period: 'monthly',
  });
});

test('entries add without a list lets the person choose it first', async () => {
  const { ada, list, path, body } = await fillIn('entries add', ['readers', 'Ada Lovelace', skip]);
  expect(path).toBe(`/v1/lists/${list}/entries`);
  expect(body).toEqual({ entryable_id: ada, entryable_type: 'Contact' });
});

test('notes create asks for the organization and the text, and shows both', async () => {
  const desk = await startSmallService();
  const { body, err } = await fillAt(desk, 'notes create', [skip, 'acme.example', ' Called back. ', skip]);
  expect(body).toEqual({ organization_id: desk.acme, body: 'Called back.' });
  expect(err).toContain('A note requires an organization.\n');
  expect(err).toContain('\nOrganization  Acme\nBody          Called back.\n\nCreate this note? [Y/n/edit]\n');
});

test('notes create requires text if there is no editor', async () => {
  const { err } = await fillIn('notes create', ['Acme', skip, 'Called back.', skip]);
  expect(err).toContain('Text of the note\nA note requires text.\n');
});

test.each(['@Mina: call them', '-'])('notes create sends the text %j unchanged', async (text) => {
  const { body } = await fillIn('notes create', ['Acme', text, skip]);
  expect(body).toMatchObject({ body: text });
});

test('reports a missing key before it asks anything', async () => {
  const { code, err } = await createMachine()('lists create', {
    terminal: 80,
    env: { KITH_BASE_URL: 'http://127.0.0.1:9' },
    answers: ['Readers', 'list', 'Contact', skip, skip],
  });
  expect(code).toBe(4);
  expect(err).not.toContain('List name');
});

const lines = [
  ['lists create', 'Missing required argument: NAME'],
  ['lists create Digest', 'Missing required option: --entry-type TYPE or --data JSON|@FILE|-'],
  ['custom-fields create', 'Missing required option: --model MODEL'],
  ['custom-fields create Region', 'Missing required option: --model MODEL'],
  [
    'entries add Readers',
    'Missing required option: --contact -|ID|EMAIL|PHONE|NAME, --organization -|ID|DOMAIN|NAME or --data JSON|@FILE|-',
  ],
  [
    'notes create',
    'Missing required option: --organization ID|DOMAIN|NAME, --deal ID|KEY or --data JSON|@FILE|-',
  ],
] as const;

test.each(lines)('without a terminal, "%s" fails as a command line: %s', async (line, message) => {
  const { kith, env, takeRequests } = await startSmallService();
  const answers = ['x', 'x', 'x'];
  for (const options of [{}, { terminal: 200, env: { CI: '1' } }]) {
    const { code, out, err } = await kith(line, { ...options, answers, env: { ...env, ...options.env } });
    expect({ code, out, err: err.split('\n')[0] }).toEqual({ code: 2, out: '', err: `kith: ${message}` });
  }
  const { code, err } = await kith([...line.split(' '), '--no-input'], { terminal: 200, answers, env });
  expect({ code, err: err.split('\n')[0] }).toEqual({ code: 2, err: `kith: ${message}` });
  expect(takeRequests()).toEqual([]);
});

test.each([
  ['lists create --entry-type Contact', 'Missing required argument: NAME'],
  ['lists create Digest --process', 'Missing required option: --entry-type TYPE or --data JSON|@FILE|-'],
  ['custom-fields create --type date', 'Missing required option: --model MODEL'],
  [
    'notes create --body Hi',
    'Missing required option: --organization ID|DOMAIN|NAME, --deal ID|KEY or --data JSON|@FILE|-',
  ],
])('with a flag, "%s" asks nothing in a terminal: %s', async (line, message) => {
  const { fill, takeRequests } = await startSmallService();
  const { code, err } = await fill(line, ['x', 'x']);
  expect({ code, err: err.split('\n')[0] }).toEqual({ code: 2, err: `kith: ${message}` });
  expect(takeRequests()).toEqual([]);
});
