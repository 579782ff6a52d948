import { lineWidth, type Piece } from './pieces.ts';

/** What one cue shows, and from when to when it is said, in seconds. */
export interface Draft {
  readonly lines: readonly string[];
  readonly columns: number;
  readonly start: number;
  readonly end: number;
}

/** Seconds that the words of a cue last at the most. */
export const longest = 7;

/** What it costs to cut: each cue, a sentence that ends inside one, a cue that flashes by, a bad place. */
const costs = {
  cue: 10,
  within: 12,
  tiny: 12,
  unfilled: 6,
  clause: 8,
  word: 20,
  bad: 60,
  name: 1000,
} as const;

/** Columns, or seconds, below which a cue flashes by. */
const tiny = { columns: 15, seconds: 1 } as const;

/**
 * Pieces of one speaker as cues of at most two lines: of all ways to cut them the cheapest, which ends cues with
 * sentences, else with clauses, and leaves no crumbs.
 */
export function laidOut(pieces: readonly Piece[]): Draft[] {
  const measure = measureOf(pieces);
  const best: { readonly cost: number; readonly from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= pieces.length; to += 1) {
    let chosen = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    for (let from = to - 1; from >= 0 && measure.mayFit(from, to); from -= 1) {
      const cost = (best[from]?.cost ?? 0) + measure.cost(from, to);
      if (cost < chosen.cost) chosen = { cost, from };
    }
    best.push(chosen);
  }
  const drafts: Draft[] = [];
  for (let to = pieces.length; to > 0; ) {
    const { from } = best[to] ?? { from: 0 };
    const middle = measure.middle(from, to) ?? to;
    const lines = [pieces.slice(from, middle), pieces.slice(middle, to)].filter(({ length }) => length > 0);
    drafts.push({
      lines: lines.map(lineOf),
      columns: measure.columns(from, to),
      start: pieces[from]?.start ?? 0,
      end: pieces[to - 1]?.end ?? 0,
    });
    to = from;
  }
  return drafts.reverse();
}

function lineOf(pieces: readonly Piece[]): string {
  return pieces.map(({ gap, text }, index) => (index === 0 ? text : gap + text)).join('');
}

/** What pieces come to from one place up to another, without looking at each of them again. */
function sumsOf(pieces: readonly Piece[]) {
  const widths = [0];
  const ends = [0];
  for (const [index, { gap, width, ending }] of pieces.entries()) {
    widths.push((widths[index] ?? 0) + gap.length + width);
    ends.push((ends[index] ?? 0) + (ending === 'sentence' ? 1 : 0));
  }
  const sum = (sums: readonly number[], from: number, to: number) => (sums[to] ?? 0) - (sums[from] ?? 0);
  return {
    columns: (from: number, to: number) => sum(widths, from, to) - (pieces[from]?.gap.length ?? 0),
    /** Sentences that end in them. */
    sentences: (from: number, to: number) => sum(ends, from, to),
    seconds: (from: number, to: number) => (pieces[to - 1]?.end ?? 0) - (pieces[from]?.start ?? 0),
  };
}

/** How pieces would do as a cue, from one place up to another. */
function measureOf(pieces: readonly Piece[]) {
  const { columns, sentences, seconds } = sumsOf(pieces);
  const isBad = (at: number) => pieces[at - 1]?.opens === true || pieces[at]?.closes === true;

  /** Whether they are short enough; where they begin together, no cut would make them shorter. */
  const mayFit = (from: number, to: number) =>
    to - from === 1 ||
    (columns(from, to) <= 2 * lineWidth + 1 &&
      to - from <= 2 * lineWidth &&
      (seconds(from, to) <= longest || pieces[from]?.start === pieces[to - 1]?.start));

  /** Where the second line begins: `to` where there is none, undefined where two lines do not hold them. */
  const middle = (from: number, to: number): number | undefined => {
    if (columns(from, to) <= lineWidth) return to;
    let chosen: { readonly at: number; readonly slant: number } | undefined;
    for (let at = from + 1; at < to; at += 1) {
      const [upper, lower] = [columns(from, at), columns(at, to)];
      if (upper > lineWidth || lower > lineWidth) continue;
      const ending = pieces[at - 1]?.ending;
      const favour = ending === 'sentence' ? lineWidth : ending === 'word' ? 0 : 8;
      const slant = Math.abs(upper - lower) - favour + (isBad(at) ? costs.bad : 0);
      if (!chosen || slant < chosen.slant) chosen = { at, slant };
    }
    return chosen?.at;
  };

  const costOfCut = (at: number) => {
    if (at === pieces.length) return 0;
    const ending = pieces[at - 1]?.ending ?? 'word';
    return (ending === 'sentence' ? 0 : costs[ending]) + (isBad(at) ? costs.bad : 0);
  };

  const cost = (from: number, to: number): number => {
    const at = middle(from, to);
    if (at === undefined) return Number.POSITIVE_INFINITY;
    const filled = columns(from, to) / (2 * lineWidth);
    return (
      costs.cue +
      costOfCut(to) +
      sentences(from, to - 1) * costs.within +
      (columns(from, to) < tiny.columns || seconds(from, to) < tiny.seconds ? costs.tiny : 0) +
      (1 - filled) ** 2 * costs.unfilled +
      (at < to && isBad(at) ? costs.bad : 0)
    );
  };
  return { columns, mayFit, middle, cost };
}
