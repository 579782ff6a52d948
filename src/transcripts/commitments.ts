import {
  type CommitmentWords,
  commitmentWords,
  type SpokenLanguage,
  writtenAmounts,
  writtenDates,
} from '../contract/commitment-words.ts';
import { findSentences } from './sentences.ts';
import { locateWords, type TimedWord, type Utterance } from './transcript.ts';

/** The reasons to choose a sentence, the weightiest first, with their parts of the score. */
const weights = { promise: 4, date: 2, amount: 1 } as const;
type Reason = keyof typeof weights;
const allReasons = ['promise', 'date', 'amount'] as const satisfies readonly Reason[];

/** A sentence of a transcript that has a promise, a date or an amount. */
export interface Passage {
  readonly speaker: string;
  /** Seconds from the recording's start; undefined if the service sent no time. */
  readonly start: number | undefined;
  readonly text: string;
  /** The weightiest first. */
  readonly reasons: readonly Reason[];
  readonly score: number;
  /** The speaker who accepted the request or offer in the sentence. */
  readonly acceptedBy: string | undefined;
}

interface Sentence {
  readonly text: string;
  readonly start: number | undefined;
}

/** Finds the sentences that have a promise, a date or an amount, in the order of the transcript. */
export function findPassages(utterances: readonly Utterance[]): Passage[] {
  const turns = utterances.map(({ speaker, words }) => ({ speaker, sentences: splitSentences(words) }));
  const texts = turns.map(({ sentences }) => sentences.map(({ text }) => text).join(' '));
  const mainLanguage = detectLanguage(texts.join(' '));
  const patterns = texts.map((text) => getPatterns(detectLanguage(text) ?? mainLanguage));
  return turns.flatMap(({ speaker, sentences }, index) => {
    const next = turns[index + 1];
    const isAccepted =
      next !== undefined &&
      next.speaker !== speaker &&
      patterns[index + 1]?.acceptance.test(texts[index + 1] ?? '');
    return sentences.flatMap(({ text, start }, position) => {
      // The next speaker answers only the last sentences of an utterance.
      const isAnswered = isAccepted === true && position >= sentences.length - 2;
      const { reasons, isRequest } = findReasons(text, patterns[index] ?? getPatterns(undefined), isAnswered);
      const score = reasons.reduce((sum, reason) => sum + weights[reason], 0);
      const acceptedBy = isRequest ? next?.speaker : undefined;
      return reasons.length > 0 ? [{ speaker, start, text, reasons, score, acceptedBy }] : [];
    });
  });
}

/** Splits an utterance into sentences with the time of their first word. */
function splitSentences(words: readonly TimedWord[]): Sentence[] {
  const { text, starts } = locateWords(words.map((word) => word.text));
  let word = 0;
  return findSentences(text).map(({ from, to }) => {
    while (word < starts.length - 1 && (starts[word] ?? 0) < from) word += 1;
    return { text: text.slice(from, to), start: words[word]?.start };
  });
}

const languages = Object.keys(commitmentWords) as SpokenLanguage[]; // the keys of the table

const languagesByWord = new Map<string, SpokenLanguage[]>();
for (const language of languages) {
  for (const word of commitmentWords[language].frequent.split(' '))
    languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), language]);
}

/** Detects the language of a text by its script or its frequent words; undefined if they leave a doubt. */
function detectLanguage(text: string): SpokenLanguage | undefined {
  if (/\p{Script=Hangul}/u.test(text)) return 'ko';
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  const words =
    text
      .replaceAll('’', "'")
      .toLowerCase()
      .match(/[\p{L}']+/gu) ?? [];
  const counts = new Map<SpokenLanguage, number>();
  for (const word of words) {
    for (const language of languagesByWord.get(word) ?? [])
      counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const [best, second] = Array.from(counts).sort((left, right) => right[1] - left[1]);
  const isClear = best && best[1] >= 3 && best[1] > words.length / 8 && best[1] >= 1.5 * (second?.[1] ?? 0);
  return isClear ? best[0] : undefined;
}

interface Patterns {
  readonly promise: RegExp;
  readonly exception: RegExp;
  readonly habit: RegExp;
  readonly request: RegExp;
  readonly acceptance: RegExp;
  readonly date: RegExp;
  readonly amount: RegExp;
}

const compiledPatterns = new Map<SpokenLanguage | undefined, Patterns>();

/** Compiles the patterns of a language on first use. */
function getPatterns(language: SpokenLanguage | undefined): Patterns {
  const known = compiledPatterns.get(language);
  if (known) return known;
  const words: Partial<CommitmentWords> = language ? commitmentWords[language] : {};
  const isUnspaced = language === 'ko' || language === 'ja';
  const [before, after] = isUnspaced
    ? ['', '']
    : [String.raw`(?<![\p{L}\p{N}])`, String.raw`(?![\p{L}\p{N}])`];
  const verbs = `(?:${joinLines(words.verbs)})`;
  const compile = (lines = '', flags = 'iu', start = before) =>
    new RegExp(`${start}(?:${joinLines(lines).replaceAll('{verb}', verbs) || '(?!)'})${after}`, flags);
  const patterns = {
    promise: compile(words.promises),
    exception: compile(words.exceptions, 'giu'),
    habit: compile(words.habits),
    request: compile(words.requests),
    acceptance: compile(words.acceptances, 'iu', String.raw`^\P{L}*`),
    date: compile(`${words.dates ?? ''}\n${writtenDates}`),
    amount: compile(`${words.amounts ?? ''}\n${writtenAmounts}`),
  };
  compiledPatterns.set(language, patterns);
  return patterns;
}

/** Joins the lines of a table to the choices of a pattern. */
const joinLines = (lines = '') =>
  lines
    .trim()
    .split(/\s*\n\s*/)
    .join('|');

const question = /[?？؟]|か。$/u;

/** Finds the reasons to choose a sentence. A question is a promise only if it is answered by an acceptance. */
function findReasons(original: string, patterns: Patterns, isAnswered: boolean) {
  const text = original.replaceAll('’', "'");
  const hasPromise =
    !patterns.habit.test(text) && patterns.promise.test(text.replace(patterns.exception, ' '));
  const isQuestion = question.test(text);
  const isRequest = isAnswered && ((isQuestion && hasPromise) || patterns.request.test(text));
  const found = {
    promise: isRequest || (hasPromise && !isQuestion),
    date: patterns.date.test(text),
    amount: patterns.amount.test(text),
  };
  return { reasons: allReasons.filter((reason) => found[reason]), isRequest };
}
