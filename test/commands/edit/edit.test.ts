import { expect, test } from 'vitest';
import { createDemoMachine, type EditorText } from '../../support/kith.ts';
import { editBy, terminal } from './editor.ts';

test('shows the fields that an update can change, with options, names and facts as comments', async () => {
  let shown = '';
  const keep: EditorText = (text) => {
    shown = text;
    return text;
  };
  const kith = createDemoMachine();
  const { code, err } = await kith('contacts edit 김지우', { ...terminal, editorText: keep });
  expect({ code, err }).toEqual({ code: 0, err: '(vi)\nkith: Nothing changed; nothing was sent.\n' });
  expect(shown).toBe(`# contact 김지우 (0rlnky)
#
# Change the values, save, and close the editor. kith shows the changes and asks before
# sending them. If the file is unchanged or empty, nothing is sent.
# An empty value clears the field. Deleting a line changes nothing.
# Quote values that contain ": " or " #". For several lines of text: NAME: |, then indented lines.
#
# id: 0rlnky
# created_at: 2026-03-03T15:30:00.000Z
# updated_at: 2026-04-17T16:00:00.000Z

first_name: 지우
last_name: 김
emails:
  - jiwoo.kim@hanbit-cold.example
phone_numbers:
  - "+821055501234"
# an organization: id, domain or name
organization_id: rl16pk # 한빛물류
custom_fields:
  Role: Head of operations
  # one of Arabic, Dutch, English, French, German, Japanese, Korean, Portuguese,
  # Spanish
  Language: Korean
  # a date such as 2026-05-01
  Birthday: 1988-11-02
  # a time such as 2026-05-01T09:30:00Z
  Last visit: 2026-11-10T01:00:00.000Z
  # several values, each the email address of a user
  Met by:
    - mina@tidewater.example
    - kenji@tidewater.example
  Good to know: |-
    Our very first customer contact. Tests every alarm with a cup of iced coffee.
`);
});

test('shows the changes, asks, and sends only them', async () => {
  const kith = createDemoMachine();
  const { out: names } = await kith('organizations list --all --format tsv --fields name --no-header');
  const other = names.split('\n').find((name) => name !== '한빛물류') ?? '';
  const editorText = editBy(
    ['first_name: 지우', 'first_name: 007'],
    ['last_name: 김\n', ''],
    ['  - jiwoo.kim@', '  - yes@'],
    ['organization_id: rl16pk # 한빛물류', `organization_id: ${other}`],
    ['Birthday: 1988-11-02', 'Birthday:'],
    ['Language: Korean', 'Language: French'],
  );
  const { code, err, out } = await kith('contacts edit 0rlnky --jq .', {
    ...terminal,
    editorText,
    answers: [true],
  });
  expect({ code, lines: err.split('\n').slice(0, 9) }).toEqual({
    code: 0,
    lines: [
      '(vi)',
      'Changes to contact 김지우 (0rlnky):',
      '  first_name: 지우 -> 007',
      '  emails: jiwoo.kim@hanbit-cold.example -> yes@hanbit-cold.example',
      expect.stringMatching(/^ {2}organization_id: rl16pk \(한빛물류\) -> \w+ \(.+\)$/),
      '  Language: Korean -> French',
      '  Birthday: 1988-11-02 -> (none)',
      'Send these changes?',
      'kith: Updated contact 007 김 (0rlnky): 5 fields.',
    ],
  });
  const contact = JSON.parse(out);
  expect(contact).toMatchObject({ first_name: '007', last_name: '김', emails: ['yes@hanbit-cold.example'] });
});

test.each([
  [
    'contacts edit 0rlnky',
    [['first_name: 지우', 'first_name: A']],
    'PATCH /v1/contacts/0rlnky',
    { first_name: 'A' },
  ],
  [
    'contacts edit 0rlnky',
    [['Met by:\n    - mina@tidewater.example\n', 'Met by:\n']],
    'PATCH /v1/contacts/0rlnky',
    { custom_fields: [{ name: 'Met by', value: ['kenji@tidewater.example'] }] },
  ],
  [
    'entries edit "Sales pipeline" DEAL-1',
    [
      ['one_time_value: 10920.00', 'one_time_value: 1200.5'],
      ['recurring_value: 420.00', 'recurring_value:'],
      ['Rooms: 14', 'Rooms: 1e3'],
      [/assignee: .*/, 'assignee: null'],
    ],
    'PATCH /v1/lists/vy7gy3/entries/m7lwpy',
    {
      one_time_value_cents: 120050,
      recurring_value_cents: 0,
      assignee_email: null,
      list_fields: [{ name: 'Rooms', value: 1000 }],
    },
  ],
  [
    'lists edit "Sales pipeline"',
    [
      ['- Referral\n', '- Referral\n      - Fax\n'],
      ['fields:\n', 'fields:\n  - name: Size\n'],
      ['duplicates_allowed: true', 'duplicates_allowed: false'],
    ],
    'PATCH /v1/lists/vy7gy3',
    {
      duplicates_allowed: false,
      fields: [
        { name: 'Size', data_type: 'text', accepts_multiple_values: false },
        {
          name: 'Source',
          data_type: 'select',
          accepts_multiple_values: false,
          options: ['Referral', 'Fax', 'Trade fair', 'Website', 'Cold call', 'Reseller', 'Repeat customer'],
        },
      ],
    },
  ],
  [
    'organizations edit rl16pk',
    [
      ['- hanbit-cold.example', '- https://www.Hanbit-Cold.example/about\n  - hanbit.example'],
      ['Cold rooms: 14', 'Cold rooms: "14.0"'],
      ['Delivery notes: |-', 'Delivery notes: |-\n    # no: comment'],
    ],
    'PATCH /v1/organizations/rl16pk',
    {
      domains: ['hanbit.example'],
      custom_fields: [
        {
          name: 'Delivery notes',
          value:
            '# no: comment\n감천항 3번 게이트로 들어와 경비실에서 문 반장님을 찾을 것. 밤 10시 이후에는 문 반장님이 직접 나오심.',
        },
      ],
    },
  ],
] as const)('%s sends only %j', async (line, replacements, request, body) => {
  const kith = createDemoMachine();
  const { code, out, err } = await kith(`${line} --dry-run`, {
    ...terminal,
    editorText: editBy(...replacements),
  });
  expect({ code, err: err.includes('Send these changes?') }).toEqual({ code: 0, err: false });
  const [first = '', ...rest] = out.split('\n');
  expect([first, JSON.parse(rest.join('\n'))]).toEqual([request, body]);
});

test('sends nothing for values that are equal in another notation', async () => {
  const kith = createDemoMachine();
  const editorText = editBy(
    ['last_name: 김\n', ''],
    ['first_name: 지우\n', 'last_name: "김"\nfirst_name: \'지우\'\n'],
    ['jiwoo.kim@hanbit-cold.example', 'Jiwoo.Kim@hanbit-cold.example'],
    ['"+821055501234"', '+82 10-5550-1234'],
    ['organization_id: rl16pk # 한빛물류', 'organization_id: 한빛물류'],
    ['2026-11-10T01:00:00.000Z', '2026-11-10T10:00:00+09:00'],
  );
  const { code, err } = await kith('contacts edit 0rlnky', { ...terminal, editorText });
  expect({ code, err }).toEqual({ code: 0, err: '(vi)\nkith: Nothing changed; nothing was sent.\n' });
});

test('asks nothing without a terminal', async () => {
  const kith = createDemoMachine();
  expect(await kith('contacts edit 0rlnky')).toEqual({
    code: 2,
    out: '',
    err: 'kith: Missing required option: --file FILE (an editor requires a terminal)\n',
  });
  const applied = await kith('contacts edit 0rlnky --file - --dry-run', { stdin: 'first_name: "null"\n' });
  expect(applied).toEqual({
    code: 0,
    out: 'PATCH /v1/contacts/0rlnky\n{\n  "first_name": "null"\n}\n',
    err: 'Changes to contact 김지우 (0rlnky):\n  first_name: 지우 -> null\n',
  });
  expect(await kith('contacts edit 0rlnky --file -', { stdin: 'a: 1\nfirst_name: [x]\n' })).toEqual({
    code: 2,
    out: '',
    err:
      'kith: Line 1: Unknown field "a". Available fields: first_name, last_name, emails, phone_numbers, ' +
      'organization_id, custom_fields. Line 2: first_name: Only one value is allowed.\n',
  });
});

test.each([
  ['edit contacts 0rlnky', 'kith: Unknown command: edit\nhint: Did you mean `kith contacts edit 0rlnky`?\n'],
  ['edit events x', 'kith: Unknown command: edit\nhint: See `kith help all`.\n'],
])('kith %s says that the noun comes first', async (line, err) => {
  expect(await createDemoMachine()(line)).toEqual({ code: 2, out: '', err });
});
