/** Quotes and brackets that close after a mark. */
const closers = '["\'\\p{Pe}\\p{Pf}“‘]*';

const sentenceEnd = new RegExp(`[.!?…。！？｡؟۔।॥։]${closers}$`, 'u');
const clauseEnd = new RegExp(`[,;:،؛、，；：–—]${closers}$`, 'u');

/** Full stops that end no sentence: of initials, titles, and a day before its month. */
const abbreviation =
  /(?:^|[\s\p{P}])(?:[\p{Lu}\p{Ll}]|\d\d?|[DM]r|M(?:rs|s|me|lle|t)|Prof|St|[SJ]r|Sra|Hr|Nr|vs|ca|approx|bzw)\.$/u;

/** Whether a word is the last of a sentence. */
export function endsSentence(word: string): boolean {
  return sentenceEnd.test(word) && !abbreviation.test(word);
}

/** Whether a word is the last of a clause, within a sentence. */
export function endsClause(word: string): boolean {
  return clauseEnd.test(word);
}

/** A part of a text, as the indexes of its first character and of the one after its last. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** Where a sentence ends within running text; behind marks of scripts without spaces, none needs to follow. */
const boundary = new RegExp(
  `(?<![。！？｡])[。！？｡]+${closers}|(?<![.!?…؟۔।॥։])[.!?…؟۔।॥։]+${closers}(?=\\s|$)`,
  'gu',
);

/** The sentences of a running text, in order; together they are the text but for the spaces between them. */
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
