import { expect, test } from 'vitest';
import { listPhoneTokens, parsePhone, toIndexText } from '../../src/search/words.ts';

test('folds words, and leaves ASCII punctuation to FTS5', () => {
  expect(toIndexText("Jiwoo.Kim@hanbit-cold.example, O'Brien 3rd")).toBe(
    "jiwoo.kim@hanbit-cold.example, o'brien 3rd",
  );
  expect(toIndexText('Zoë · Müller’s')).toBe('zoe muller s');
});

test('splits scripts without spaces into pairs, and keeps the last character', () => {
  expect(toIndexText('한빛물류')).toBe('한빛 빛물 물류 류');
  expect(toIndexText('김')).toBe('김');
  expect(toIndexText('A社コールド')).toBe('a 社こ こー ーる るど ど');
});

test('finds a phone number by its last digits in any format', () => {
  const tokens = listPhoneTokens('+82 10-5550-1234');
  expect(tokens).toEqual(['55501234', '1234']);
  for (const typed of ['010-5550-1234', '+821055501234', '(010)5550.1234', '55501234'])
    expect(tokens).toContain(parsePhone(typed)?.last);
  expect(parsePhone('2026')).toBeUndefined();
  expect(parsePhone('room-12345678')).toBeUndefined();
});
