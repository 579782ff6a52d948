import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openTable } from '../../src/import/table-file.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { createWorkbookParts, createZip } from './workbook-file.ts';

const { TMPDIR } = process.env;
afterEach(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
});

async function readFile(file: string, worksheet?: string) {
  const csv = await openTable(file, 'people.xlsx', {
    encoding: undefined,
    sheet: worksheet,
    tz: 'Asia/Seoul',
  });
  const rows: unknown[] = [];
  for await (const { row, cells, cellErrors = {} } of csv.rows())
    rows.push([row, ...cells, ...Object.values(cellErrors)]);
  await csv.close?.();
  return { columns: csv.columns, rows, ...(csv.notes[0] && { note: csv.notes[0] }) };
}

async function read(bytes: Buffer, worksheet?: string) {
  const folder = createTemporaryFolder();
  const file = join(folder, 'people.xlsx');
  writeFileSync(file, bytes);
  process.env.TMPDIR = folder;
  return readFile(file, worksheet);
}

const complaint = (bytes: Buffer, worksheet?: string) =>
  read(bytes, worksheet).then(
    () => expect.unreachable(),
    ({ code, message, detail }) => [code, message, detail?.hint].filter(Boolean),
  );

const data = (name: string) => join(import.meta.dirname, 'data', name);

test('reads what ExcelJS wrote: text, rich text, links, dates, codes, results, errors and an empty row', async () => {
  expect(await readFile(data('exceljs.xlsx'))).toEqual({
    columns: ['email', 'phone', 'first_name', 'Birthday', 'Visit', 'Rooms', 'Zip', 'Total'],
    rows: [
      [2, 'a@x.example', '01012345678', '지우', '1988-11-02', '2026-05-01T09:30:00+09:00', '3', '01234', '6'],
      [
        ...[4, 'b@x.example', '821012345678', ' Ada ', '', '', '0.3', '90210', '#N/A'],
        'Cell H4 has the error #N/A.',
      ],
    ],
    note: 'Reading the sheet "Guests" of people.xlsx. Pass --sheet NAME to read another one: "Notes".',
  });
  expect(await readFile(data('exceljs.xlsx'), 'guests')).not.toHaveProperty('note');
});

test('reads what openpyxl wrote, which saves formulas without their results', async () => {
  expect(await readFile(data('openpyxl.xlsx'))).toEqual({
    columns: ['email', 'n', 'd', 't', 'f'],
    rows: [
      [
        ...[2, 'a@x.example', '1.5', '2026-05-01', '09:30', ''],
        'Cell E2 has a formula without a saved result; open and save the file in a spreadsheet program.',
      ],
      [3, 'b@x.example', '', '2026-05-01T09:30:15+09:00', '', ''],
    ],
  });
});

const header = '<row r="1"><c t="str"><v>a</v></c></row>';
const cell = (attributes: string, value: string) =>
  createZip(createWorkbookParts({ rows: `${header}<row><c ${attributes}>${value}</c></row>` }));

test.each([
  ['a number', '', '<v>1.0E+2</v>', '100'],
  ['a number of 15 digits', '', '<v>19.989999999999998</v>', '19.99'],
  ['a long number', '', '<v>821055501234</v>', '821055501234'],
  ['a boolean', 't="b"', '<v>1</v>', 'TRUE'],
  [
    'an inline text',
    't="inlineStr"',
    '<is><t>0</t><r><t xml:space="preserve"> 10 </t></r><rPh><t>x</t></rPh></is>',
    '0 10 ',
  ],
  ['an empty result', 't="str"', '<f>A1</f><v></v>', undefined],
  ['a result with an escape', 't="str"', '<f>A1</f><v>a_x000A_b_x005F_</v>', 'a\nb_'],
  ['an ISO date', 't="d"', '<v>2026-05-01T00:00:00</v>', '2026-05-01'],
  ['an ISO date with a time', 't="d"', '<v>2026-05-01T09:30:15.000</v>', '2026-05-01T09:30:15+09:00'],
  ['CDATA', 't="str"', '<v><![CDATA[<&]]></v>', '<&'],
])('%s', async (_, attributes, value, text) => {
  expect((await read(cell(attributes, value))).rows).toEqual(text === undefined ? [] : [[2, text]]);
});

test.each([
  ['yyyy-mm-dd', 46143, '2026-05-01'],
  ['14', 46143.9, '2026-05-01'],
  ['yyyy&quot;년&quot; m&quot;월&quot; d&quot;일&quot;;@', 46143, '2026-05-01'],
  ['[$-412]mmmm', 46143, '2026-05-01'],
  ['22', 46143.5, '2026-05-01T12:00:00+09:00'],
  ['h:mm AM/PM', 0.75, '18:00'],
  ['[h]:mm:ss', 1.5, '36:00'],
  ['yyyy-mm-dd', 59, '1900-02-28'],
  ['yyyy-mm-dd', 1, '1900-01-01'],
  ['00000', 1234, '01234'],
  ['[$-407]00000', 1234, '01234'],
  ['[$-en-US]00000', 1234, '01234'],
  ['00000;@', 1234, '01234'],
  ['[Red]00000', 1234, '01234'],
  ['[Color 12]00000', 1234, '01234'],
  ['[$-409]00000;[Red]-00000;00000;@', 1234, '01234'],
  ['[Blue][&lt;=99999][$-409]00000;00000\\-0000', 1234, '01234'],
  ['_(* 00000_)', 1234, '01234'],
  ['&quot;[Red]&quot;000', 7, '[Red]007'],
  ['[$€-407] 00000', 1234, '1234'],
  ['000\\-0000\\-0000', 1012345678, '010-1234-5678'],
  ['[&lt;=9999999]###\\-####;\\(0##\\)\\ ###\\-####', 1012345678, '(101) 234-5678'],
  ['[&lt;=9999999]###\\-####;\\(0##\\)\\ ###\\-####', 5551234, '555-1234'],
  ['00000', 1.5, '1.5'],
  ['0', 7, '7'],
  ['#,##0.00', 1234.5, '1234.5'],
  ['0.00E+00', 1234.5, '1234.5'],
  ['0%', 0.5, '0.5'],
  ['&quot;day&quot; 0', 7, 'day 7'],
  ['General', 7, '7'],
])('a number with the format %s: %s', async (code, value, text) => {
  const rows = `${header}<row r="7"><c r="A7" s="0"><v>${value}</v></c></row>`;
  expect((await read(createZip(createWorkbookParts({ rows, codes: [code] })))).rows).toEqual([[7, text]]);
});

test('reads a workbook with dates from 1904, namespace prefixes and shared texts', async () => {
  const parts = createWorkbookParts({
    rows: `${header}<row r="3"><c r="A3" s="0"><v>44681</v></c></row><row r="4"><c r="A4" t="s"><v>1</v></c></row>`,
    codes: ['14'],
    texts: '<si><t>a</t></si><si><r><t>b </t></r><r><t>c</t></r><rPh><t>x</t></rPh></si>',
    properties: '<workbookPr date1904="1"/>',
  });
  const prefixed = parts['xl/worksheets/sheet1.xml'].replace(/<(\/?)(?=\w)/g, '<$1x:');
  expect(await read(createZip({ ...parts, 'xl/worksheets/sheet1.xml': prefixed }))).toEqual({
    columns: ['a'],
    rows: [
      [3, '2026-05-01'],
      [4, 'b c'],
    ],
  });
});

test('reads a hidden sheet only if it is named', async () => {
  const sheets = '<sheet name="Secret" state="hidden" r:id="r1"/><sheet name="Open" r:id="r4"/>';
  const bytes = createZip(createWorkbookParts({ rows: header, sheets }));
  expect(await read(bytes)).toEqual({ columns: ['a'], rows: [] });
  expect(await read(bytes, 'Secret')).toMatchObject({ columns: ['a'] });
  expect(await complaint(bytes, 'None')).toEqual([
    'usage',
    '--sheet: people.xlsx has no sheet "None".',
    'Its sheets are Secret, Open.',
  ]);
});

const plain = createWorkbookParts({ rows: header });
const withRows = (rows: string) => createZip(createWorkbookParts({ rows }));
const sheetPart = 'xl/worksheets/sheet1.xml';

test.each([
  ['no workbook', createZip({ mimetype: 'application/vnd.oasis' }), 'it is not a workbook'],
  [
    'a binary workbook',
    createZip({ '_rels/.rels': plain['_rels/.rels'].replace('.xml', '.bin') }),
    'it is a binary workbook (.xlsb)',
  ],
  ['half an archive', createZip(plain).subarray(0, 900), expect.any(String)],
  ['a missing part', createZip({ ...plain, 'xl/worksheets/sheet1.xml': '' }), expect.stringContaining('XML')],
  [
    'a path out of the archive',
    createZip({ ...plain, '../../etc/x': 'x' }),
    expect.stringContaining('invalid relative path'),
  ],
  [
    'XML with entities',
    createZip({ ...plain, [sheetPart]: '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' }),
    'it has a document type declaration',
  ],
  [
    'damaged XML',
    createZip({ ...plain, [sheetPart]: '<a><b></a>' }),
    expect.stringContaining('its XML is damaged'),
  ],
  [
    'XML that ends early',
    createZip({ ...plain, [sheetPart]: '<a><b>' }),
    expect.stringContaining('its XML is damaged'),
  ],
  [
    'a part that claims to be huge',
    createZip({ ...plain, 'xl/sharedStrings.xml': { bytes: Buffer.from('<sst/>'), size: 2 ** 31 } }),
    'its part xl/sharedStrings.xml is larger than 256 MB',
  ],
  [
    'a part with more bytes than it claims',
    createZip({ ...plain, [sheetPart]: { bytes: Buffer.alloc(5_000_000, ' '), size: 100 } }),
    expect.stringMatching(/too many bytes/),
  ],
  [
    'an endless tag',
    createZip({ ...plain, [sheetPart]: `<a b="${' '.repeat(1_000_000)}"/>` }),
    'it has a text that is too long',
  ],
  ['a truncated archive', createZip(plain).subarray(0, 200), expect.stringMatching(/truncated$/)],
  ['rows out of order', withRows('<row r="3"/><row r="2"/>'), 'row 2 follows row 3'],
  ['a row too far', withRows('<row r="1048577"/>'), 'row 1048577 follows row 0'],
  [
    'a column too far',
    withRows('<row r="1"><c r="XFE1"><v>1</v></c></row>'),
    'its cell XFE1 is out of order',
  ],
  ['a missing shared text', withRows('<row><c t="s"><v>5</v></c></row>'), 'it has no shared string 5'],
])('refuses %s', async (_, bytes, why) => {
  const [code, message = ''] = await complaint(bytes);
  const [, reason] = /^Cannot read people.xlsx as an .xlsx file: (.*)\.$/s.exec(message) ?? [];
  expect([code, reason]).toEqual(['usage', why]);
  expect(readdirSync(tmpdir())).toEqual(['people.xlsx']);
});

test('refuses a sheet without rows and an .xls file', async () => {
  expect(await complaint(withRows(''))).toEqual(['usage', 'people.xlsx is empty: it has no header row.']);
  expect(await complaint(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).toEqual([
    'usage',
    'people.xlsx is an .xls file or is password-protected.',
    'Save it without a password as .xlsx, or as "CSV UTF-8".',
  ]);
});
