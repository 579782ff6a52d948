import { foldText } from '../values/fold.ts';
import type { IndexDocument } from './documents.ts';
import { addPhoneTokens, addTokens, splitFolded, tokenize } from './tokens.ts';

/** The prefixes of tokens of the title, and of tokens of the title or `about`. */
export const marks = { title: '=', about: '~' } as const;

/** A word of 4 letters or more that is said this often is a topic of the meeting. */
const salientCount = 5;
const salientLength = 4;

/** The searchable words of a document. */
export interface Postings {
  /** Tokens, separated by spaces. Those of the title and of `about` are repeated with a mark. */
  readonly tokens: string;
  /** The number of words in the title. */
  readonly titleWords: number;
}

/** Returns the tokens of a document. */
export function createPostings({ title, about, details, phones, transcript }: IndexDocument): Postings {
  const titleTokens = new Set<string>();
  addTokens(titleTokens, title);
  const aboutTokens = new Set(titleTokens);
  for (const line of about) addTokens(aboutTokens, line);
  const all = new Set(aboutTokens);
  for (const line of details) addTokens(all, line);
  for (const phone of phones ?? []) addPhoneTokens(all, phone);
  if (transcript) addTranscript(transcript, all, aboutTokens);
  const addMark = (tokens: ReadonlySet<string>, mark: string) => Array.from(tokens, (token) => mark + token);
  return {
    tokens: [...all, ...addMark(aboutTokens, marks.about), ...addMark(titleTokens, marks.title)].join(' '),
    titleWords: splitFolded(foldText(title)).length,
  };
}

function addTranscript(lines: readonly string[], all: Set<string>, about: Set<string>): void {
  const counts = new Map<string, number>();
  for (const line of lines)
    for (const token of tokenize(line)) {
      all.add(token);
      if (token.length >= salientLength) counts.set(token, (counts.get(token) ?? 0) + 1);
    }
  for (const [token, count] of counts) if (count >= salientCount) about.add(token);
}
