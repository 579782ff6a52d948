import { findSentences, type TextRange } from '../transcripts/sentences.ts';

/** Some sentences of a text, and what was found in them. */
export interface Excerpt {
  readonly text: string;
  /** With indexes in that text. */
  readonly matches: readonly { readonly text: string; readonly start: number; readonly end: number }[];
}

/** Characters before and after a match at which a sentence that goes on and on is cut. */
const widest = 200;

/** A part of the text that is shown. */
export interface ExcerptRange extends TextRange {
  /** It begins, or ends, within a sentence. */
  readonly cutBefore: boolean;
  readonly cutAfter: boolean;
}

/** The sentences that hold the matches; those that follow each other as one. */
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
    const from = Math.max(first.from, wordStart(text, match.from - widest));
    const to = Math.min(last.to, wordEnd(text, match.to + widest));
    const next = { from, to, cutBefore: from > first.from, cutAfter: to < last.to };
    const before = ranges.at(-1);
    if (before && from <= before.to + 1) {
      ranges[ranges.length - 1] = {
        ...(to > before.to ? next : before),
        from: before.from,
        cutBefore: before.cutBefore,
      };
    } else ranges.push(next);
  }
  return ranges;
}

/** How far a word may be, in characters, that is not to be cut. */
const near = 20;

function wordStart(text: string, index: number): number {
  const space = text.indexOf(' ', index);
  return space >= 0 && space - index < near ? space + 1 : characterAt(text, index);
}

function wordEnd(text: string, index: number): number {
  const space = text.lastIndexOf(' ', index);
  return space >= 0 && index - space < near ? space : characterAt(text, index);
}

/** An index that is not within a character. */
function characterAt(text: string, index: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(index)) ? index + 1 : index;
}

/** The ranges as one text, with the matches that are in them. */
export function buildExcerpt(
  text: string,
  ranges: readonly ExcerptRange[],
  matches: readonly TextRange[],
): Excerpt {
  let shown = '';
  const found: { text: string; start: number; end: number }[] = [];
  for (const [index, { from, to, cutBefore }] of ranges.entries()) {
    shown += index > 0 ? ' … ' : cutBefore ? '… ' : '';
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
  return { text: ranges.at(-1)?.cutAfter ? `${shown} …` : shown, matches: found };
}
