import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import { createMachine } from '../../support/kith.ts';
import { startSmallService } from './small-service.ts';

test('lists contacts of the same name with an email address or the organization, and writes to none', async () => {
  const { kith, create, takeWrites, ada, acme } = await startSmallService();
  const other = await create('contacts', {
    first_name: 'ADA',
    last_name: 'Lovelace',
    emails: ['ada@x.example'],
  });
  const last = await create('contacts', { first_name: 'Lovelace', last_name: 'Ada' });
  takeWrites();
  const candidates = `${ada} (Acme), ${other} (ada@x.example), ${last}`;
  for (const line of [
    ['contacts', 'get', 'ada lovelace'],
    ['contacts', 'update', 'ada lovelace', '--first-name', 'A'],
    ['contacts', 'delete', acme, 'ada lovelace', '--yes'],
    ['entries', 'add', 'Readers', '--contact', 'ada lovelace'],
    ['entries', 'add', 'Readers', '--contact', 'ada lovelace', '--dry-run'],
    ['events', 'list', '--contact', 'ada lovelace'],
  ]) {
    const commands = [ada, other, last].map((id) =>
      ['kith', ...line.map((word) => (word === 'ada lovelace' ? id : word))].join(' '),
    );
    const err = `kith: 3 contacts match "ada lovelace": ${candidates}.\nhint: ${commands.join('\n      ')}\n`;
    expect(await kith(line)).toEqual({ code: 2, out: '', err });
  }
  expect(takeWrites()).toEqual([]);
});

test('lists at most ten candidates', async () => {
  const { kith, create } = await startSmallService();
  for (let count = 0; count < 12; count += 1) await create('organizations', { name: 'Same' });
  const { code, err } = await kith(['organizations', 'get', 'same']);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringMatching(/^kith: 12 organizations match "same": (\w+, ){10}and 2 more\.\n/),
  });
});

/** A service with two contacts of the same name. */
async function startServiceWithNamesakes() {
  const service = await startSmallService();
  const { create, env, ada, takeWrites } = service;
  const other = await create('contacts', {
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['a@x.example'],
  });
  takeWrites();
  const question = `2 contacts match "Ada Lovelace". Which one?\nAda Lovelace (Acme, ${ada})\nAda Lovelace (a@x.example, ${other})\n`;
  return {
    ...service,
    other,
    question,
    machine: createMachine(),
    terminal: { env: { ...env, NO_COLOR: '1' }, terminal: 100 },
  };
}

test('a terminal asks once per command which contact to use', async () => {
  const { machine, terminal, takeWrites, other, question } = await startServiceWithNamesakes();
  const field = ['--field', 'Introduced by=Ada Lovelace'];
  const line = ['contacts', 'update', 'Ada Lovelace', ...field, '--first-name', 'A'];
  const { code, err } = await machine(line, { ...terminal, answers: [other] });
  const note = `kith: Updated contact A Lovelace (${other}): first_name, Introduced by.\n`;
  expect({ code, err }).toEqual({ code: 0, err: question + note });
  const body = { first_name: 'A', custom_fields: [{ name: 'Introduced by', value: other }] };
  expect(takeWrites()).toEqual([`PATCH /v1/contacts/${other} ${JSON.stringify(body)}`]);
});

test.each([
  ['CI is set', [], { CI: '1' }, 100],
  ['--quiet is set', ['--quiet'], {}, 100],
  ['the output is a pipe', [], {}, undefined],
])('does not ask which contact is meant if %s', async (_, flags, env, terminal) => {
  const { machine, env: service } = await startServiceWithNamesakes();
  const setting = { env: { ...service, ...env, NO_COLOR: '1' }, answers: ['x'] };
  const line = ['contacts', 'get', 'Ada Lovelace', ...flags];
  const { code, err } = await machine(line, terminal === undefined ? setting : { ...setting, terminal });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('2 contacts match "Ada Lovelace"') });
});

test('MCP tools accept references, and list candidates instead of asking', async () => {
  const { env, ada, muhammad, list, create, takeWrites } = await startSmallService();
  const { call } = await connectInProcess(createMachine(), env, '--allow-write');
  expect(JSON.parse((await call('records_get', { noun: 'contacts', id: 'محمد علي' })).text).id).toBe(
    muhammad,
  );
  await call('records_create', { noun: 'entries', list: 'Readers', contact: 'ada lovelace' });
  const body = JSON.stringify({ entryable_id: ada, entryable_type: 'Contact' });
  // The word may be an id, so it is sent as one first; that response is a 404.
  expect(takeWrites()).toEqual([
    `POST /v1/lists/Readers/entries ${body}`,
    `POST /v1/lists/${list}/entries ${body}`,
  ]);
  const missing = await call('events_list', { contact: 'Nobody Here' });
  expect(missing).toMatchObject({ isError: true, text: expect.stringMatching(/^not_found: No contact has/) });
  const other = await create('contacts', { first_name: 'Ada', last_name: 'Lovelace' });
  const several = await call('contacts_write', { action: 'update', id: 'Ada Lovelace', first_name: 'A' });
  expect(several).toMatchObject({ isError: true, text: expect.stringContaining(`${ada} (Acme), ${other}.`) });
  expect(several.structured.error).toMatchObject({ code: 'usage', candidates: [{ id: ada }, { id: other }] });
  expect(takeWrites()).toEqual([]);
});

test('--dry-run checks that the record of an id exists', async () => {
  const { kith, create, ada, takeWrites } = await startSmallService();
  const grace = await create('contacts', { first_name: 'Grace' });
  for (const [reference, id] of [
    ['grace', grace],
    [ada, ada],
  ] as const)
    expect(await kith(['contacts', 'delete', reference, '--dry-run'])).toEqual({
      code: 0,
      out: `DELETE /v1/contacts/${id}\n`,
      err: '',
    });
  expect((await kith(['contacts', 'delete', 'nobody', '--dry-run'])).code).toBe(3);
  expect(takeWrites()).toEqual([]);
});

test('reports the failure of a write to a record that exists, and does not repeat the write', async () => {
  const { requests, env } = await startTestService(({ method }, response) =>
    method === 'GET'
      ? sendJson(response, 200, { data: [{ id: 'c1', first_name: 'Ada' }] })
      : sendJson(response, 404, { message: 'The field was removed.' }),
  );
  expect(await createMachine()('contacts update c1 --first-name A', { env })).toEqual({
    code: 3,
    out: '',
    err: 'kith: The field was removed.\n',
  });
  expect(requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
});
