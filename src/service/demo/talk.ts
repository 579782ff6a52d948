import type { Turn } from '../../contract/recordings.ts';

/** Who says what, in order: `{ 'Mina Seo': 'Good morning.' }`. */
export type Talk = readonly Readonly<Record<string, string>>[];

const pause = { word: 0.05, comma: 0.22, sentence: 0.5, turn: 0.7 } as const;

/** Japanese has no spaces: a word is a run of kanji with the kana that belong to it, or a run of one kind. */
const japaneseWord =
  /[\p{Script=Han}々〇\d０-９]+\p{Script=Hiragana}*|[\p{Script=Katakana}ー]+\p{Script=Hiragana}*|\p{Script=Hiragana}+|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。！？「」（）]+/u;
const japanesePhrase = new RegExp(`[「（]*(?:${japaneseWord.source})[、。！？」）…]*|\\S`, 'gu');

/** A talk as a transcript with the time of each word, at the pace of people who are awake. */
export function transcriptOf(talk: Talk, language: string): Turn[] {
  let clock = 1.2;
  return talk.map((turn) => {
    const [[name, text] = ['', '']] = Object.entries(turn);
    const words = wordsOf(text, language).map((word) => {
      const start = clock;
      clock += spoken(word, language);
      const end = clock;
      clock += pauseAfter(word);
      return { text: word, start_timestamp: at(start), end_timestamp: at(end) };
    });
    clock += pause.turn;
    return { participant: { name }, words, language_code: language };
  });
}

/** Seconds from the start of a transcript to the end of its last word. */
export function durationOf(transcript: readonly Turn[]): number {
  return Math.ceil(transcript.at(-1)?.words.at(-1)?.end_timestamp.relative ?? 0);
}

function wordsOf(text: string, language: string): string[] {
  return language === 'ja' ? (text.match(japanesePhrase) ?? []) : text.split(/[ \n]+/).filter(Boolean);
}

function spoken(word: string, language: string): number {
  const letters = word.replace(/[^\p{L}\p{N}]/gu, '').length;
  const each = language === 'ja' || language === 'ko' ? 0.15 : 0.062;
  return 0.08 + letters * each;
}

function pauseAfter(word: string): number {
  if (/[.?!…。？！؟]["”»)]?$/u.test(word)) return pause.sentence;
  return /[,;:、،–—]$/u.test(word) ? pause.comma : pause.word;
}

const at = (seconds: number) => ({ relative: Math.round(seconds * 1000) / 1000 });
