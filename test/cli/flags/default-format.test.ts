import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';

/** The beginning of each format of `lists list --fields name`. */
const starts = { table: 'NAME', json: '[\n  {', ndjson: '{"name":', csv: 'name\r\n', tsv: 'name\n' } as const;

test.each([
  ['the stored default', 'csv', '', '', 'csv'],
  ['KITH_FORMAT', '', 'ndjson', '', 'ndjson'],
  ['KITH_FORMAT instead of the stored default', 'csv', 'table', '', 'table'],
  ['--format instead of KITH_FORMAT', 'csv', 'json', '--format tsv', 'tsv'],
  ['--format instead of an invalid KITH_FORMAT', '', 'xml', '--format tsv', 'tsv'],
  ['--json instead of KITH_FORMAT', '', 'csv', '--json', 'json'],
  ['TSV in a pipe if nothing sets a format', '', '', '', 'tsv'],
] as const)('a list has the format of %s', async (_, stored, KITH_FORMAT, flags, expected) => {
  const kith = createDemoMachine();
  if (stored !== '') expect((await kith(`config set format ${stored}`)).code).toBe(0);
  const { code, out } = await kith(`lists list --fields name ${flags}`, { env: { KITH_FORMAT } });
  expect({ code, start: out.slice(0, starts[expected].length) }).toEqual({
    code: 0,
    start: starts[expected],
  });
});

test('a command that prints a text ignores the default format', async () => {
  const kith = createDemoMachine();
  const env = { KITH_FORMAT: 'json' };
  for (const line of ['config path', 'version', 'completion bash'])
    expect(await kith(line, { env })).toEqual(await kith(line));
});

test('--jq prints JSON, with ndjson as the default for each record', async () => {
  const kith = createDemoMachine();
  const count = async (KITH_FORMAT: string, filter: string) =>
    (await kith(['lists', 'list', '--jq', filter], { env: { KITH_FORMAT } })).out.split('\n').length - 1;
  expect(await count('csv', 'length > 1')).toBe(1);
  expect(await count('ndjson', '.id')).toBe(await count('csv', '.[].id'));
});

test('an invalid KITH_FORMAT is a usage error that names the variable', async () => {
  const kith = createDemoMachine();
  expect(await kith('lists list', { env: { KITH_FORMAT: 'xml' } })).toEqual({
    code: 2,
    out: '',
    err: 'kith: KITH_FORMAT: "xml" is not one of table, json, ndjson, compact, csv, tsv.\n',
  });
});
