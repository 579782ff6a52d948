import { expect, test } from 'vitest';
import { formatCommandName } from '../../../src/cli/command/command.ts';
import { isWrite, sendsRequests } from '../../../src/cli/command/effects.ts';
import { commandTree } from '../../../src/commands/tree.ts';
import { listResponses, writingRows } from '../../cli/endpoint-rows.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startRecordingService } from '../recording-service.ts';

test.each(writingRows)('%s with --dry-run shows %s %s', async (line, method, path, body) => {
  const { env, requests } = await startRecordingService(listResponses);
  const kith = createMachine();
  // Without --yes: a dry run does not ask for confirmation.
  // With -q, because the values of fields before and after are notes: see field-changes.test.ts.
  const dry = `${line.replace(/ (--yes|-y)$/, '')} --dry-run -q`;
  const [printed, json, inTerminal] = [
    await kith(dry, { env }),
    await kith(`${dry} --json`, { env }),
    await kith(dry, { env, terminal: 200 }),
  ];
  const text = `${method} ${path}\n${body ? `${JSON.stringify(body, null, 2)}\n` : ''}`;
  expect([printed, inTerminal]).toEqual([
    { code: 0, out: text, err: '' },
    { code: 0, out: text, err: '' },
  ]);
  expect({ ...json, out: JSON.parse(json.out) }).toEqual({
    code: 0,
    out: { method, path, ...(body && { body }) },
    err: '',
  });
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

/** Commands that send many requests, look for records first, change files, or run others. */
const testedElsewhere = [
  ...[
    'import',
    'merge',
    'undo',
    'redo',
    'edit',
    'done',
    'reopen',
    'followup',
    'batch',
    'upsert',
    'push',
    'copy',
  ],
];

test('every command that writes is covered', async () => {
  const writingCommands: string[] = [];
  // Deals are entries: see test/cli/words.test.ts.
  for (const entry of commandTree.filter(({ isShorthand }) => !isShorthand)) {
    for (const command of await entry.commands())
      if (isWrite(command) && sendsRequests(command) && !testedElsewhere.includes(command.name))
        writingCommands.push(formatCommandName(entry, command));
  }
  const untested = writingCommands.filter(
    (name) => !writingRows.some(([line]) => line.startsWith(`${name} `)),
  );
  expect({
    without: untested,
    some: writingCommands.includes('contacts create') && writingCommands.includes('api'),
  }).toEqual({
    without: [],
    some: true,
  });
});

test.each([
  ['contacts delete a b', '/v1/contacts/'],
  ['notes delete a b', '/v1/notes/'],
  ['entries delete l1 a b', '/v1/lists/l1/entries/'],
])('%s --dry-run shows a request for each id', async (line, path) => {
  const { env, requests } = await startRecordingService(listResponses);
  const kith = createMachine();
  const { out } = await kith(`${line} --dry-run`, { env });
  expect(out).toBe(`DELETE ${path}a\nDELETE ${path}b\n`);
  const { out: json } = await kith(`${line} --dry-run --jq .[].path`, { env });
  expect(json).toBe(`${path}a\n${path}b\n`);
  expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test.each([
  ['api /v1/contacts?email=a%2Bb@x.example', 'GET /v1/contacts?email=a%2Bb%40x.example\n'],
  ['api /v1/contacts --paginate', 'GET /v1/contacts\n'],
  ['api /v1/contacts -X GET -f email=a', 'GET /v1/contacts?email=a\n'],
])('%s --dry-run sends nothing, although it only reads', async (line, out) => {
  const { env, requests } = await startRecordingService();
  expect(await createMachine()(`${line} --dry-run`, { env })).toEqual({ code: 0, out, err: '' });
  expect(requests).toEqual([]);
});

test.each([
  [
    `entries add Deals --data '{"entryable_id":"c1","entryable_type":"Contact"}'`,
    'POST /v1/lists/l1/entries',
  ],
  ['entries update Deals e1 --status Won', 'PATCH /v1/lists/l1/entries/e1'],
  ['entries delete Deals e1', 'DELETE /v1/lists/l1/entries/e1'],
  ['lists update Deals --name Won', 'PATCH /v1/lists/l1'],
  ['lists delete Deals', 'DELETE /v1/lists/l1'],
])('%s --dry-run shows the id of a list whose name is cached, without a request', async (line, request) => {
  const { env, requests } = await startRecordingService(listResponses);
  const kith = createMachine();
  await kith('lists list', { env });
  requests.length = 0;
  const { out } = await kith(`${line} --dry-run`, { env });
  expect({ first: out.split('\n')[0], requests }).toEqual({ first: request, requests: [] });
});

test('--dry-run checks that the list of an id exists', async () => {
  const { env, listRequests } = await startRecordingService();
  const { out } = await createMachine()('entries delete l9 e1 --dry-run', { env });
  expect({ out, requests: listRequests() }).toEqual({
    out: 'DELETE /v1/lists/l9/entries/e1\n',
    requests: ['GET /v1/lists/l9'],
  });
});

test('--dry-run reports a list that does not exist if its name cannot be an id', async () => {
  const { env } = await startRecordingService(listResponses);
  expect(
    await createMachine()(['entries', 'add', 'The dials', '--contact', 'c1', '--dry-run'], { env }),
  ).toEqual({
    code: 3,
    out: '',
    err: 'kith: No list or process has the id or name "The dials".\nhint: kith lists list\n',
  });
});

test('an id that is passed twice is deleted once', async () => {
  const { env, listRequests } = await startRecordingService();
  const kith = createMachine();
  expect((await kith('contacts delete a b a --dry-run', { env })).out).toBe(
    'DELETE /v1/contacts/a\nDELETE /v1/contacts/b\n',
  );
  expect((await kith('contacts delete a a --yes --json', { env })).out).toBe(
    '{\n  "id": "a",\n  "deleted": true\n}\n',
  );
  expect(listRequests().filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE /v1/contacts/a']);
});

test.each([
  ['contacts create --first-name Ada --phone +1234', '"+1234" is not a phone number.'],
  ['contacts update 0rlnky --phone +1234', '"+1234" is not a phone number.'],
  ['contacts create --first-name Ada --email none', '"none" is not an email address.'],
  ['organizations create --domain a/b', '"a/b" is not a domain or a URL.'],
  ['api /v1/contacts -f "phone_numbers[]=+1234" -f first_name=Ada', '"+1234" is not a phone number.'],
])('a dry run of %s makes the checks of the service', async (line, message) => {
  const [dry, run] = [await createDemoMachine()(`${line} --dry-run`), await createDemoMachine()(line)];
  expect(dry).toEqual(run);
  expect(dry).toMatchObject({ code: 5, err: expect.stringContaining(message) });
});
