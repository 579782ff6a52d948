import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { type HeaderOptions, saveToTemporaryFile } from '../../src/import/table.ts';
import { hashInput, openTextTable } from '../../src/import/table-file.ts';
import { unescapeFormula } from '../../src/render/cells.ts';
import { createTemporaryFolder } from '../support/kith.ts';

/** Reads a file: its columns, and its row numbers and values. */
async function read(content: string | Uint8Array, name = 'sheet.csv', options: HeaderOptions = {}) {
  const file = join(createTemporaryFolder(), name);
  writeFileSync(file, content);
  const csv = await openTextTable(file, name, undefined, options);
  const rows: unknown[][] = [];
  for await (const { row, cells, error } of csv.rows())
    rows.push([row, ...cells.map(unescapeFormula), ...(error ? [error] : [])]);
  return { columns: csv.columns, rows, ...(csv.notes.length > 0 && { notes: csv.notes }) };
}

async function complaint(content: string | Uint8Array, name = 'sheet.csv') {
  const error = await read(content, name).catch((error: unknown) => error);
  return error instanceof Failure ? [error.code, error.message, error.detail.hint] : ['none'];
}

const two = { columns: ['email', 'name'], rows: [[2, 'a@x.example', 'Ada']] };

test.each<[string, string, string?]>([
  ['CSV', 'email,name\na@x.example,Ada\n'],
  ['CRLF', 'email,name\r\na@x.example,Ada\r\n'],
  ['CRLF after a header with LF', 'email,name\na@x.example,"Ada"\r\n'],
  ['CR', 'email,name\ra@x.example,Ada\r'],
  ['no end of the last line', 'email,name\na@x.example,Ada'],
  ['a BOM', '\ufeffemail,name\r\na@x.example,Ada\r\n'],
  ['a BOM before a quote', '\ufeff"email",name\r\na@x.example,Ada\r\n'],
  ['semicolons', 'email;name\na@x.example;Ada\n'],
  ['tabs', 'email\tname\na@x.example\tAda\n'],
  ['bars', 'email|name\na@x.example|Ada\n'],
  ['a line for Excel that names the delimiter', 'sep=;\r\nemail;name\r\na@x.example;Ada\r\n'],
  ['such a line with LF, a BOM and quotes', '\ufeff"sep=|"\n"email"|name\na@x.example|Ada\n'],
  ['such a line in a TSV', 'SEP=\t\nemail\tname\na@x.example\tAda\n', 'sheet.tsv'],
  ['TSV by its name', 'email\tname\na@x.example\tAda\n', 'sheet.TSV'],
  ['quotes everywhere', '"email","name"\n"a@x.example","Ada"\n'],
  ['space around a header', ' email , name \na@x.example,Ada\n'],
  ['the Ctrl-Z at the end of a DOS file', 'email,name\r\na@x.example,Ada\r\n\u001a\u001a'],
  ['empty rows at the end', 'email,name\na@x.example,Ada\n\n,\n , \n'],
  ['NDJSON', '{"email":"a@x.example","name":"Ada"}\n', 'sheet.ndjson'],
])('%s', async (kind, text, name) => {
  const rows = kind === 'NDJSON' ? [[1, 'a@x.example', 'Ada']] : two.rows;
  expect(await read(text, name)).toEqual({ ...two, rows });
});

test.each([
  [',', 'a;b'],
  [';', 'a,b'],
  ['\t', 'a,b'],
  ['|', 'a,b'],
])('uses the delimiter %j although a quoted header contains another one', async (sign, other) => {
  const text = `"${other}${other}${other}"${sign}name\n1${sign}"x${sign}y"\n`;
  expect(await read(text)).toEqual({
    columns: [`${other}${other}${other}`, 'name'],
    rows: [[2, '1', `x${sign}y`]],
  });
});

test('keeps line breaks, quotes and delimiters in a quoted cell', async () => {
  const { rows } = await read('a,b\r\n"one\r\ntwo\nthree","say ""hi"", you"\r\nx,y\r\n');
  expect(rows).toEqual([
    [2, 'one\r\ntwo\nthree', 'say "hi", you'],
    [3, 'x', 'y'],
  ]);
});

test('uses the delimiter of a sep= line, whatever the header contains', async () => {
  expect(await read('sep=;\r\n"a,b,c";d\r\n\r\n1,5;2\r\n')).toEqual({
    columns: ['a,b,c', 'd'],
    rows: [[3, '1,5', '2']],
  });
});

test('numbers rows as a spreadsheet does, including empty ones', async () => {
  const { rows } = await read('a,b\n1,2\n\n,\n3,4\n\n\n5,6\n');
  expect(rows).toEqual([
    [2, '1', '2'],
    [5, '3', '4'],
    [8, '5', '6'],
  ]);
});

test('fills a short row and refuses a long one unless its extra cells are empty', async () => {
  const { rows } = await read('a,b\n1\n1,2,\n1,2,3\n1,2,,,5\n');
  expect(rows).toEqual([
    [2, '1', ''],
    [3, '1', '2'],
    [4, '1', '2', 'It has 3 cells, but the header has 2 columns.'],
    [5, '1', '2', 'It has 5 cells, but the header has 2 columns.'],
  ]);
});

test('refuses a row with a cell in a column without a name, and ignores such a column if it is empty', async () => {
  expect(await read('a,,b\n1,,2\n1,x,2\n')).toEqual({
    columns: ['a', '', 'b'],
    rows: [
      [2, '1', '', '2'],
      [3, '1', 'x', '2', 'Cell 2 is in a column without a name.'],
    ],
  });
});

test('removes the apostrophe before a formula and keeps any other', async () => {
  const { rows } = await read("a,b,c,d\n'=1+1,'til then,+82 10,''@x\n");
  expect(rows).toEqual([[2, '=1+1', "'til then", '+82 10', "'@x"]]);
});

test('reads a quote in tab-separated text as a character', async () => {
  expect((await read('a\tb\n5" pipe\tsay "hi"\n', 'x.tsv')).rows).toEqual([[2, '5" pipe', 'say "hi"']]);
});

test('reads a report as the file that it was written from', async () => {
  const text = 'a,b,action,id,error\r\n1,2,create,x1,\r\n';
  expect(await read(text)).toEqual({ columns: ['a', 'b'], rows: [[2, '1', '2']] });
  const saved = '"a";"b";"action";"id";"error";;\n"1";"2";"create";"x1";;;\n';
  expect(await read(saved)).toEqual({ columns: ['a', 'b'], rows: [[2, '1', '2']] });
});

test('reads lists, custom fields and later members from NDJSON, and refuses lines that are not objects', async () => {
  const lines = [
    {
      emails: ['a@x.example', 'b;c'],
      first_name: null,
      custom_fields: { f1: { name: 'Tier', value: 'Gold' } },
    },
    { late: true, n: 1.5 },
  ].map((record) => JSON.stringify(record));
  expect(await read(`\ufeff${lines[0]}\n\n[1]\nno\n${lines[1]}`, 'x.jsonl')).toEqual({
    columns: ['emails', 'first_name', 'Tier', 'late', 'n'],
    rows: [
      [1, 'a@x.example;b\\;c', '', 'Gold', '', ''],
      [3, '', '', '', '', '', 'Not a JSON object on one line.'],
      [4, '', '', '', '', '', 'Not a JSON object on one line.'],
      [5, '', '', '', 'true', '1.5'],
    ],
  });
});

test('keeps a text in NDJSON that looks like an escaped formula', async () => {
  expect((await read(`{"a":"'=x","b":"=x"}\n`, 'x.ndjson')).rows).toEqual([[1, "'=x", '=x']]);
});

test('keeps a column of NDJSON that has the name of a custom field', async () => {
  const record = { emails: ['a@x.example'], custom_fields: { f1: { name: 'emails', value: 'hers' } } };
  expect(await read(`${JSON.stringify(record)}\n`, 'x.ndjson')).toEqual({
    columns: ['emails', 'custom_fields.emails'],
    rows: [[1, 'a@x.example', 'hers']],
  });
});

const quoting = 'A cell with a quote is written as "say ""hello""".';

const arrayRefused = 'sheet.csv is a JSON array, not NDJSON (one record per line).';
const arrayHint = "kith prints NDJSON with --format ndjson; jq converts with: jq -c '.[]'";

test.each<[string, string | Uint8Array, string, (string | undefined)?, string?]>([
  ['an empty file', '', 'sheet.csv is empty: it has no header row.'],
  ['a file of empty lines', '\n\r\n\n', 'sheet.csv is empty: it has no header row.'],
  ['an empty NDJSON', '\n', 'x.ndjson is empty: it has no records.', undefined, 'x.ndjson'],
  ['an array', '[\n  {"a":1}\n]\n', arrayRefused, arrayHint],
  [
    'an array by the name of NDJSON',
    '[{"a":1}]',
    arrayRefused.replace('sheet.csv', 'x.ndjson'),
    arrayHint,
    'x.ndjson',
  ],
  ['an empty array', '[]\n', arrayRefused, arrayHint],
  [
    'an object over several lines',
    '{\n  "a": 1\n}\n',
    'x.ndjson is JSON over several lines, not NDJSON (one record per line).',
    "kith prints NDJSON with --format ndjson; jq converts with: jq -c '.'",
    'x.ndjson',
  ],
  [
    'Latin-1',
    Buffer.from('email,name\na,b\nc,J\xfcrgen\n', 'latin1'),
    'sheet.csv is not valid UTF-8 (line 3).',
    'Pass its encoding: --encoding windows-1252 (reads as "Jürgen").',
  ],
  [
    'half a character at the end',
    Buffer.from([0x61, 0x0a, 0xc3]),
    'sheet.csv is not valid UTF-8 (line 2).',
    'Pass its encoding, such as --encoding windows-1252, or save it as UTF-8 ("CSV UTF-8" in Excel).',
  ],
  [
    'a quote that is never closed',
    'a,b\n1,"2\n3,4\n',
    'sheet.csv, line 2: a quote is never closed.',
    quoting,
  ],
  [
    'a quote that is never closed after a cell with CRLF',
    'a,b\r\n"1\r\n""x""",2\r\n3,"4\r\n5,6\r\n',
    'sheet.csv, line 4: a quote is never closed.',
    quoting,
  ],
  [
    'a quote that is not closed before the next one',
    'a,b\n"1,2\n3,4\n"5",6\n',
    'sheet.csv, line 2: the quote that opens here closes in line 4, with text after it.',
    quoting,
  ],
  [
    'a quote that is never closed in tab-separated text',
    'a\tb\n5" x\t"6"7\n"3\t4\n',
    'sheet.csv, line 3: a quote is never closed.',
    quoting,
  ],
  [
    'text after a closing quote',
    'a,b\n1,"2"3\n',
    'sheet.csv, line 2: there is text after a closing quote.',
    quoting,
  ],
  [
    'a quote within a cell',
    'a,b\n1,2"3\n',
    'sheet.csv, line 2: there is a quote inside an unquoted cell.',
    quoting,
  ],
])('%s is refused', async (_, content, message, hint, name) => {
  expect(await complaint(content, name)).toEqual(['usage', message, hint]);
});

test('numbers duplicate columns, and says so', async () => {
  expect(await read('Email,Email,Email 2,,Email,\n')).toMatchObject({
    columns: ['Email', 'Email 3', 'Email 2', '', 'Email 4', ''],
    notes: ['Renamed duplicate columns: "Email" is "Email 3", "Email" is "Email 4".'],
  });
});

test('reads no rows from a file with only a header', async () => {
  expect(await read('a,b\r\n')).toEqual({ columns: ['a', 'b'], rows: [] });
});

test('does not load the whole file if a quote is never closed', async () => {
  const [code, message] = await complaint(`a,b\n1,"2\n${'x,y\n'.repeat(2_000_000)}`);
  expect([code, message]).toEqual([
    'usage',
    expect.stringContaining('line 2: a row is too long, probably because a quote is never closed'),
  ]);
});

async function* bytes() {
  yield Buffer.from('email\n');
  yield Buffer.from('a@x.example\n');
}

test('saves a stream to a file that only its owner can read', async () => {
  const { path, remove } = await saveToTemporaryFile(bytes());
  expect(readFileSync(path, 'utf8')).toBe('email\na@x.example\n');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await remove();
  expect(existsSync(dirname(path))).toBe(false);
});

test('removes the file of a stream that fails', async () => {
  const folder = createTemporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const failing = async function* () {
    yield* bytes();
    throw new Error('no more');
  };
  await expect(saveToTemporaryFile(failing())).rejects.toThrow('no more');
  expect(readdirSync(folder)).toEqual([]);
});

test('the hash of an input depends on its bytes and on the settings', async () => {
  const folder = createTemporaryFolder();
  const of = (text: string, manner: unknown) => {
    writeFileSync(join(folder, 'sheet.csv'), text);
    return hashInput(join(folder, 'sheet.csv'), manner);
  };
  const all = [await of('a', ['x']), await of('b', ['x']), await of('a', ['y'])];
  expect(new Set(all).size).toBe(3);
  expect(await of('a', ['x'])).toBe(all[0]);
});

test.each<[string, string, number, string[]]>([
  ['a title and an empty line', 'Our readers\n\nemail,name\na@x.example,Ada\n', 4, ['"Our readers"']],
  ['a title with commas', 'Readers, 2026, all\nemail;name\na@x.example;Ada\n', 3, ['"Readers, 2026, all"']],
  [
    'quotes that are not CSV',
    'From "News" of\n# by kith\nemail,name\na@x.example,Ada\n',
    4,
    ['"From "News" of"', '"# by kith"'],
  ],
  [
    'a quoted line',
    'Notes:\r\n"Some, missing."\r\nemail,name\r\na@x.example,Ada\r\n',
    4,
    ['"Notes:"', '"Some, missing."'],
  ],
  ['a line for Excel', 'sep=;\nReaders\nemail;name\na@x.example;Ada\n', 3, ['"Readers"']],
])('finds the header below %s', async (_, text, row, skipped) => {
  const isHeader = (cell: string) => ['email', 'name', 'Notes:'].includes(cell);
  const count = skipped.length === 1 ? '1 row' : `${skipped.length} rows`;
  expect(await read(text, 'sheet.csv', { isHeader })).toEqual({
    columns: ['email', 'name'],
    rows: [[row, 'a@x.example', 'Ada']],
    notes: [`Skipped ${count} above the header: ${skipped.join(', ')}.`],
  });
});

test.each([
  ['the first row although a row has known texts', 'email,x\nname,1\n', ['email', 'x']],
  ['the first row although a quoted header has lines', '"a\nemail,name",b\n1,2\n', ['a\nemail,name', 'b']],
  ['a single column', 'Readers\nemail\na@x.example\n', ['email']],
  ['no row of values', 'email,preferred,second\na@x.example,name,email\n', ['email', 'preferred', 'second']],
])('takes %s for the header', async (_, text, columns) => {
  const isHeader = (cell: string) => ['email', 'name'].includes(cell);
  expect(await read(text, 'sheet.csv', { isHeader })).toMatchObject({ columns });
});

test('uses the row of --header-row as the header', async () => {
  const text = 'email,name\n\nMail,Who\na@x.example,Ada\n';
  expect(await read(text, 'sheet.csv', { headerRow: 3 })).toMatchObject({
    columns: ['Mail', 'Who'],
    rows: [[4, 'a@x.example', 'Ada']],
  });
  for (const headerRow of [2, 9])
    await expect(read(text, 'x.csv', { headerRow })).rejects.toThrow(
      `--header-row: x.csv has no row ${headerRow}.`,
    );
});
