/** A character of a script without spaces between words, including punctuation and full-width forms. */
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}…\uff01-\uff60]`;

// The engine takes long to compile these.
export const hasUnspaced = new RegExp(unspaced, 'u');
export const startsUnspaced = new RegExp(`^${unspaced}`, 'u');
export const endsUnspaced = new RegExp(`${unspaced}$`, 'u');
