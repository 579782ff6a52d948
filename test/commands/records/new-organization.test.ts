import { expect, test } from 'vitest';
import { startSmallService } from '../../cli/references/small-service.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess } from '../mcp/agent.ts';

const jane = 'contacts create "Jane Doe" --organization Navy';

test('a script creates the organization of a new contact only with --create-organization', async () => {
  const { env, takeWrites } = await startSmallService();
  const kith = (line: string) => createMachine()(line, { env });
  expect(await kith(jane)).toEqual({
    code: 3,
    out: '',
    err: 'kith: No organization has the id or name "Navy".\nhint: To create it, add --create-organization.\n',
  });
  const refused = await kith(`${jane} --create-organization --phone 12`);
  expect(refused).toMatchObject({ code: 5, err: 'kith: "12" is not a phone number.\n' });
  expect((await kith(`${jane} --create-organization --allow contacts:create`)).code).toBe(8);
  const { out } = await kith(`${jane} --create-organization --dry-run --json`);
  expect(JSON.parse(out).map(({ path, body }: Record<string, unknown>) => [path, body])).toEqual([
    ['/v1/organizations', { name: 'Navy' }],
    ['/v1/contacts', { first_name: 'Jane', last_name: 'Doe', organization_id: '<id of Navy>' }],
  ]);
  expect(takeWrites()).toEqual([]);
  const limited = await kith(`${jane} --create-organization --max-writes 1`);
  expect(limited).toMatchObject({
    code: 9,
    err: expect.stringMatching(/Completed writes remain\. The organization Navy \(\w+\) was created\.\n/),
  });
  expect(takeWrites()).toEqual(['POST /v1/organizations {"name":"Navy"}']);
  // The organization exists now.
  expect((await kith(`${jane} --create-organization`)).code).toBe(0);
  expect(takeWrites()).toEqual([
    expect.stringMatching(/^POST \/v1\/contacts .*"organization_id":"\w{6}"\}$/),
  ]);
  const upsert =
    'contacts upsert --by name --name "Jane Doe" --organization base.example --create-organization';
  expect((await kith(upsert)).code).toBe(0);
  expect(takeWrites()).toEqual([
    'POST /v1/organizations {"domains":["base.example"]}',
    expect.stringMatching(/^PATCH \/v1\/contacts\/\w+ \{"organization_id":"\w+"\}$/),
  ]);
});

test('a terminal asks whether to create the organization', async () => {
  const { env, takeWrites } = await startSmallService();
  const create = (answers: boolean[]) =>
    createMachine()(jane, { env: { ...env, NO_COLOR: '1' }, terminal: 100, answers });
  const question = 'No organization has the id or name "Navy". Create the organization Navy?\n';
  expect(await create([false])).toEqual({ code: 1, out: '', err: `${question}kith: Cancelled.\n` });
  expect(takeWrites()).toEqual([]);
  const { code, err } = await create([true]);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/Navy\?\nkith: Created contact Jane Doe /),
  });
  expect(takeWrites()).toHaveLength(2);
});

test('after the only partial match is declined, a terminal asks whether to create the organization', async () => {
  const { env, takeWrites } = await startSmallService();
  const options = { env: { ...env, NO_COLOR: '1' }, terminal: 100, answers: [false, true] };
  const { code, err } = await createMachine()('contacts create Jane --organization Acm', options);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(
      /^1 organization matches "Acm": .*\. Use it\?\nCreate the organization Acm\?\n/,
    ),
  });
  expect(takeWrites()[0]).toBe('POST /v1/organizations {"name":"Acm"}');
});

test('one undo deletes the contact and its new organization', async () => {
  const machine = createDemoMachine();
  const kith = (line: string) => machine(line, { env: { KITH_UNDO: 'on' } });
  expect(await kith(`${jane} --create-organization`)).toMatchObject({ code: 0 });
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: 'Undid `kith contacts create`: 2 changes.\n',
  });
  expect((await kith('organizations get Navy')).code).toBe(3);
});

test('the form offers to create the organization, and notes the flag that does it', async () => {
  const { env, takeWrites } = await startSmallService();
  const answers = ['Jane', '', '', '', 'Navy', true, '', '', ''];
  const { code, err } = await createMachine()('contacts create', {
    ...{ env: { ...env, NO_COLOR: '1' }, terminal: 200, answers },
  });
  expect(code).toBe(0);
  expect(err).toContain('Organization  Navy\n');
  expect(err).toContain(
    'Equivalent command: kith contacts create --first-name Jane --organization Navy --create-organization\n',
  );
  expect(takeWrites()[0]).toBe('POST /v1/organizations {"name":"Navy"}');
});

test('the form creates the organization once, although the service refuses the contact at first', async () => {
  const { env, create, takeWrites } = await startSmallService();
  await create('contacts', { emails: ['jane@navy.example'] });
  takeWrites();
  const refused = ['Jane', '', 'jane@navy.example', '', '', 'Navy', true, '', '', ''];
  const { code, err } = await createMachine()('contacts create', {
    ...{ env: { ...env, NO_COLOR: '1' }, terminal: 200, answers: [...refused, 'j@navy.example', '', ''] },
  });
  expect(code).toBe(0);
  expect(err).toMatch(/ The organization Navy \(\w+\) was created\.\nEmail address\n/);
  expect(takeWrites().map((write) => write.split(' ')[1])).toEqual([
    '/v1/organizations',
    '/v1/contacts',
    '/v1/contacts',
  ]);
});

test('an MCP tool creates the organization with create_organization, and has no argument besides name', async () => {
  const { env, takeWrites } = await startSmallService();
  const { call } = await connectInProcess(createMachine(), env, '--allow-write');
  const contact = { noun: 'contacts', name: 'Jane Doe', organization: 'Navy' };
  const missing = await call('records_create', contact);
  expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('create_organization') });
  expect((await call('records_create', { ...contact, create_organization: true })).isError).toBeFalsy();
  expect(takeWrites()).toHaveLength(2);
});

test('parallel lines of a batch create the organization once', async () => {
  const kith = createDemoMachine();
  const line = {
    command: 'contacts create',
    name: 'Jane Doe',
    organization: 'Navy',
    create_organization: true,
  };
  const stdin = [1, 2, 3].map(() => JSON.stringify(line)).join('\n');
  expect((await kith('batch - --parallel 3', { stdin })).code).toBe(0);
  expect((await kith(`organizations list --where 'name = Navy' --count`)).out).toBe('1\n');
  expect((await kith(`contacts list --organization Navy --count`)).out).toBe('3\n');
});
