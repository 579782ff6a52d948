import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answer, loopback } from '../client/loopback.ts';
import { machine, type Setting, temporaryFolder } from '../kith.ts';
import { recordingService } from './recording-service.ts';

/** How a line ends, and the writes that it sent. */
async function sending(line: readonly string[], setting: Setting = {}) {
  const { env, seen } = await recordingService();
  const { code, err } = await machine()([...line], { ...setting, env });
  const writes = seen.filter(({ method }) => method !== 'GET');
  return { code, err, sent: writes.map(({ body }) => body) };
}

const contact = ['contacts', 'create'];

test.each<[args: string[], sent: string, stdin?: string]>([
  [
    [...contact, '--data', '{"first_name":"A","unknown":[1.5,null]}'],
    '{"first_name":"A","unknown":[1.5,null]}',
  ],
  [[...contact, '--data', '-'], '{"first_name":"Stdin"}', ' {"first_name": "Stdin"}\n'],
  [[...contact, '--data', '@contact.json'], '{"first_name":"파일","emails":["f@x.example"]}'],
  [
    [...contact, '--data', '@contact.json', '--first-name', 'Flag', '--phone', '1'],
    '{"first_name":"Flag","emails":["f@x.example"],"phone_numbers":["1"]}',
  ],
  [
    [...contact, '--data', '@contact.json', '--email', 'a@x.example'],
    '{"first_name":"파일","emails":["a@x.example"]}',
  ],
  [
    [
      ...contact,
      '--field',
      'Code=1',
      '--data',
      '{"custom_fields":[{"name":"Code","value":"0"},{"name":"Rooms","value":3}]}',
    ],
    '{"custom_fields":[{"name":"Rooms","value":3},{"name":"Code","value":"1"}]}',
  ],
  [
    [
      'entries',
      'update',
      'l1',
      'e1',
      '--field',
      'Code=1',
      '--data',
      '{"list_fields":[{"name":"Code","value":"0"}],"status":"Won"}',
    ],
    '{"list_fields":[{"name":"Code","value":"1"}],"status":"Won"}',
  ],
  [['contacts', 'update', 'c1', '--data', '{}'], '{}'],
  [['contacts', 'update', 'c1', '--data', '{"first_name":"A"}', '--first-name', ''], '{"first_name":null}'],
  [['organizations', 'create', '--data', '{"name":"A"}'], '{"name":"A"}'],
  [
    ['notes', 'create', '--data', '{"organization_id":"o1","body":"B"}'],
    '{"organization_id":"o1","body":"B"}',
  ],
  [
    ['notes', 'create', '--data', '{"organization_id":"o2"}', '--organization', 'o1', '--body', 'B'],
    '{"organization_id":"o1","body":"B"}',
  ],
  [
    ['notes', 'create', '--organization', 'o1', '--body', '-'],
    '{"organization_id":"o1","body":"Two\\nlines\\n"}',
    'Two\nlines\n',
  ],
  [['notes', 'update', 'n1', '--body', '-y means yes'], '{"body":"-y means yes"}'],
  [
    ['notes', 'update', 'n1', '--body', '-V5 is out', '--deal', '--json'],
    '{"body":"-V5 is out","deal_id":"--json"}',
  ],
  [['notes', 'update', 'n1', '--body', '@note.md'], '{"body":"# 노트\\n"}'],
  [
    ['notes', 'create', '--organization', 'o1', '--body', '- a -y\n--json'],
    '{"organization_id":"o1","body":"- a -y\\n--json"}',
  ],
  [
    [
      'custom-fields',
      'create',
      'Region',
      '--model',
      'contact',
      '--data',
      '{"data_type":"select","options":["A"],"accepts_multiple_values":true}',
    ],
    '{"data_type":"select","options":["A"],"accepts_multiple_values":true,"name":"Region","model":"contact"}',
  ],
  [
    [
      'lists',
      'create',
      'L',
      '--data',
      '{"entry_type":"Contact","process":true,"identifier":"L","duplicates_allowed":true}',
    ],
    '{"entry_type":"Contact","process":true,"identifier":"L","duplicates_allowed":true,"name":"L"}',
  ],
  [
    [
      'lists',
      'create',
      'L',
      '--process',
      '--data',
      '{"entry_type":"Contact","identifier":"L"}',
      '--no-duplicates',
    ],
    '{"entry_type":"Contact","identifier":"L","name":"L","process":true,"duplicates_allowed":false}',
  ],
  [['lists', 'update', 'l1', '--data', '{"name":"L"}'], '{"name":"L"}'],
  [
    ['entries', 'add', 'l1', '--data', '{"entryable_id":"c1","entryable_type":"Contact"}'],
    '{"entryable_id":"c1","entryable_type":"Contact"}',
  ],
])('%j sends %s', async (args, sent, stdin = '') => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'contact.json'), '{"first_name": "파일", "emails": ["f@x.example"]}');
  writeFileSync(join(folder, 'note.md'), '# 노트\n');
  const line = args.map((word) => word.replace(/^@/, `@${folder}/`));
  expect(await sending(line, { stdin })).toEqual({ code: 0, err: '', sent: [sent] });
});

const jsonHint = `hint: Type --data '{"name": "Acme"}', --data @FILE, or --data - for stdin.\n`;
const nothing = 'There is nothing to change: give the flags of what is to be another.\n';
const notWhole =
  '--data: it has a number that JSON does not keep whole.\nhint: kith api --input sends a body as it is.\n';

test.each([
  [[...contact, '--data', '{"first_name"'], `--data: it is not JSON.\n${jsonHint}`],
  [[...contact, '--data', ''], '--data: A value for JSON|@FILE|- must not be empty.\n'],
  [[...contact, '--data', '-'], `--data: it is not JSON.\n${jsonHint}`],
  [[...contact, '--data', '[]'], '--data: it is not a JSON object.\n'],
  [[...contact, '--data', 'null'], '--data: it is not a JSON object.\n'],
  [[...contact, '--data', '@nowhere.json'], 'Cannot read nowhere.json: it is not there.\n'],
  [[...contact, '--data', '@.'], 'Cannot read .: it is a folder.\n'],
  [[...contact, '--data', '{"n":9007199254740993}'], notWhole],
  [[...contact, '--data', '{"custom_fields":[{"name":"Rooms","value":1e400}]}'], notWhole],
  [
    ['contacts', 'update', 'c1', '--data', '{"contact_id":"c2"}'],
    '--data: "contact_id" is part of the path, not of the body.\n',
  ],
  [
    ['entries', 'update', 'l1', 'e1', '--data', '{"id":"e2"}'],
    '--data: "id" is part of the path, not of the body.\n',
  ],
  [['contacts', 'update', 'c1'], nothing],
  [['organizations', 'update', 'o1'], nothing],
  [['notes', 'update', 'n1'], nothing],
  [['custom-fields', 'update', 'f1'], nothing],
  [['lists', 'update', 'l1'], nothing],
  [['entries', 'update', 'l1', 'e1'], nothing],
  [['entries', 'add', 'l1'], 'Give --contact, --organization or --data.\n'],
  [
    ['entries', 'add', 'l1', '--contact', 'c1', '--organization', 'o1'],
    'Give --contact or --organization, not both.\n',
  ],
  [['lists', 'create', 'L'], 'Give --entry-type or --data.\n'],
  [
    ['lists', 'create', 'L', '--entry-type', 'Deal'],
    '--entry-type: "Deal" is not one of Contact, Organization.\n',
  ],
  [
    ['lists', 'create', 'L', '--entry-type', 'Contact', '--identifier', 'L'],
    '--identifier goes with --process.\n',
  ],
  [
    ['lists', 'create', 'L', '--entry-type', 'Contact', '--status', 'A:won'],
    '--status goes with --process.\n',
  ],
  [['lists', 'create', 'L', '--entry-type', 'Contact', '--process'], 'A process needs --identifier.\n'],
  [
    ['lists', 'create', 'L', '--entry-type', 'Contact', '--process', '--identifier', 'L'],
    'A process needs --duplicates-allowed or --no-duplicates.\n',
  ],
  [
    ['lists', 'update', 'l1', '--duplicates-allowed', '--no-duplicates'],
    'Give --duplicates-allowed or --no-duplicates, not both.\n',
  ],
  [
    ['custom-fields', 'create', 'F', '--model', 'contact', '--type', 'select'],
    'The field "F" is a select: give its options.\n',
  ],
  [
    ['custom-fields', 'create', 'F', '--model', 'contact', '--option', 'A'],
    'The field "F" takes no options: only a select does.\n',
  ],
])('%j is refused, and nothing is sent', async (line, err) => {
  expect(await sending(line)).toEqual({ code: 2, err: `kith: ${err}`, sent: [] });
});

test.each([
  ['-f a=1 -f b=true', { a: '1', b: 'true' }],
  [
    '-F a=1 -F b=true -F c=false -F d=null -F e=1.50 -F f=-2e3',
    { a: 1, b: true, c: false, d: null, e: 1.5, f: -2000 },
  ],
  ['-F a=007 -F b=1,2 -F c=x -F d= -F e=+5', { a: '007', b: '1,2', c: 'x', d: '', e: '+5' }],
  ['-f a[]=1 -f a[]=2 -f b[]=3', { a: ['1', '2'], b: ['3'] }],
  ['-f a[b]=1 -f a[c]=2', { a: { b: '1', c: '2' } }],
  ['-f a[b][c][]=1 -f a[b][c][]=2', { a: { b: { c: ['1', '2'] } } }],
  [
    '-f a[][n]=1 -F a[][v]=2 -f a[][n]=3 -F a[][v]=null',
    {
      a: [
        { n: '1', v: 2 },
        { n: '3', v: null },
      ],
    },
  ],
  ['-f a[][]=1 -f a[][]=2', { a: [['1', '2']] }],
  ['-f a=b=c -f "d= e"', { a: 'b=c', d: ' e' }],
  [
    '-f 10=a -f __proto__=b -f constructor[x]=c',
    JSON.parse('{"10":"a","__proto__":"b","constructor":{"x":"c"}}'),
  ],
])('api %s', async (fields, body) => {
  const { env, seen } = await recordingService();
  const { code, err } = await machine()(`api /v1/contacts ${fields}`, { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(seen[0]?.body ?? '')).toEqual(body);
});

test.each([
  ['-f a', '--raw-field: "a" is not NAME=VALUE.\n'],
  ['-F =a', '--field: "=a" is not NAME=VALUE.\n'],
  ['-f a[=1', '"a[" is not a name such as emails[] or custom_fields[][name].\n'],
  ['-f []=1', '"[]" is not a name such as emails[] or custom_fields[][name].\n'],
  ['-f a[]=1 -f a[b]=2', '"a[b]" makes an array and an object of one field.\n'],
  ['-f a[b]=1 -f a[]=2', '"a[]" makes an array and an object of one field.\n'],
  ['-f a=1 -f a[b]=2', '"a[b]" makes a text and more of one field.\n'],
  ['-f a[b]=1 -f a=2', '"a" makes a text and more of one field.\n'],
  [
    '-F a=9007199254740993',
    '--field: "9007199254740993" is a number that JSON does not keep whole.\nhint: With -f it is sent as text.\n',
  ],
  [
    '-F a=1e400',
    '--field: "1e400" is a number that JSON does not keep whole.\nhint: With -f it is sent as text.\n',
  ],
  ['-F a=@nowhere', 'Cannot read nowhere: it is not there.\n'],
  ['-X PUT', '--method: "PUT" is not one of GET, POST, PATCH, DELETE.\n'],
  ['--paginate -f a=1', '--paginate goes with GET.\n'],
  ['--input - -f a=1', 'Give --input or --raw-field, not both.\n'],
  ['--input -', '--input: it is not JSON.\n'],
])('api %s is refused', async (flags, err) => {
  const { env, seen } = await recordingService();
  expect(await machine()(`api /v1/contacts ${flags}`, { env })).toEqual({
    code: 2,
    out: '',
    err: `kith: ${err}`,
  });
  expect(seen).toEqual([]);
});

test.each([
  '//evil.example/v1',
  'https://evil.example/v1',
  '/v1/a b',
  '/v1/a#b',
  '\\\\evil.example',
  '/\\evil',
])('api %s is no path of the service', async (path) => {
  const { env, seen } = await recordingService();
  expect(await machine()(['api', path], { env })).toEqual({
    code: 2,
    out: '',
    err: `kith: "${path}" is not a path of the service.\nhint: It looks like /v1/contacts.\n`,
  });
  expect(seen).toEqual([]);
});

test('api sends the body of a file or of stdin as it is, and the text of a file as a field', async () => {
  const folder = temporaryFolder();
  const text = '{ "b": 1.10, "a": 9007199254740993 }\n';
  writeFileSync(join(folder, 'body.json'), text);
  const { env, seen } = await recordingService();
  const kith = machine();
  await kith(`api /v1/contacts --input ${folder}/body.json`, { env });
  await kith('api /v1/notes/n1 -X PATCH --input -', { env, stdin: text });
  await kith(`api /v1/notes -F body=@${folder}/body.json`, { env });
  expect(seen.map(({ method, body }) => [method, body])).toEqual([
    ['POST', text],
    ['PATCH', text],
    ['POST', JSON.stringify({ body: text })],
  ]);
});

test('api --paginate reads to the end, with the filters of its path', async () => {
  const { url, seen } = await loopback(({ url }, response) => {
    const after = Number(new URL(url, 'http://service').searchParams.get('after'));
    answer(response, 200, {
      data: [{ id: `e${after}` }],
      pagination: { end_cursor: after + 1, has_next_page: after < 2 },
    });
  });
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const line = 'api /v1/calendar_events?contact_id=c1 -X GET -F starts_after=5 --paginate --jq map(.id)';
  expect(await machine()(line, { env })).toEqual({ code: 0, out: '["e0","e1","e2"]\n', err: '' });
  expect(seen.map(({ url }) => url)).toEqual(
    [0, 1, 2].map((after) => `/v1/calendar_events?contact_id=c1&starts_after=5&first=100&after=${after}`),
  );
});

test.each([
  ['contacts create --first-name A', 204],
  ['contacts update c1 --first-name A', 200],
  ['contacts remove-emails c1 a@x.example', 204],
  ['lists create L --entry-type Contact', 201],
  ['entries update l1 e1 --status Won', 204],
])('%s is done where a service answers %i and no record', async (line, status) => {
  const { url } = await loopback((_, response) => answer(response, status));
  const env = { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' };
  const kith = machine();
  const err = 'kith: Done; the service answered without the record.\n';
  expect([await kith(line, { env }), await kith(`${line} --json`, { env })]).toEqual([
    { code: 0, out: '', err },
    { code: 0, out: 'null\n', err },
  ]);
});
