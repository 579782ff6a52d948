import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';

test('--ids-only prints one id per line in a pipe and in a terminal', async () => {
  const kith = createDemoMachine();
  const line = 'contacts list --organization 한빛물류';
  const ids = (await kith(`${line} --jq .[].id`)).out;
  expect(ids.split('\n').length).toBeGreaterThan(2);
  expect(await kith(`${line} --ids-only`)).toMatchObject({ code: 0, out: ids });
  expect(await kith(`${line} --ids-only`, { terminal: 80 })).toMatchObject({ code: 0, out: ids });
  const env = { KITH_FORMAT: 'json' };
  expect(await kith(`${line} --ids-only`, { env })).toMatchObject({ code: 0, out: ids });
});

test('--ids-only works with --where, --limit, --all and --output', async () => {
  const kith = createDemoMachine();
  const count = async (line: string) => (await kith(line)).out.trim().split('\n').length;
  expect(await count('contacts list --ids-only --limit 3 -q')).toBe(3);
  const total = Number((await kith('contacts list --count')).out);
  expect(await count('contacts list --ids-only --all')).toBe(total);
  const file = join(createTemporaryFolder(), 'ids.txt');
  expect(await kith(['contacts', 'get', '0rlnky', '--ids-only', '-o', file])).toMatchObject({ out: '' });
  expect(readFileSync(file, 'utf8')).toBe('0rlnky\n');
});

test('--ids-only prints nothing for an empty list, and the id of a created record', async () => {
  const kith = createDemoMachine();
  const empty = `contacts list --where "first_name = 'nobody at all'" --ids-only`;
  expect(await kith(empty)).toEqual({ code: 0, out: '', err: '' });
  const { out } = await kith('organizations create --name 새벽농장 --ids-only');
  expect(await kith(`organizations get ${out.trim()} --jq .name`)).toMatchObject({ out: '새벽농장\n' });
});

test.each(['--json', '--format csv', '--jq .', '--fields id'])(
  '--ids-only and %s cannot be used together',
  async (flag) => {
    expect(await createDemoMachine()(`contacts list --ids-only ${flag}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`--ids-only and ${flag.split(' ')[0]} cannot be used together.`),
    });
  },
);

test('--ids-only refuses records without ids', async () => {
  expect(await createDemoMachine()('config list --ids-only')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--ids-only: these records have no field "id".'),
  });
});
