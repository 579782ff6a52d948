import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { openTable } from '../../src/import/table-file.ts';
import { guessEncodings } from '../../src/import/text-encoding.ts';
import { createTemporaryFolder } from '../support/kith.ts';

async function read(bytes: Uint8Array, encoding?: string, name = 'people.csv') {
  const file = join(createTemporaryFolder(), name);
  writeFileSync(file, bytes);
  const csv = await openTable(file, name, { encoding, sheet: undefined, tz: undefined });
  const rows: unknown[] = [];
  for await (const { cells } of csv.rows()) rows.push(cells);
  return [csv.columns, ...rows];
}

const table = [
  ['email', '이름'],
  ['a@x.example', '김 "지우"'],
];
const unicodeText = 'email\t이름\r\na@x.example\t"김 ""지우"""\r\n';

test.each([
  ['UTF-16 with tabs, as Excel saves "Unicode text"', Buffer.from(`\ufeff${unicodeText}`, 'utf16le')],
  ['the same in the other byte order', Buffer.from(`\ufeff${unicodeText}`, 'utf16le').swap16()],
  ['the same without a byte order mark', Buffer.from(unicodeText, 'utf16le')],
  ['the same in the other byte order without a mark', Buffer.from(unicodeText, 'utf16le').swap16()],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${unicodeText}`)],
])('reads %s', async (_, bytes) => {
  expect(await read(bytes, undefined, 'people.txt')).toEqual(table);
  // A byte order mark and zero bytes have precedence over a flag.
  if (bytes[0] !== 0x65) expect(await read(bytes, 'windows-1252', 'people.txt')).toEqual(table);
});

test('reads characters that begin in one chunk of a file and end in the next', async () => {
  const name = '한'.repeat(70_000);
  for (const shift of ['', 'x']) {
    for (const encoding of ['utf-16le', 'euc-kr', 'utf-8']) {
      const text = `name${shift}\n${name}\n`;
      expect(await read(iconv.encode(text, encoding), encoding)).toEqual([[`name${shift}`], [name]]);
    }
  }
});

test.each([
  ['windows-1252', 'Zoë, 5 €, “x”'],
  ['latin1', 'Zoë, 5 €, “x”'],
  ['EUC-KR', '김지우 똠방각하'],
  ['shift_jis', '山田 太郎 ①'],
  ['gb18030', '王小明 𠀀'],
  ['big5', '王小明'],
  ['windows-1251', 'Иван'],
  ['iso-8859-15', '5 €'],
])('reads %s if --encoding names it', async (encoding, text) => {
  const known = encoding === 'latin1' ? 'windows-1252' : encoding;
  expect(await read(iconv.encode(`name\n"${text}"\n`, known), encoding)).toEqual([['name'], [text]]);
});

const complaint = (bytes: Uint8Array, encoding?: string) =>
  read(bytes, encoding).then(
    () => expect.unreachable(),
    ({ code, message, detail }) => [code, message, detail.hint],
  );

test('names the encodings that a file may have, with how it reads in them', async () => {
  const korean = iconv.encode('email,이름\na@x.example,김지우\n', 'euc-kr');
  expect(await complaint(korean)).toEqual([
    'usage',
    'people.csv is not valid UTF-8 (line 1).',
    expect.stringMatching(
      /^Pass its encoding: --encoding euc-kr \(reads as "이름"\), --encoding \w+ \(reads as /,
    ),
  ]);
  expect(await complaint(korean, 'shift_jis')).toEqual([
    'usage',
    'people.csv is not valid shift_jis (line 2).',
    expect.stringContaining('--encoding euc-kr'),
  ]);
});

test.each([
  ['euc-kr', 'first_name\n지우\n'],
  ['shift_jis', '名前,メール\n山田太郎,a@x.example\n'],
  ['gb18030', '姓名,邮件\n王小明,a@x.example\n'],
  ['big5', '姓名,郵件\n王小明,a@x.example\n'],
  ['euc-jp', '名前,メール\n山田たろう,a@x.example\n'],
  ['windows-1252', 'first_name\nJosé\nMüller\n'],
  ['windows-1250', 'first_name\nŁukasz Żółć\n'],
  ['windows-1251', 'имя,почта\nИван Петров,a@x.example\n'],
])('%s is among the encodings that a few words may have', async (encoding, text) => {
  const guesses = await guessEncodings(iconv.encode(text, encoding));
  expect(guesses.map((one) => one.encoding)).toContain(encoding);
});

test.each([
  ['Name\nB\xf6b\n', 'Böb'],
  ['Name\nFran\xe7ois\n', 'François'],
  ['Name\n\xc4nne\n', 'Änne'],
  ['Name\nGR\xd6\xdfE\n', 'GRÖßE'],
  ['Name\nBob\x92s iPhone\n', 'Bob’s'],
  ['Name\nthe \x93Acme\x94 group\n', '“Acme”'],
])('suggests windows-1252 first for a few Latin bytes: %j', (text, reading) => {
  expect(guessEncodings(Buffer.from(text, 'latin1'))[0]).toMatchObject({ encoding: 'windows-1252', reading });
});

test('names the line of a bad byte in a file of valid UTF-8, however long it is', async () => {
  const start = Buffer.from(`${'name\n'.repeat(30_000)}Änne\n`);
  const bytes = Buffer.concat([start, Buffer.from('B\xf6b\n', 'latin1')]);
  expect(await complaint(bytes)).toEqual([
    'usage',
    'people.csv is not valid UTF-8 (line 30002).',
    'Other lines are UTF-8. Correct this line, or pass its encoding: --encoding windows-1252 (reads as "Böb").',
  ]);
});

test.each(['utf-9', 'base64', '__proto__'])('refuses the unknown encoding %s', async (encoding) => {
  expect(await complaint(Buffer.from('a\n1\n'), encoding)).toEqual([
    'usage',
    `--encoding: "${encoding}" is not a known encoding.`,
    'Use one such as utf-8, utf-16le, windows-1252, euc-kr, shift_jis, gb18030 or big5.',
  ]);
});
