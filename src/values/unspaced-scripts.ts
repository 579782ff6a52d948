/** A character of a script without spaces between words, including punctuation and full-width forms. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}…\uff01-\uff60]`;

/** Returns a test for a pattern, which is compiled on first use: the engine takes a millisecond for it. */
function createTest(pattern: string): (text: string) => boolean {
  let expression: RegExp | undefined;
  return (text) => {
    expression ??= new RegExp(pattern, 'u');
    return expression.test(text);
  };
}

export const hasUnspaced = createTest(unspaced);
export const startsUnspaced = createTest(`^${unspaced}`);
export const endsUnspaced = createTest(`${unspaced}$`);
