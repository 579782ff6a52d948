import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../client/loopback.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { startRecordingService } from './recording-service.ts';

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
])('api %s sends the fields as a JSON body', async (fields, body) => {
  const { env, requests } = await startRecordingService();
  const { code, err } = await createMachine()(`api /v1/contacts ${fields}`, { env });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(body);
});

test.each([
  ['-f a', '--raw-field: "a" is not NAME=VALUE.\n'],
  ['-F =a', '--field: "=a" is not NAME=VALUE.\n'],
  ['-f a[=1', '"a[" is not a name such as emails[] or custom_fields[][name].\n'],
  ['-f []=1', '"[]" is not a name such as emails[] or custom_fields[][name].\n'],
  ['-f a[]=1 -f a[b]=2', '"a[b]" uses a field both as an array and as an object.\n'],
  ['-f a[b]=1 -f a[]=2', '"a[]" uses a field both as an array and as an object.\n'],
  ['-f a=1 -f a[b]=2', '"a[b]" uses a field both as a value and as an array or object.\n'],
  ['-f a[b]=1 -f a=2', '"a" uses a field both as a value and as an array or object.\n'],
  [
    '-F a=9007199254740993',
    '--field: The number "9007199254740993" would lose precision in JSON.\nhint: Use -f to send it as text.\n',
  ],
  [
    '-F a=1e400',
    '--field: The number "1e400" would lose precision in JSON.\nhint: Use -f to send it as text.\n',
  ],
  ['-F a=@nowhere', 'Cannot read nowhere: it does not exist.\n'],
  ['-X PUT', '--method: "PUT" is not one of GET, POST, PATCH, DELETE.\n'],
  ['--paginate -f a=1', '--paginate works only with GET requests.\n'],
  ['--input - -f a=1', '--input and --raw-field cannot be used together.\n'],
  ['--input -', '--input: the body is not valid JSON.\n'],
])('api %s is a usage error and sends nothing', async (flags, err) => {
  const { env, requests } = await startRecordingService();
  expect(await createMachine()(`api /v1/contacts ${flags}`, { env })).toEqual({
    code: 2,
    out: '',
    err: `kith: ${err}`,
  });
  expect(requests).toEqual([]);
});

test.each([
  '//evil.example/v1',
  'https://evil.example/v1',
  '/v1/a b',
  '/v1/a#b',
  '\\\\evil.example',
  '/\\evil',
])('api %s is rejected as a path of another origin', async (path) => {
  const { env, requests } = await startRecordingService();
  expect(await createMachine()(['api', path], { env })).toEqual({
    code: 2,
    out: '',
    err: `kith: "${path}" is not a valid API path.\nhint: Use a path such as /v1/contacts.\n`,
  });
  expect(requests).toEqual([]);
});

test('api sends a file or stdin unchanged with --input, and the text of a file as a field with -F', async () => {
  const folder = createTemporaryFolder();
  const text = '{ "b": 1.10, "a": 9007199254740993 }\n';
  writeFileSync(join(folder, 'body.json'), text);
  const { env, requests } = await startRecordingService();
  const kith = createMachine();
  await kith(`api /v1/contacts --input ${folder}/body.json`, { env });
  await kith('api /v1/notes/n1 -X PATCH --input -', { env, stdin: text });
  await kith(`api /v1/notes -F body=@${folder}/body.json`, { env });
  expect(requests.map(({ method, body }) => [method, body])).toEqual([
    ['POST', text],
    ['PATCH', text],
    ['POST', JSON.stringify({ body: text })],
  ]);
});

test('api --paginate reads all pages and keeps the filters of its path', async () => {
  const { requests, env } = await startTestService(({ url }, response) => {
    const after = Number(new URL(url, 'http://service').searchParams.get('after'));
    sendJson(response, 200, {
      data: [{ id: `e${after}` }],
      pagination: { end_cursor: after + 1, has_next_page: after < 2 },
    });
  });
  const line = 'api /v1/calendar_events?contact_id=c1 -X GET -F starts_after=5 --paginate --jq map(.id)';
  expect(await createMachine()(line, { env })).toEqual({ code: 0, out: '["e0","e1","e2"]\n', err: '' });
  // The service sends one record at a time, so an overlapping page has only the last one.
  expect(requests.map(({ url }) => url)).toEqual(
    [0, 0, 1, 1, 2].map(
      (after) => `/v1/calendar_events?contact_id=c1&starts_after=5&first=100&after=${after}`,
    ),
  );
});
