import { expect, test } from 'vitest';
import { splitShellWords } from '../../src/values/shell-words.ts';

test.each([
  ['', []],
  ['  ', []],
  [' lists  list ', ['lists', 'list']],
  [`entries list "Sales pipeline"`, ['entries', 'list', 'Sales pipeline']],
  [`a 'it"s \\ $1' b`, ['a', 'it"s \\ $1', 'b']],
  [`--where="a = ''"x`, [`--where=a = ''x`]],
  [`"" ''`, ['', '']],
  [`"say \\"hi\\" \\\\ \\n"`, ['say "hi" \\ \\n']],
  ['two\\ words 한빛', ['two words', '한빛']],
  ['a\tb\nc', ['a', 'b', 'c']],
  [`"open`, undefined],
  [`a 'open`, undefined],
  ['end\\', undefined],
])('splits %j as a shell does: %j', (line, words) => {
  expect(splitShellWords(line)).toEqual(words);
});
