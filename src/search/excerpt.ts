import type { TextMatch } from '../render/text/styled-text.ts';
import { foldText, foldWithPlaces } from '../values/fold.ts';
import type { Term } from './query.ts';

/** A text with the positions of the words in it. */
export interface MarkedText {
  readonly text: string;
  readonly matches: readonly TextMatch[];
}

/**
 * Finds terms in texts. FTS5's `snippet()` cannot be used, because the index contains only folded words, and a local
 * workspace's index contains no texts.
 */
export function createMarker(terms: readonly Term[]) {
  const patterns = terms
    .filter(({ isExcluded }) => !isExcluded)
    .map(({ pattern }) => new RegExp(pattern, 'gu'));
  const countWords = (line: string) => {
    const foldedLine = foldText(line);
    return patterns.filter((pattern) => foldedLine.search(pattern) >= 0).length;
  };
  const findMatches = (line: string): TextMatch[] => {
    const foldedLine = foldWithPlaces(line);
    const matches = patterns.flatMap((pattern) =>
      Array.from(foldedLine.text.matchAll(pattern), ({ 0: { length }, index }) => ({
        start: foldedLine.starts?.[index] ?? index,
        end: foldedLine.starts?.[index + length] ?? index + length,
      })),
    );
    return mergeMatches(matches);
  };
  return {
    /** Marks the words in a text. */
    mark: (text: string): MarkedText => ({ text, matches: findMatches(text) }),
    /** Returns about `width` characters of the line with the most words, or of the first line if no line has any. */
    excerpt(text: string, width: number): MarkedText {
      const lines = text.split('\n');
      let best = { line: lines[0] ?? '', count: 0 };
      for (const line of lines) {
        const count = countWords(line);
        if (count > best.count) best = { line, count };
        if (count === patterns.length) break;
      }
      return cut(best.line, findMatches(best.line), width);
    },
  };
}

/** Sorts matches and joins those that overlap. */
function mergeMatches(matches: readonly TextMatch[]): TextMatch[] {
  const result: TextMatch[] = [];
  for (const match of matches.toSorted((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (match.end <= match.start) continue;
    if (last && match.start <= last.end)
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, match.end) };
    else result.push(match);
  }
  return result;
}

const ellipsis = '…';

/** Truncates a line around its first match, between words if possible. */
function cut(line: string, matches: readonly TextMatch[], width: number): MarkedText {
  if (line.length <= width) return { text: line, matches };
  const first = matches[0] ?? { start: 0, end: 0 };
  const room = Math.max(0, width - (first.end - first.start));
  const earliest = Math.max(0, Math.min(first.start - Math.floor(room / 3), line.length - width));
  const start = Math.min(findBoundary(line, earliest), matches.length > 0 ? first.start : earliest);
  const end = start + width < line.length ? findLastBoundary(line, start + width) : line.length;
  const before = start > 0 ? ellipsis : '';
  const offset = before.length - start;
  const text = before + line.slice(start, end).toWellFormed() + (end < line.length ? ellipsis : '');
  const inside = matches.filter((match) => match.start >= start && match.end <= end);
  return { text, matches: inside.map((match) => ({ start: match.start + offset, end: match.end + offset })) };
}

/** Maximum length of a word that is not split. */
const maxWord = 20;

function findBoundary(line: string, start: number): number {
  if (start === 0) return 0;
  const space = line.indexOf(' ', start - 1);
  return space >= 0 && space - start < maxWord ? space + 1 : start;
}

function findLastBoundary(line: string, end: number): number {
  const space = line.lastIndexOf(' ', end);
  return space >= 0 && end - space < maxWord ? space : end;
}
