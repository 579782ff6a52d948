import { expect, test } from 'vitest';
import { findSentences } from '../../src/transcripts/sentences.ts';

test.each<[string, string[]]>([
  ['One. Two! Three? Four… five', ['One.', 'Two!', 'Three?', 'Four…', 'five']],
  ['He said “Stop.” Then (so he did.) silence', ['He said “Stop.”', 'Then (so he did.)', 'silence']],
  ['It is 3.5 degrees at www.kith.example now', ['It is 3.5 degrees at www.kith.example now']],
  ['Dr. Ada met J. R. Carter. Fine.', ['Dr. Ada met J. R. Carter.', 'Fine.']],
  ['Am 31. März, z. B. um zehn. Gut.', ['Am 31. März, z. B. um zehn.', 'Gut.']],
  ['네. 안녕하세요. 김입니다.', ['네.', '안녕하세요.', '김입니다.']],
  ['はい。「そうです。」では、また！え？', ['はい。', '「そうです。」', 'では、また！', 'え？']],
  ['هل تسمعني؟ نعم.', ['هل تسمعني؟', 'نعم.']],
  ['Wait... what?! No', ['Wait...', 'what?!', 'No']],
  ['no end', ['no end']],
  ['', []],
])('%s', (text, sentences) => {
  expect(findSentences(text).map(({ from, to }) => text.slice(from, to))).toEqual(sentences);
});

test('splits long runs of punctuation in linear time', () => {
  expect(findSentences(`${'.'.repeat(200_000)}x${'。'.repeat(200_000)}${'a。'.repeat(100_000)}`).length).toBe(
    100_001,
  );
});
