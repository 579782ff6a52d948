import { findSentences, type TextRange } from '../transcripts/sentences.ts';

/** Some sentences of a text with the matches in them. */
export interface Excerpt {
  readonly text: string;
  /** `start` and `end` are indexes in the excerpt. */
  readonly matches: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** Maximum characters before and after a match. A longer sentence is truncated. */
const maxContext = 200;

/** A part of a text, which may begin or end within a sentence. */
export interface ExcerptRange extends TextRange {
  readonly isTruncatedBefore: boolean;
  readonly isTruncatedAfter: boolean;
}

/** Finds the sentences that contain the matches. Adjacent sentences become one range. */
export function findExcerptRanges(text: string, matches: readonly TextRange[]): ExcerptRange[] {
  const sentences = findSentences(text);
  const ranges: ExcerptRange[] = [];
  let place = 0;
  for (const match of matches) {
    while ((sentences[place]?.to ?? Number.POSITIVE_INFINITY) <= match.from && place < sentences.length - 1)
      place += 1;
    const first = sentences[place] ?? match;
    let end = place;
    while ((sentences[end]?.to ?? match.to) < match.to) end += 1;
    const last = sentences[end] ?? first;
    const from = Math.max(first.from, findWordStart(text, match.from - maxContext));
    const to = Math.min(last.to, findWordEnd(text, match.to + maxContext));
    const next = { from, to, isTruncatedBefore: from > first.from, isTruncatedAfter: to < last.to };
    const before = ranges.at(-1);
    if (before && from <= before.to + 1) {
      ranges[ranges.length - 1] = {
        ...(to > before.to ? next : before),
        from: before.from,
        isTruncatedBefore: before.isTruncatedBefore,
      };
    } else ranges.push(next);
  }
  return ranges;
}

/** Maximum distance of a word boundary from the place to truncate at. */
const maxWordLength = 20;

function findWordStart(text: string, index: number): number {
  const space = text.indexOf(' ', index);
  return space >= 0 && space - index < maxWordLength ? space + 1 : skipSurrogate(text, index);
}

function findWordEnd(text: string, index: number): number {
  const space = text.lastIndexOf(' ', index);
  return space >= 0 && index - space < maxWordLength ? space : skipSurrogate(text, index);
}

/** Returns an index that does not split a surrogate pair. */
function skipSurrogate(text: string, index: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(index)) ? index + 1 : index;
}

/** Joins ranges of a text, with the matches in them. */
export function buildExcerpt(
  text: string,
  ranges: readonly ExcerptRange[],
  matches: readonly TextRange[],
): Excerpt {
  let shown = '';
  const found: { text: string; start: number; end: number }[] = [];
  for (const [index, { from, to, isTruncatedBefore }] of ranges.entries()) {
    shown += index > 0 ? ' … ' : isTruncatedBefore ? '… ' : '';
    const moved = shown.length - from;
    for (const match of matches) {
      if (match.from < from || match.to > to || match.from === match.to) continue;
      found.push({
        text: text.slice(match.from, match.to),
        start: match.from + moved,
        end: match.to + moved,
      });
    }
    shown += text.slice(from, to);
  }
  return { text: ranges.at(-1)?.isTruncatedAfter ? `${shown} …` : shown, matches: found };
}
