import { expect, test } from 'vitest';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import { createRecords, startRecordService } from '../../search/index/record-service.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { startSmallService } from './small-service.ts';

const deal1 = 'm7lwpy';

test.each([
  ['entries get DEAL-1 --jq .id', deal1],
  ['entries get deal-1 --jq .id', deal1],
  ['entries get "Sales pipeline" DEAL-1 --jq .id', deal1],
  ['entries show DEAL-1 --jq .entry.id', deal1],
  ['entries update DEAL-1 --status Lost --jq .status', 'Lost'],
  ['entries update deal-1 --status lost --dry-run', '"status": "Lost"'],
  ['entries delete DEAL-1 --yes --jq .id', deal1],
  ['entries delete DEAL-1 DEAL-2 --yes --jq map(.id)', `["${deal1}","3ym897"]`],
  ['entries delete "Sales pipeline" DEAL-1 DEAL-2 --yes --jq map(.id)', `["${deal1}","3ym897"]`],
  ['notes create --deal DEAL-1 --body x --jq .organization_id,.deal_id', `rl16pk\n${deal1}`],
  ['notes create --deal RES-1 --body x --organization rl16pk --jq .organization_id', 'rl16pk'],
])('%s', async (line, text) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({
    code: 0,
    out: expect.stringContaining(text),
    err: '',
  });
});

test.each([
  ['entries get X-1', 3, 'No process has the identifier "X".\nhint: kith lists list\n'],
  ['entries get Newsletter-1', 3, 'No process has the identifier "Newsletter".\nhint: kith lists list\n'],
  [
    'entries get DEAL-999',
    3,
    'No entry of "Sales pipeline" has the key "DEAL-999".\nhint: kith entries list vy7gy3\n',
  ],
  [
    'entries delete DEAL-1 RES-1 --yes',
    2,
    'DEAL-1 and RES-1 belong to different processes.\nhint: Use one command for each process.\n',
  ],
  [
    'entries delete DEAL-1 DEAL-999 --yes',
    3,
    'No entry of "Sales pipeline" has the key "DEAL-999".\nhint: kith entries list vy7gy3\n',
  ],
  ['entries get', 2, 'Missing required argument: LIST\nhint: Type: kith entries get [LIST] ID\n'],
  ['entries get m7lwpy', 2, 'Missing required argument: ID\nhint: Type: kith entries get [LIST] ID\n'],
  [
    'entries delete "Sales pipeline"',
    2,
    'Missing required argument: ID\nhint: Type: kith entries delete [LIST] ID...\n',
  ],
  [
    'notes create --deal m7lwpy --body x',
    2,
    '--deal: "m7lwpy" is not a key such as DEAL-1. Only a key implies the organization.\n' +
      'hint: Add the organization: --organization ID|DOMAIN|NAME\n',
  ],
])('%s exits with %i', async (line, code, err) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({ code, out: '', err: `kith: ${err}` });
});

test('edits an entry by its key', async () => {
  const kith = createDemoMachine();
  const { code, out } = await kith('entries edit DEAL-1 --file - --jq .status', { stdin: 'Status: lost\n' });
  expect({ code, out }).toEqual({ code: 0, out: 'Lost\n' });
});

/** A service with two processes of one identifier, each with the entry `DEAL-1`; the second also has `DEAL-2`. */
async function startServiceOfTwins() {
  const service = await startSmallService();
  const { create, ada } = service;
  const process = { process: true, entry_type: 'Contact', identifier: 'DEAL', duplicates_allowed: true };
  const twins: { list: string; entry: string }[] = [];
  for (const name of ['First', 'Second']) {
    const list = await create('lists', { name, ...process });
    const path = `lists/${list}/entries`;
    twins.push({ list, entry: await create(path, { entryable_id: ada, entryable_type: 'Contact' }) });
    if (name === 'Second') await create(path, { entryable_id: ada, entryable_type: 'Contact' });
  }
  service.takeRequests();
  return { ...service, twins };
}

test('a key of two processes is ambiguous, and only the entry that a person chooses is changed', async () => {
  const { kith, twins, env, takeWrites } = await startServiceOfTwins();
  const problem = `2 entries have the key "deal-1": ${twins[0]?.entry} (First), ${twins[1]?.entry} (Second).`;
  for (const rest of ['--status Won', '--status Won --dry-run']) {
    const commands = twins.map(({ list, entry }) => `kith entries update ${list} ${entry} ${rest}\n`);
    const err = `kith: ${problem}\nhint: ${commands.join('      ')}`;
    expect(await kith(`entries update deal-1 ${rest}`.split(' '))).toEqual({ code: 2, out: '', err });
  }
  expect(await kith(['notes', 'list', '--deal', 'deal-1'])).toEqual({
    code: 2,
    out: '',
    err: `kith: --deal: ${problem}\nhint: Pass the id of the entry.\n`,
  });
  expect(await kith(['entries', 'get', 'DEAL-2', '--jq', '.list_id'])).toMatchObject({
    out: `${twins[1]?.list}\n`,
  });
  expect(takeWrites()).toEqual([]);
  const second = twins[1]?.entry ?? '';
  const machine = { env: { ...env, NO_COLOR: '1' }, terminal: 100, answers: [second] };
  const { code, err } = await createMachine()('entries update DEAL-1 --status Won', machine);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining('2 entries have the key "DEAL-1". Which one?'),
  });
  expect(takeWrites()).toEqual([`PATCH /v1/lists/${twins[1]?.list}/entries/${second} {"status":"Won"}`]);
});

test('sends a request for the lists, one for the entries and one for the write', async () => {
  const { kith, create, ada, takeRequests } = await startSmallService();
  const process = { process: true, entry_type: 'Contact', identifier: 'A-B', duplicates_allowed: true };
  const list = await create('lists', { name: 'Deals', ...process });
  const entry = await create(`lists/${list}/entries`, { entryable_id: ada, entryable_type: 'Contact' });
  takeRequests();
  await kith(['entries', 'update', 'a-b-1', '--status', 'Won']);
  expect(takeRequests()).toEqual([
    'GET /v1/lists?first=100&after=0',
    `GET /v1/lists/${list}/entries?first=100&after=0`,
    `PATCH /v1/lists/${list}/entries/${entry} {"status":"Won"}`,
  ]);
});

test('a list whose name looks like a key stays a list', async () => {
  const { kith, create, ada, env, takeWrites } = await startSmallService();
  const list = await create('lists', { name: 'Q3-2026', process: false, entry_type: 'Contact' });
  const entry = await create(`lists/${list}/entries`, { entryable_id: ada, entryable_type: 'Contact' });
  takeWrites();
  expect((await kith(['entries', 'get', 'Q3-2026', entry, '--jq', '.id'])).out).toBe(`${entry}\n`);
  expect(await kith(['entries', 'get', 'Q3-2026'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('argument: ID'),
  });
  const picked = await createMachine()('entries get Q3-2026 --jq .id', {
    env,
    terminal: 80,
    answers: [entry],
  });
  expect(picked.out).toBe(`${entry}\n`);
  expect(await kith(['entries', 'delete', 'Q3-2026', 'DEAL-1', '--yes'])).toMatchObject({ code: 3 });
  expect(takeWrites()).toEqual([`DELETE /v1/lists/${list}/entries/DEAL-1`]);
});

test('keys after a process whose name looks like a key are keys of that process', async () => {
  const { kith, create, ada, takeWrites } = await startSmallService();
  const process = { process: true, entry_type: 'Contact', identifier: 'DEAL', duplicates_allowed: true };
  const list = await create('lists', { name: 'Q3-2026', ...process });
  const path = `lists/${list}/entries`;
  const entry = await create(path, { entryable_id: ada, entryable_type: 'Contact' });
  takeWrites();
  expect(await kith(['entries', 'delete', 'Q3-2026', 'DEAL-1', '--dry-run'])).toMatchObject({
    out: `DELETE /v1/${path}/${entry}\n`,
  });
  expect(await kith(['entries', 'delete', 'Q3-2026', 'DEAL-1', '--yes'])).toMatchObject({ code: 0 });
});

test('finds the entry of an archived process, in the index or in the list', async () => {
  const records = createRecords();
  records.lists.splice(0, 1, {
    ...records.lists[0],
    identifier: 'DEAL',
    archived_at: '2026-01-02T03:04:05.000Z',
  });
  const { env, requests } = await startRecordService(records);
  const kith = createMachine();
  const read = async () => {
    requests.length = 0;
    const { out } = await kith('entries get DEAL-7 --jq .id', { env });
    return { out, urls: requests.map(({ url }) => url.split('?')[0]) };
  };
  const entry = '/v1/lists/l1/entries/e1';
  expect(await read()).toEqual({ out: 'e1\n', urls: ['/v1/lists', '/v1/lists/l1/entries', entry] });
  await kith('index update', { env });
  expect(await read()).toEqual({ out: 'e1\n', urls: [entry, entry] });
  records.entries[0] = { ...records.entries[0], key: 'OLD-7' };
  expect((await read()).urls).toEqual([entry, '/v1/lists', '/v1/lists/l1/entries']);
});

test('an MCP tool takes a key instead of the list and the id', async () => {
  const { env, kith, twins } = await startServiceOfTwins();
  await kith(['entries', 'delete', twins[0]?.list ?? '', twins[0]?.entry ?? '', '--yes']);
  const { call, client } = await connectInProcess(createMachine(), env, '--allow-write');
  expect(JSON.parse((await call('records_get', { noun: 'entries', id: 'DEAL-1' })).text).id).toBe(
    twins[1]?.entry,
  );
  expect(
    JSON.parse((await call('entries_write', { action: 'update', id: 'DEAL-1', status: 'won' })).text).status,
  ).toBe('Won');
  expect((await call('records_get', { noun: 'entries', id: 'x1' })).text).toContain(
    'list is required, unless id is the key of an entry, such as DEAL-1.',
  );
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'records_get')?.inputSchema.required).toEqual(['noun', 'id']);
});
