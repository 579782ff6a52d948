import { expect, test } from 'vitest';
import { addPhoneTokens, parsePhoneToken, tokenize } from '../../src/search-index/tokens.ts';

test('splits words at everything but letters and digits', () => {
  expect(tokenize("jiwoo.kim@hanbit-cold.example, O'Brien 3rd")).toEqual([
    ...['jiwoo', 'kim', 'hanbit', 'cold', 'example', 'o', 'brien', '3rd'],
  ]);
});

test('splits scripts without spaces into pairs, and keeps the last character', () => {
  expect(tokenize('한빛물류')).toEqual(['한빛', '빛물', '물류', '류']);
  expect(tokenize('김')).toEqual(['김']);
  expect(tokenize('A社コールド')).toEqual(['a', '社こ', 'こー', 'ーる', 'るど', 'ど']);
});

test('truncates an endless word', () => {
  expect(tokenize('x'.repeat(10_000))).toEqual(['x'.repeat(32)]);
  expect(tokenize('я'.repeat(10_000))).toEqual(['я'.repeat(32)]);
});

test('finds a phone number by its last digits in any format', () => {
  const tokens = new Set<string>();
  addPhoneTokens(tokens, '+82 10-5550-1234');
  expect([...tokens]).toEqual(['55501234', '1234']);
  for (const typed of ['010-5550-1234', '+821055501234', '(010)5550.1234', '55501234'])
    expect(tokens).toContain(parsePhoneToken(typed));
  expect(parsePhoneToken('2026')).toBeUndefined();
  expect(parsePhoneToken('room-12345678')).toBeUndefined();
});
