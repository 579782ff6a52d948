import { stripUnsafe } from '../render/sanitize.ts';
import { type Draft, laidOut, longest } from './cue-layout.ts';
import { namedPieces, type Piece, piecesOf } from './pieces.ts';
import { parseTranscript, unknownSpeaker } from './transcript.ts';

/** One or two lines of one speaker, and when they are shown: whole milliseconds from the recording's start. */
export interface Cue {
  /** Empty where no name was sent. */
  readonly speaker: string;
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** How the texts of cues are written. */
export interface Spelling {
  /** A text made safe for the format; no white space is added. */
  readonly text: (text: string) => string;
  /** Whether the name of a speaker is a part of the first lines after another one. */
  readonly names: boolean;
}

/** Seconds without a word that end a cue. */
const silence = 2;

/** Columns that are read in a second. A cue is shown that long where there is room, and for a second at least. */
const readingSpeed = 20;

/** Milliseconds that a cue gets before the next one, where the times that were sent do not say which is first. */
const shortest = 500;

/**
 * A transcript (specification, 2.9) as cues of at most two lines of 42 columns, of one speaker each. They keep
 * the order of the transcript: each ends after it starts and before the next one does, whatever the times that
 * were sent. Throws `failed` where a word has no time.
 */
export function cuesOf(transcript: unknown, { text, names }: Spelling): Cue[] {
  const drafts: (Draft & { readonly speaker: string })[] = [];
  let last = '';
  for (const [index, turn] of parseTranscript(transcript).entries()) {
    const pieces = piecesOf(turn, index, text);
    if (pieces.length === 0) continue;
    const speaker = text(stripUnsafe(turn.speaker));
    const isNew = names && speaker !== last;
    for (const run of runsOf(isNew ? namedPieces(speaker || unknownSpeaker, pieces) : pieces)) {
      for (const draft of laidOut(run)) drafts.push({ ...draft, speaker });
    }
    last = speaker;
  }
  return timed(drafts);
}

/** Pieces between silences. */
function runsOf(pieces: readonly Piece[]): Piece[][] {
  const runs: Piece[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const piece of pieces) {
    const last = runs.at(-1);
    if (last && piece.start - end <= silence) last.push(piece);
    else runs.push([piece]);
    end = piece.end;
  }
  return runs;
}

function timed(drafts: readonly (Draft & { readonly speaker: string })[]): Cue[] {
  const starts: number[] = [];
  for (const { start } of drafts) {
    starts.push(Math.max(milliseconds(start), (starts.at(-1) ?? -shortest) + shortest));
  }
  return drafts.map(({ speaker, lines, columns, end }, index) => {
    const start = starts[index] ?? 0;
    const read = start + milliseconds(Math.max(1, columns / readingSpeed));
    const next = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    const wanted = Math.min(Math.max(milliseconds(end), read), start + milliseconds(longest));
    return { speaker, lines, start, end: Math.min(wanted, next) };
  });
}

const milliseconds = (seconds: number) => Math.round(seconds * 1000);
