import { expect, test } from 'vitest';
import { skip, startSmallService } from '../../cli/references/small-service.ts';
import { sendJson } from '../../client/loopback.ts';
import { createDemoMachine, splitWords } from '../../support/kith.ts';

/** The answers for a contact with a first name, up to the question whether to create it. */
const grace = ['Grace', '', '', '', '', '', ''] as const;
test('asks for each field of a contact until it is valid, and sends the same request as the command that it notes', async () => {
  const { fill, kith, env, takeWrites, acme, ada, muhammad } = await startSmallService();
  const { code, err } = await fill('contacts create', [
    skip,
    ' Hopper ',
    skip, // a first name or an email address is required
    'grace',
    'grace@navy.example',
    'g@navy.example',
    skip,
    '12',
    '+1 212 555 0187',
    skip,
    'Acmee',
    false, // does not create it
    'acme.example',
    'Ada Lovelace',
    ada,
    'محمد علي',
    skip,
    'perhaps',
    'y',
  ]);
  expect(err.split('\n')).toEqual([
    'kith: Enter skips an optional field. Escape cancels.',
    'First name',
    'Last name',
    'Email address',
    'A contact requires a first name or an email address.',
    '"grace" is not an email address.',
    'Email address 2',
    'Email address 3',
    'Phone number',
    '"12" is not a phone number.',
    'Phone number 2',
    'Organization',
    `No organization has the id or name "Acmee". Closest names: Acme (${acme}). Create the organization Acmee?`,
    'Organization',
    'Introduced by',
    'Knows',
    'Knows 2',
    'Knows 3',
    '',
    'Name           Hopper',
    'Emails         grace@navy.example, g@navy.example',
    'Phone numbers  +1 212 555 0187',
    'Organization   Acme',
    'Introduced by  Ada Lovelace',
    'Knows          Ada Lovelace, محمد علي',
    '',
    'Create this contact? [Y/n/edit]',
    'Type y, n or e.',
    expect.stringMatching(/^kith: Created contact Hopper \(\w+\)\.$/),
    'kith: Equivalent command:',
    expect.stringMatching(/^ {6}kith contacts create --last-name Hopper /),
    '',
  ]);
  const [sent = ''] = takeWrites();
  const body = {
    last_name: 'Hopper',
    emails: ['grace@navy.example', 'g@navy.example'],
    phone_numbers: ['+1 212 555 0187'],
    organization_id: acme,
    custom_fields: [
      { name: 'Introduced by', value: ada },
      { name: 'Knows', value: [ada, muhammad] },
    ],
  };
  expect({ code, sent }).toEqual({ code: 0, sent: `POST /v1/contacts ${JSON.stringify(body)}` });
  const [, line = ''] = /Equivalent command:\n +kith (.*)/.exec(err) ?? [];
  const { out } = await kith([...splitWords(line), '--dry-run', '--json'], { env });
  expect(JSON.parse(out)).toEqual({ method: 'POST', path: '/v1/contacts', body });
});

test('asks again for a phone number that the region of a local workspace does not have', async () => {
  const answers = ['Jane', skip, skip, '030 12'];
  const { err } = await createDemoMachine()('contacts create', { terminal: 100, answers });
  expect(err).toContain('Phone number\nkith: "030 12" is not a phone number.\nPhone number\n');
});

test('asks for the fields of an organization, which requires a name or a domain', async () => {
  const { fill, takeWrites } = await startSmallService();
  const { code, err } = await fill('orgs create', [
    skip,
    skip,
    'navy',
    'https://www.navy.example',
    skip,
    skip,
  ]);
  expect(code).toBe(0);
  expect(err).toContain(
    'Name\nDomain name or URL\nAn organization requires a name or a domain.\n"navy" is not a domain or a URL.\n',
  );
  expect(takeWrites()).toEqual(['POST /v1/organizations {"domains":["https://www.navy.example"]}']);
});

test.each([
  ['"n" creates nothing and exits with 1', [...grace, 'n'], 1, 'kith: Cancelled.'],
  ['Escape at the last question exits with 130', grace, 130, 'kith: Interrupted.'],
  ['Escape at any other question exits with 130', ['Grace', ''], 130, 'kith: Interrupted.'],
])('%s', async (_, answers, code, message) => {
  const { fill, takeWrites } = await startSmallService();
  const result = await fill('contacts create', answers);
  expect({ code: result.code, out: result.out, end: result.err.split('\n').at(-2) }).toEqual({
    code,
    out: '',
    end: message,
  });
  expect(result.err).not.toContain('Equivalent command');
  expect(takeWrites()).toEqual([]);
});

test('asks again for each value that the service refuses', async () => {
  const { fill, create, takeWrites } = await startSmallService();
  await create('contacts', { emails: ['g@navy.example'] });
  takeWrites();
  const refused = ['Grace', skip, 'g@navy.example', skip, '555 0187', skip, skip, skip, skip, skip];
  const corrected = ['grace@navy.example', skip, '+1 212 555 0187', skip, skip];
  const { code, err } = await fill('contacts create', [...refused, ...corrected]);
  expect(code).toBe(0);
  expect(err).toMatch(
    /kith: The email address "g@navy\.example" has already been taken by the contact \w+\.\nkith: "555 0187" is not a phone number\.\nEmail address\nEmail address 2\nPhone number\n/,
  );
  expect(JSON.parse(takeWrites()[1]?.replace(/^\S+ \S+ /, '') ?? '')).toEqual({
    first_name: 'Grace',
    emails: ['grace@navy.example'],
    phone_numbers: ['+1 212 555 0187'],
  });
});

test.each([400, 409])('asks which field to change after status %i, which names none', async (status) => {
  const { fill, control, takeWrites } = await startSmallService();
  let count = 0;
  control.before = ({ method }, response) => {
    const isRefused = method === 'POST' && ++count === 1;
    if (isRefused) sendJson(response, status, { error: 'Not like this.' });
    return isRefused;
  };
  const { code, err } = await fill('contacts create', [...grace, skip, 'lastName', 'Hopper', skip]);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('kith: Not like this.\nWhich field do you want to change?\n'),
  });
  expect(takeWrites()).toEqual([
    'POST /v1/contacts {"first_name":"Grace"}',
    'POST /v1/contacts {"first_name":"Grace","last_name":"Hopper"}',
  ]);
});

test('"edit" asks which field to change, and shows the record again', async () => {
  const { fill, takeWrites } = await startSmallService();
  const { code, err } = await fill('contacts create', [...grace, 'e', 'lastName', 'Hopper', skip]);
  expect(code).toBe(0);
  expect(err).toMatch(
    /\nName {2}Grace\n\nCreate this contact\? \[Y\/n\/edit\]\nWhich field do you want to change\?\nFirst name \(Grace\)\nLast name \(\)\n/,
  );
  expect(err).toContain('\nLast name\n\nName  Grace Hopper\n\nCreate this contact?');
  expect(takeWrites()).toEqual(['POST /v1/contacts {"first_name":"Grace","last_name":"Hopper"}']);
});

test('--yes creates the record without the last question, and --dry-run shows the request', async () => {
  const { fill, takeWrites } = await startSmallService();
  expect((await fill('contacts create --yes -q', grace)).code).toBe(0);
  expect(takeWrites()).toEqual(['POST /v1/contacts {"first_name":"Grace"}']);
  const { code, out, err } = await fill('contacts create --dry-run', grace);
  expect({ code, out }).toEqual({ code: 0, out: 'POST /v1/contacts\n{\n  "first_name": "Grace"\n}\n' });
  expect(err).not.toContain('Create this contact?');
  expect(takeWrites()).toEqual([]);
});

test.each([
  [503, 75],
  [500, 7],
])(
  'after status %i, exits with %i and notes the command line, so that no answer is lost',
  async (status, code) => {
    const { fill, control } = await startSmallService();
    control.before = ({ method }, response) => {
      if (method === 'POST') sendJson(response, status, {});
      return method === 'POST';
    };
    const result = await fill('contacts create --retries 0', [...grace, skip]);
    expect({ code: result.code, out: result.out }).toEqual({ code, out: '' });
    expect(result.err).toContain('kith: Equivalent command: kith contacts create --first-name Grace\nkith: ');
  },
);

test.each([
  ['a flag is passed', 'contacts create --first-name Grace', {}, 0],
  ['--data is passed', 'contacts create --data {"first_name":"Grace"}', {}, 0],
  ['--no-input is passed', 'contacts create --no-input', {}, 5],
  ['CI is set', 'contacts create', { env: { CI: '1' } }, 5],
  ['the terminal is dumb', 'contacts create', { env: { TERM: 'dumb' } }, 5],
  ['the output is a pipe', 'contacts create', { terminal: undefined }, 5],
])('asks nothing if %s', async (_, line, options, code) => {
  const { kith, env, takeRequests } = await startSmallService();
  const setting = { terminal: 100, answers: [...grace, skip], ...options };
  const result = await kith(line.split(' '), {
    ...(setting.terminal === undefined ? { answers: setting.answers } : setting),
    env: { ...env, ...('env' in options ? options.env : {}) },
  });
  expect(result.code).toBe(code);
  expect(result.err).not.toContain('First name');
  expect(takeRequests()).toHaveLength(1);
});

test('of more than eight custom fields, asks only for those that are chosen', async () => {
  const { fill, create, takeWrites } = await startSmallService();
  const definitions = [
    { name: 'Tier', data_type: 'select', options: ['A', 'B'], accepts_multiple_values: false },
    { name: 'Tags', data_type: 'select', options: ['x', 'y=z'], accepts_multiple_values: true },
    { name: 'Size = m²', data_type: 'number' },
    { name: 'Since', data_type: 'date' },
    ...Array.from({ length: 60 }, (_, index) => ({ name: `Field ${index}`, data_type: 'text' })),
  ];
  for (const definition of definitions)
    await create('custom_fields', { model: 'organization', ...definition });
  takeWrites();
  const { code, err } = await fill('organizations create', [
    'Navy',
    skip,
    ['Tier', 'Tags', 'Size = m²', 'Since'],
    'B',
    ['y=z'],
    'many',
    '1.5',
    'may',
    '2026-05-01',
    skip,
  ]);
  expect(code).toBe(0);
  expect(err).toContain('Which of the 64 fields do you want to fill in?');
  expect(err).toContain('"many" is not a number.\nSince\n"may" is not a date such as 2026-05-01.\n');
  const custom_fields = [
    { name: 'Tier', value: 'B' },
    { name: 'Tags', value: ['y=z'] },
    { name: 'Size = m²', value: 1.5 },
    { name: 'Since', value: '2026-05-01' },
  ];
  expect(takeWrites()).toEqual([`POST /v1/organizations ${JSON.stringify({ name: 'Navy', custom_fields })}`]);
});

test('shows nothing from the service that controls the terminal', async () => {
  const { fill, create } = await startSmallService();
  await create('custom_fields', { model: 'organization', name: 'Evil\u001b[2J', data_type: 'text' });
  const { code, err } = await fill('organizations create', ['Navy', skip, 'x', 'e', 'name', 'Fleet', skip]);
  expect(code).toBe(0);
  expect(err).toContain('Evil\\x1b[2J  x');
  expect(err).toContain('Evil\\x1b[2J (x)');
  expect(err).not.toContain('\u001b');
});
