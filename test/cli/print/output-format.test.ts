import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';

/** A machine with the sample workspace, and a function that writes a file and returns its text. */
function createOutputMachine() {
  const [kith, folder] = [createDemoMachine(), createTemporaryFolder()];
  const write = async (line: string, name: string) => {
    const path = join(folder, name);
    expect(await kith(`${line} -o ${path}`)).toMatchObject({ code: 0, out: '' });
    return readFileSync(path, 'latin1');
  };
  return { kith, folder, write };
}

test.each(['csv', 'tsv', 'json', 'ndjson', 'md', 'html'])(
  '-o with the ending or the word %s means --format',
  async (format) => {
    const { kith, write } = createOutputMachine();
    const line = 'contacts list --limit 2';
    const { out } = await kith(`${line} --format ${format}`);
    expect(await kith(`${line} -o ${format}`)).toMatchObject({ code: 0, out });
    expect(Buffer.from(await write(line, `out.${format.toUpperCase()}`), 'latin1').toString()).toBe(out);
  },
);

test.each([
  ['--format tsv', 'contacts list --limit 1 --format tsv', 'out.csv'],
  ['--json', 'contacts list --limit 1 --json', 'out.csv'],
  ['--jq', 'contacts list --limit 2 --jq length', 'out.ndjson'],
  ['--ids-only', 'contacts list --limit 1 --ids-only', 'out.csv'],
  ['a command that prints a text', 'config path', 'out.csv'],
])('%s chooses the format, whatever the name of the file', async (_, line, name) => {
  const { kith, write } = createOutputMachine();
  expect(await write(line, name)).toBe(Buffer.from((await kith(line)).out).toString('latin1'));
});

test('the file extension overrides the stored format', async () => {
  const { kith, write } = createOutputMachine();
  await kith('config set format ndjson');
  expect(await write('lists list --limit 1', 'out.csv')).toMatch(/^id,name/);
});

test('-o json reports an error as JSON', async () => {
  const { kith } = createOutputMachine();
  for (const flag of ['-o json', '-ojson', '--output json', '--output=json'])
    expect(JSON.parse((await kith(`contacts get 0nobody ${flag}`)).err)).toMatchObject({
      error: { code: 'not_found' },
    });
});

test('Markdown and HTML show names instead of ids, and escape them', async () => {
  const { kith } = createOutputMachine();
  await kith('organizations create --name "A|B <b>"');
  await kith('contacts create --first-name Ada --organization "A|B <b>"');
  const line = 'contacts list --where "first_name = Ada and organization ~ A|B" -o';
  expect((await kith(`${line} md`)).out).toBe(
    '| Name | Emails | Phone numbers | Organization |\n| --- | --- | --- | --- |\n| Ada |  |  | A\\|B <b> |\n',
  );
  expect((await kith(`${line} html`)).out).toContain('<td><bdi>A|B &lt;b&gt;</bdi></td>');
  expect((await kith(`${line} md --wide`)).out).toMatch(/^\| ID \| Name /);
});

test('an empty list has a header in Markdown and HTML', async () => {
  const { kith } = createOutputMachine();
  const line = 'organizations list --where "name = nobody" -o';
  expect((await kith(`${line} md`)).out).toBe('| Name | Domains |\n| --- | --- |\n');
  expect((await kith(`${line} html`)).out).toMatch(/<table>\n<tr><th>.*<\/tr>\n<\/table>/);
});

test('an imported workbook yields the same contacts', async () => {
  const { kith, folder, write } = createOutputMachine();
  expect(await write('contacts list --all', 'people.xlsx')).toMatch(/^PK/);
  const { code, out } = await kith(`contacts import ${join(folder, 'people.xlsx')} --dry-run`);
  expect({ code, count: out.match(/^= same {2}\(row/gm)?.length }).toEqual({ code: 0, count: 150 });
});

test('a report with -o FILE.html is the same page as with --html', async () => {
  const { write } = createOutputMachine();
  expect(await write('lists report "Sales pipeline"', 'report.html')).toContain('<title>Sales pipeline by');
});

test.each([
  ['contacts list -o xlsx', '--format xlsx writes a file.\nhint: Pass --output FILE.xlsx.'],
  ['config path -o out.xlsx', '--format: "xlsx" is not one of text, json.'],
  ['config path -o csv', '--format: "csv" is not one of text, json.'],
])('refuses %s', async (line, message) => {
  expect(await createOutputMachine().kith(line)).toEqual({ code: 2, out: '', err: `kith: ${message}\n` });
  expect(existsSync('out.xlsx')).toBe(false);
});
