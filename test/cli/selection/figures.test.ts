import { expect, test } from 'vitest';
import { connectInProcess } from '../../commands/mcp/agent.ts';
import { createDemoMachine, createLocalMachine, createTemporaryFolder } from '../../support/kith.ts';

const deals = ['entries', 'list', 'Sales pipeline'];

test('--count and --sum cover all records that the flags select, in every format', async () => {
  const kith = createDemoMachine();
  const open = [...deals, '--open', '--where', 'Rooms > 0'];
  const entries = JSON.parse((await kith([...open, '--all', '--json'])).out);
  const cents = entries.reduce(
    (sum: number, entry: Record<string, number>) => sum + (entry.one_time_value_cents ?? 0),
    0,
  );
  expect(entries.length).toBeGreaterThan(25);
  const read = async (...flags: string[]) => {
    const { code, out, err } = await kith([...open, ...flags]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  };
  const amount = (cents / 100).toFixed(2);
  const both = ['--count', '--sum', 'one_time_value'];
  expect(await read('--count')).toBe(`${entries.length}\n`);
  expect(await read('--sum', 'one_time_value')).toBe(`${amount}\n`);
  expect(await read('--sum', 'one_time_value_cents')).toBe(`${cents}\n`);
  expect(await read(...both)).toBe(`count\tsum\n${entries.length}\t${amount}\n`);
  expect(await read(...both, '--format', 'csv')).toBe(`count,sum\r\n${entries.length},${amount}\r\n`);
  expect(JSON.parse(await read(...both, '--json'))).toEqual({ count: entries.length, sum: cents / 100 });
  expect(await read('--count', '--jq', '.count')).toBe(`${entries.length}\n`);
  expect(await read('--count', '--all', '--fields', 'count', '--no-header')).toBe(`${entries.length}\n`);
});

test('--limit counts or sums only the first records of the order', async () => {
  const kith = createDemoMachine();
  const line = [...deals, '--sort', '-one_time_value', '--limit', '3'];
  const values = JSON.parse((await kith([...line, '--jq', 'map(.one_time_value_cents)'])).out);
  const sum = values.reduce((total: number, cents: number) => total + cents, 0) / 100;
  expect((await kith([...line, '--sum', 'one_time_value'])).out).toBe(`${sum.toFixed(2)}\n`);
  expect((await kith([...line, '--count'])).out).toBe('3\n');
  expect((await kith('contacts list --count --sort nope')).code).toBe(2);
  expect((await kith('contacts list --count --limit 1000')).out).toBe('150\n');
});

test.each(['contacts', 'organizations', 'notes', 'custom-fields', 'lists', 'events'])(
  '%s list --count is the number of all records, with one page if the service counts them',
  async (noun) => {
    const kith = createDemoMachine();
    const ids = JSON.parse((await kith([noun, 'list', '--all', '--jq', 'map(.id)'])).out);
    const { out, err } = await kith([noun, 'list', '--count', '--page-size', '2', '--debug']);
    expect(out).toBe(`${ids.length}\n`);
    // A filter of meetings may drop records.
    if (noun !== 'events') expect(err.match(/^.*GET /gm)).toHaveLength(1);
    expect((await kith([noun, 'list', '--count', '--where', 'created_at > 1d and id = none'])).out).toBe(
      '0\n',
    );
  },
);

test('sums numbers without rounding, and several values of a field', async () => {
  const kith = createLocalMachine(createTemporaryFolder());
  await kith('custom-fields create Sizes --model organization --type number --multiple');
  const add = (...sizes: string[]) =>
    kith(`organizations create --name A ${sizes.map((size) => `--field Sizes=${size}`).join(' ')}`);
  await add('0.1', '0.2');
  await add('1e3');
  await add();
  expect((await kith('organizations list --sum sizes')).out).toBe('1000.3\n');
  expect((await kith('organizations list --sum Sizes --where "id = none"')).out).toBe('0\n');
});

test('--sum takes only a field of numbers or amounts', async () => {
  const kith = createDemoMachine();
  expect(await kith([...deals, '--sum', 'status'])).toEqual({
    code: 2,
    out: '',
    err: 'kith: --sum: "status" is of type select; only numbers and amounts have a sum.\n',
  });
  expect(await kith('contacts list --sum Rooms')).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^kith: --sum: unknown field "Rooms"\.\n/),
  });
});

test('an agent counts and sums with the same parameters', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {});
  expect(await call('records_list', { noun: 'contacts', count: true })).toMatchObject({ text: '150\n' });
  const values = { list: 'Sales pipeline', open: true, count: true, sum: 'Rooms' };
  expect(JSON.parse((await call('entries_read', { view: 'list', ...values })).text)).toMatchObject({
    count: 47,
  });
});
