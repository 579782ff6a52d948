import { expect, test } from 'vitest';
import { startTestService } from '../../client/loopback.ts';
import { createMachine } from '../../support/kith.ts';

/** A record with unknown fields, numbers that do not fit a double, and unusual formatting and order. */
const record = String.raw`{"id":"a","zeta":{"2":[],"1":{}},"big":12345678901234567890,"price":1.10,"far":1e400,"10":-0,"9":1.0,"esc":"\u00e9\ud83d\ude00\u2028\/","last":9007199254740993}`;

const indentedRecord = String.raw`{
  "id": "a",
  "zeta": {
    "2": [],
    "1": {}
  },
  "big": 12345678901234567890,
  "price": 1.10,
  "far": 1e400,
  "10": -0,
  "9": 1.0,
  "esc": "\u00e9\ud83d\ude00\u2028\/",
  "last": 9007199254740993
}
`;

/** Indents each line of a text. */
const formatInArray = (text: string) => `[\n${text.trimEnd().replace(/^/gm, '  ')}\n]\n`;

/** Starts a service that responds with the unchanged record, or a list with it. */
async function startTokenService(body = record) {
  const { env } = await startTestService(({ url }, response) => {
    const one = /\/a$/.test(url);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(one ? body : `{"data":[${body}],"pagination":{"end_cursor":1,"has_next_page":false}}`);
  });
  const kith = createMachine();
  return (line: string, terminal?: number) => kith(line, { env, ...(terminal && { terminal }) });
}

test.each([
  ['contacts get a --json', indentedRecord],
  ['contacts get a --format ndjson', `${record}\n`],
  ['contacts list --json', formatInArray(indentedRecord)],
  ['contacts list --format ndjson', `${record}\n`],
  ['contacts find --phone 9007199254740993 --json', formatInArray(indentedRecord)],
  ['organizations list --all --json', formatInArray(indentedRecord)],
  ['contacts update a --first-name A --json', indentedRecord],
  ['api /v1/contacts/a', record],
  ['api /v1/contacts/a --json', indentedRecord],
  ['api /v1/contacts --paginate', formatInArray(indentedRecord)],
  ['api /v1/contacts --paginate --format ndjson', `${record}\n`],
  [
    'contacts get a --fields last,9,big,last_name --json -q',
    '{\n  "last": 9007199254740993,\n  "9": 1.0,\n  "big": 12345678901234567890,\n  "last_name": null\n}\n',
  ],
  [
    'contacts get a --fields zeta.1,price,far --format ndjson',
    '{"zeta":{"1":{}},"price":1.10,"far":1e400}\n',
  ],
  [
    'contacts list --fields zeta.2,esc --format ndjson',
    '{"zeta":{"2":[]},"esc":"\\u00e9\\ud83d\\ude00\\u2028\\/"}\n',
  ],
  [
    'contacts list --fields last,id --json',
    formatInArray('{\n  "last": 9007199254740993,\n  "id": "a"\n}\n'),
  ],
  ['contacts get a --jq .big,.price,.last,.["10"]', '12345678901234567890\n1.10\n9007199254740993\n-0\n'],
  ['contacts list --jq .[].big', '12345678901234567890\n'],
  ['contacts list --format ndjson --jq {last,price}', '{"last":9007199254740993,"price":1.10}\n'],
  ['api /v1/contacts/a --jq .last', '9007199254740993\n'],
  ['contacts get a --fields last,price --jq .', '{"last":9007199254740993,"price":1.10}\n'],
  [
    'contacts list --fields id,big,last,far',
    'id\tbig\tlast\tfar\na\t12345678901234567890\t9007199254740993\t1e400\n',
  ],
  ['contacts list --fields big --format csv', 'big\r\n12345678901234567890\r\n'],
])('%s prints the tokens as received', async (line, out) => {
  const kith = await startTokenService();
  expect(await kith(line)).toEqual({ code: 0, out, err: '' });
});

test('JSON on several lines becomes one line with ndjson and is indented by two spaces with --json', async () => {
  const kith = await startTokenService(record.replaceAll(/([{,])"/g, '$1\r\n\t"'));
  expect((await kith('contacts list --format ndjson')).out).toBe(`${record}\n`);
  expect((await kith('contacts get a --json')).out).toBe(indentedRecord);
});

test('a terminal shows all digits, and escapes control characters that JSON allows', async () => {
  const kith = await startTokenService('{"id":"a","big":12345678901234567890,"name":"\u202e\u2028\u009bx"}');
  expect((await kith('contacts get a --json', 80)).out).toBe(
    '{\n  "id": "a",\n  "big": 12345678901234567890,\n  "name": "\\u202e\\u2028\\u009bx"\n}\n',
  );
  expect((await kith('contacts get a --no-color', 80)).out).toBe(
    'ID    a\nbig   12345678901234567890\nName  \\u202e \\x9bx\n',
  );
});

test('jq formats exponents in its own way, and rounds only numbers that it computes', async () => {
  const kith = await startTokenService();
  expect((await kith('contacts get a --jq .far,.big+1')).out).toBe('1E+400\n12345678901234567000\n');
});

test('--jq sees the environment without the API key', async () => {
  const key = 'a-secret-key-of-tests';
  const env = {
    KITH_API_KEY: key,
    KITH_BASE_URL: 'https://crm.example',
    GREETING: 'héllo\nyou',
    EMPTY: '',
    KITH_MCP_KEY: 'abc',
  };
  const kith = createMachine();
  const line = [
    'config',
    'list',
    '--jq',
    '[env.GREETING, $ENV.EMPTY, (env | has("KITH_API_KEY"), has("KITH_MCP_KEY"), has("USER"))]',
  ];
  expect(await kith(line, { env })).toEqual({
    code: 0,
    out: '["héllo\\nyou","",false,false,false]\n',
    err: '',
  });
  const inEnvelope = [...line.slice(0, 3), 'env.GREETING as $word | env.KITH_BASE_URL', '--json-envelope'];
  expect((await kith(inEnvelope, { env })).out).toBe('https://crm.example\n');
});
