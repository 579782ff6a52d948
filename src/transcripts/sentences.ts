/** Quotes and brackets that close after punctuation. */
const closers = '["\'\\p{Pe}\\p{Pf}“‘]*';

const sentenceEnd = new RegExp(`[.!?…。！？｡؟۔।॥։]${closers}$`, 'u');

/** Words whose full stop does not end a sentence: initials, titles, and a day before its month. */
const abbreviation =
  /(?:^|[\s\p{P}])(?:[\p{Lu}\p{Ll}]|\d\d?|[DM]r|M(?:rs|s|me|lle|t)|Prof|St|[SJ]r|Sra|Hr|Nr|vs|ca|approx|bzw)\.$/u;

/** Returns whether a word is the last of a sentence. */
export function endsSentence(word: string): boolean {
  return sentenceEnd.test(word) && !abbreviation.test(word);
}

/** A part of a text: the index of its first character, and the index after its last one. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The end of a sentence in running text. In scripts without spaces, no space has to follow. */
const boundary = new RegExp(
  `(?<![。！？｡])[。！？｡]+${closers}|(?<![.!?…؟۔।॥։])[.!?…؟۔।॥։]+${closers}(?=\\s|$)`,
  'gu',
);

/** Splits running text into sentences, which cover all of it except the spaces between them. */
export function findSentences(text: string): TextRange[] {
  const sentences: TextRange[] = [];
  let from = 0;
  for (const { 0: marks, index } of text.matchAll(boundary)) {
    const to = index + marks.length;
    if (abbreviation.test(text.slice(Math.max(from, index - 8), to))) continue;
    sentences.push({ from, to });
    from = text[to] === ' ' ? to + 1 : to;
  }
  if (from < text.length) sentences.push({ from, to: text.length });
  return sentences;
}
