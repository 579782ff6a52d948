import { expect, test } from 'vitest';
import { sanitize, sanitizeJson, sanitizeLine, sanitizeLines } from '../../../src/render/text/sanitize.ts';

test.each([
  ['an escape sequence', 'a\u001b[31mred\u001b[0m', 'a\\x1b[31mred\\x1b[0m'],
  ['a window title', '\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
  ['a C1 control', 'a\u009b2Jb', 'a\\x9b2Jb'],
  ['NUL and DEL', 'a\u0000b\u007f', 'a\\x00b\\x7f'],
  ['a backspace', 'ab\b', 'ab\\x08'],
  ['an override of direction', 'invoice\u202Efdp.exe', 'invoice\\u202efdp.exe'],
  ['isolates', '\u2066a\u2069', '\\u2066a\\u2069'],
  ['switches of old', '\u206aa\u206f', '\\u206aa\\u206f'],
  ['marks', '\u200ea\u200f\u061c', '\\u200ea\\u200f\\u061c'],
  ['separators of lines', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['a byte order mark', '\ufeffa', '\\ufeffa'],
  ['a lone surrogate', 'a\ud83d', 'a\\ud83d'],
  ['hidden tags', 'a\u{e0041}\u{e007f}', 'a\\u{e0041}\\u{e007f}'],
  ['the flag of England, by tags', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['an annotation', 'a\ufff9b\ufffb', 'a\\ufff9b\\ufffb'],
  ['joiners', 'می\u200cخواهم क्\u200dष', 'می\u200cخواهم क्\u200dष'],
  ['harmless characters', '김 é e\u0301 👩‍👩‍👧 עברית \\x1b', '김 é e\u0301 👩‍👩‍👧 עברית \\x1b'],
])('%s', (_, text, expected) => {
  expect(sanitize(text)).toBe(expected);
});

test.each([
  ['safe', sanitize, 'a\\x0d\\x0ab\\x0ac\\x0dd\\x09e'],
  ['safeLines', sanitizeLines, 'a\nb\nc\\x0dd\te'],
  ['safeLine', sanitizeLine, 'a b c d e'],
])('line ends and tabs in %s', (_, rawText, expected) => {
  expect(rawText('a\r\nb\nc\rd\te')).toBe(expected);
});

test('trims a line', () => {
  expect(sanitizeLine('\n\u2028 a \u00a0 b\u3000\t')).toBe('a b');
});

test('keeps the value of JSON', () => {
  const value = { text: 'a\u{e0041}\ud83d\u009b\u007f\u202e\u2028\ufeff\u0000\u001b"\\\n', 'k\u0085': [1] };
  const expected = sanitizeJson(JSON.stringify(value, null, 2));
  expect(JSON.parse(expected)).toEqual(value);
  expect(expected).toMatch(/^[\n\x20-\x7e]*$/);
});
