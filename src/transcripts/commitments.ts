import {
  type CommitmentWords,
  commitmentWords,
  commonWords,
  type SpokenLanguage,
} from '../contract/commitment-words.ts';
import { truncate } from '../render/text/width.ts';
import { hasUnspaced } from '../values/unspaced-scripts.ts';
import { findSentences } from './sentences.ts';
import { locateWords, type Utterance } from './transcript.ts';

/** The reasons to choose a sentence, with their parts of the score. */
const weights = { promise: 4, date: 2, deal: 2, amount: 1 } as const;
type Reason = keyof typeof weights;
const allReasons = Object.keys(weights) as Reason[]; // the keys of the table

/** A sentence of a transcript that has a promise, a date, an amount or a word of a deal, as JSON has it. */
export interface Passage {
  readonly quote: string;
  readonly speaker: string;
  /** Seconds from the recording's start; null if the service sent no time. */
  readonly start: number | null;
  /** The reason with the highest weight. */
  readonly reason: Reason;
  readonly reasons: Reason[];
  readonly score: number;
  /** The speaker who accepted the request or offer in the sentence. */
  readonly accepted_by: string | null;
}

/** Maximum number of columns of a quote. */
const maxQuote = 400;

/** Finds the sentences that have a promise, a date, an amount or a word of a deal, in the order of the transcript. */
export function findPassages(utterances: readonly Utterance[], dealWords?: RegExp): Passage[] {
  const located = utterances.map(({ speaker, words }) => {
    const { text, starts } = locateWords(words.map((word) => word.text));
    return { speaker, words, text, starts, language: detectLanguage(text) };
  });
  const mainLanguage = detectLanguage(located.map(({ text }) => text).join(' '));
  return located.flatMap(({ speaker, words, text, starts, language = mainLanguage }, index) => {
    const next = located[index + 1];
    const { acceptance } = getPatterns(next?.language ?? mainLanguage);
    const isAccepted =
      next !== undefined && next.speaker !== speaker && acceptance.test(next.text.toLowerCase());
    const sentences = findSentences(text);
    return sentences.flatMap(({ from, to }, position) => {
      const sentence = text.slice(from, to);
      // An acceptance answers one of the last two sentences before it.
      const isAnswered = isAccepted && position >= sentences.length - 2;
      const lowerCase = sentence.toLowerCase();
      const patterns = getPatterns(language);
      const found = findReasons(lowerCase, patterns, isAnswered);
      // A date is not a word of the deal, although the deal's texts may contain it.
      const isAboutDeal = dealWords?.test(lowerCase.split(patterns.date).join(' ')) ?? false;
      const reasons = allReasons.filter((reason) => (reason === 'deal' ? isAboutDeal : found[reason]));
      const [reason] = reasons;
      if (reason === undefined) return [];
      const start = words[starts.findIndex((start) => start >= from && start < to)]?.start ?? null;
      const score = reasons.reduce((sum, name) => sum + weights[name], 0);
      const accepted_by = found.isRequest ? (next?.speaker ?? null) : null;
      return [{ quote: truncate(sentence, maxQuote), speaker, start, reason, reasons, score, accepted_by }];
    });
  });
}

/** Finds the reasons to choose a sentence in lower case. A request, an offer or a question is a promise only if it is accepted. */
function findReasons(sentence: string, patterns: Patterns, isAccepted: boolean) {
  const plain = sentence.replace(patterns.exception, ' ');
  const isPromise = patterns.promise.test(plain) && !patterns.habit.test(sentence);
  const isQuestion = /[?？؟]|か。$/u.test(sentence);
  const isRequest = isAccepted && ((isPromise && isQuestion) || patterns.request.test(plain));
  return {
    promise: isRequest || (isPromise && !isQuestion),
    date: patterns.date.test(sentence),
    amount: patterns.amount.test(sentence),
    isRequest,
  };
}

const languages = Object.keys(commitmentWords) as SpokenLanguage[]; // the keys of the table
const frequentWords = languages.map((language) => new Set(commitmentWords[language].frequent.split(' ')));

/** Detects the language of a text by its script or frequent words; undefined if it is unclear or has no table. */
function detectLanguage(text: string): SpokenLanguage | undefined {
  const hasScript = (letters: RegExp) => (text.match(letters)?.length ?? 0) > text.length / 3;
  if (hasScript(/\p{Script=Hangul}/gu)) return 'korean';
  if (hasScript(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)) return 'japanese';
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = frequentWords.map((frequent) => words.filter((word) => frequent.has(word)).length);
  const [best = 0, second = 0] = counts.toSorted((left, right) => right - left);
  const isClear = best >= 3 && best > words.length / 8 && best >= 1.5 * second;
  return isClear ? languages[counts.indexOf(best)] : undefined;
}

type Patterns = ReturnType<typeof compilePatterns>;
const compiledPatterns = new Map<SpokenLanguage | undefined, Patterns>();

/** Compiles the patterns of a language on first use. */
function getPatterns(language: SpokenLanguage | undefined): Patterns {
  const patterns = compiledPatterns.get(language) ?? compilePatterns(language);
  compiledPatterns.set(language, patterns);
  return patterns;
}

/** Dates and amounts in digits. */
const writtenDates = String.raw`\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}\.\d{1,2}\.(?= )`;
const writtenAmounts = String.raw`(?:us\$|[€$£¥₩]|eur|usd|gbp|chf|jpy|krw)\s?\d[\d.,]{0,12}|\d[\d.,]{0,12}\s?(?:[€$£¥₩%]|eur|usd|gbp|chf|jpy|krw)`;

/** Letters in lower case: `\p{L}` takes four times as long to compile. */
const letters = 'a-zß-ɏ';

/** Compiles the words of a language. A language without words has only numbers. */
function compilePatterns(language: SpokenLanguage | undefined) {
  const words: Partial<CommitmentWords> = language ? commitmentWords[language] : {};
  const isUnspaced = language === 'korean' || language === 'japanese';
  const [before, after] = isUnspaced ? ['', ''] : [`(?<![${letters}\\d])`, `(?![${letters}\\d])`];
  const join = (lines = '(?!)') => `(?:${lines.trim().replace(/\s*\n\s*/g, '|')})`;
  const [verb, date] = [join(words.verbs), join(words.dates)];
  const compile = (lines: string | undefined, flags = 'u', start = before) => {
    const pattern = join(lines).replaceAll('{verb}', verb).replaceAll('{date}', date);
    const source = pattern.replaceAll("'", "['’]").replaceAll('\\p{L}', `[${letters}]`);
    return new RegExp(`${start}${source}${after}`, flags);
  };
  return {
    promise: compile(words.promises),
    exception: compile(words.exceptions, 'gu'),
    habit: compile(words.habits),
    request: compile(words.requests),
    acceptance: compile(words.acceptances, 'u', '^\\P{L}*'),
    date: compile(`${words.dates ?? ''}\n${writtenDates}`),
    amount: compile(`${words.amounts ?? '\\p{Nd}+'}\n${writtenAmounts}`),
  };
}

/** Words that may describe a deal. In scripts without spaces, a word is a run of one script. */
const dealWord =
  /\p{Script=Hangul}{2,}|\p{Script=Han}{2,}|[\p{Script=Katakana}ー]{3,}|[\p{Script=Latin}\p{M}]{5,}/gu;
/** Maximum number of words to compare with each sentence. */
const maxDealWords = 100;
const koreanParticle = /(?<=..)(?:에서|으로|까지|부터|[을를이가은는에의로와과도])$/u;

const listDealWords = (texts: readonly string[]) =>
  (texts.join(' ').toLowerCase().match(dealWord) ?? []).map((word) => word.replace(koreanParticle, ''));

/** Compiles the words of texts about deals, without names and common words; undefined if no word is left. */
export function compileDealWords(texts: readonly string[], names: readonly string[]): RegExp | undefined {
  const omitted = new Set([...listDealWords(names), ...commonWords]);
  const words = [...new Set(listDealWords(texts))]
    .filter((word) => !omitted.has(word))
    .slice(0, maxDealWords);
  if (words.length === 0) return undefined;
  // Endings and particles may follow. Only Kanji and Katakana may begin within a run of letters.
  const starts = words.filter((word) => !hasUnspaced(word)).join('|');
  return new RegExp([`(?<!\\p{L})(?:${starts || '(?!)'})`, ...words.filter(hasUnspaced)].join('|'), 'u');
}
