import { expect, test } from 'vitest';
import { extractHost, isUrl, normalizeEmail, parseEmail } from '../../src/values/domain.ts';

test('recognizes hosts and URLs after many calls', () => {
  const responses = new Set<unknown>();
  for (let count = 0; count < 100_000; count += 1) {
    responses.add(extractHost('https://bücher.example'));
    responses.add(isUrl('https://bücher.example'));
  }
  expect([...responses]).toEqual(['xn--bcher-kva.example', true]);
});

test.each([
  'Ada <ada@a.example>',
  '"Lovelace, Ada (\\"X\\")" <ada@a.example>',
  'Lovelace, Ada <ada@a.example>',
  "'ada@a.example' <ada@a.example>",
  '"Ada @ Acme" <ada@a.example>',
  'ada@a.example <mailto:ada@a.example>',
  'Ada [mailto:ada@a.example]',
  'Ada Lovelace (ada@a.example)',
  'ada@a.example (Ada Lovelace)',
  '<ada@a.example>;',
  'mailto:ada@a.example?subject=Hi',
  '#mailto:ada@a.example#',
  'ada@a.example#mailto:ada@a.example#',
  'ada@a.example.',
  ' ada@a.example, ',
  "'ada@a.example'",
  '\u202aada@\u00ada.example\u202c\u200b',
  'ada＠a.example',
])('reads the address in %s', (text) => {
  expect([parseEmail(text), normalizeEmail(text)]).toEqual(['ada@a.example', 'ada@a.example']);
});

test.each([
  'Ada',
  'Ada <ada@a.example>, Bob <bob@b.example>',
  'ada@a.example, Bob <bob@b.example>',
  'bob@b.example <ada@a.example>',
  '"bob@b.example" <ada@a.example>',
  'Bob bob@b.example\n<ada@a.example>',
  'bob@b.example, #mailto:ada@a.example#',
  'bob@b.example (ada@a.example)',
  'ada@a.example; bob@b.example',
  'Ada <ada>',
  `${'('.repeat(200_000)}ada@a.example`,
])('reads no address in %.80s', (text) => {
  expect(parseEmail(text)).toBeUndefined();
});

test.each([
  ['https://www.Acme.example/a,b;c?d=e f', 'acme.example'],
  ['acme\u2011shop.example\u200b', 'acme-shop.example'],
  ['ａｃｍｅ．example', 'acme.example'],
  ['acme.example\nacme-shop.example', undefined],
  ['https://acme.example/ ::: https://acme-shop.example/', undefined],
  ['https://acme.example/,https://acme-shop.example/', undefined],
  ['acme.example/, acme-shop.example', undefined],
])('reads the host in %j', (text, host) => {
  expect(extractHost(text)).toBe(host);
});
