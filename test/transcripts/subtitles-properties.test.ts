import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import type { Utterance } from '../../src/contract/recordings.ts';
import { stripUnsafe } from '../../src/render/text/sanitize.ts';
import { parseSubRip, parseWebVtt } from '../../src/service/recordings/subtitle-files.ts';
import { formatSrt, formatVtt } from '../../src/transcripts/subtitles.ts';
import { anyCharacter } from '../support/any-text.ts';
import { countRuns } from '../support/rounds.ts';

interface SpokenTurn {
  readonly participant: { readonly name: string };
  readonly words: readonly { readonly text: string }[];
}

const seconds = fc.oneof(
  fc.integer({ min: -5, max: 60 }),
  fc.double({ min: -5, max: 400_000, noNaN: true }),
  fc.double({ min: 0, max: 3, noNaN: true }),
);

/** Words of every script, some with combining marks, spaces, control characters and markup. */
const anyWord = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.lorem({ maxCount: 3 }),
  fc.constantFrom(
    '会議の資料は、明日です。',
    '오늘은',
    'สวัสดีครับ',
    'ｶﾞﾞ',
    '👨‍👩‍👧',
    '\u1100'.repeat(60),
    'Yes.',
    '-->',
    '&lt;',
  ),
  fc.constantFrom(
    '<v Bo>',
    '</v>',
    '<i>',
    '{\\an8}',
    '\n\n',
    '\r\n00:01 --> 00:02',
    '\u202e',
    'x'.repeat(100),
  ),
);

const createTalk = (words: fc.Arbitrary<string>, names: fc.Arbitrary<string>) =>
  fc.array(
    fc.record({
      participant: fc.record({ name: names }),
      words: fc.array(
        fc.record({
          text: words,
          start_timestamp: fc.record({ relative: seconds }),
          end_timestamp: fc.record({ relative: seconds }),
        }),
        { maxLength: 30 },
      ),
    }),
    { maxLength: 6 },
  );

const names = [
  ...['', 'Ada', '김지우', 'Bo Lee', 'bob', 'Bob’s iPhone', 'Müller, Änne', 'Bob | Acme', 'Bob (Acme, Inc.)'],
  ...['+1 415***2671', 'van der Berg, Jan', 'Bob@Acme', 'R&D Team', 'محمد علي', '山田太郎', 'Bob [External]'],
  ...[
    'Dr. Ann O’Neil-Smith',
    'Bob/Acme',
    'Bob – Acme',
    '10:30 daily',
    'Room 4: Berlin',
    'Ada (he/him)',
    '🎉',
  ],
  'Müller-Lüdenscheidt, Hans-Peter (External, Acme Holdings International GmbH)',
];

/** A conversation with two words per second. */
const createSpokenTalk = (words: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), fc.array(words, { minLength: 1, maxLength: 60 })))
    .map((utterances) => {
      let clock = 0;
      return utterances.map(([name, texts]) => ({
        participant: { name },
        words: texts.map((text) => {
          clock += 0.5;
          return { text, start_timestamp: { relative: clock }, end_timestamp: { relative: clock + 0.4 } };
        }),
      }));
    });

const timing = /^(\d{2,}):(\d\d):(\d\d)[.,](\d{3}) --> (\d{2,}):(\d\d):(\d\d)[.,](\d{3})$/;

/** Parses the cues of a file strictly. */
function parseCues(text: string) {
  const blocks = text === '' ? [] : text.slice(0, -1).split('\n\n');
  return blocks.map((block) => {
    const [times = '', ...lines] = block.split('\n');
    const digits = timing.exec(times)?.slice(1).map(Number);
    if (!digits) throw new Error(`${times} is not a timing`);
    const [start = 0, end = 0] = [digits.slice(0, 4), digits.slice(4)].map(
      ([h = 0, m = 0, s = 0, ms = 0]) => ((h * 60 + m) * 60 + s) * 1000 + ms,
    );
    return { start, end, lines };
  });
}

const parseVttCues = (text: string) => {
  expect(text.startsWith('WEBVTT\n')).toBe(true);
  const cues = parseCues(text.slice('WEBVTT\n'.length).replace(/^\n/, ''));
  return cues.map(({ lines: [first = '', ...more], ...times }) => {
    const [, voice = '', text = ''] = /^(?:<v ([^<>]+)>)?(.*)$/s.exec(first) ?? [];
    return { ...times, voice: toPlainText(voice), lines: [text, ...more].map(toPlainText) };
  });
};

function toPlainText(line: string): string {
  expect(line).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
  return line.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** Parses a SubRip file and checks that its cues are numbered from 1. */
const parseSrtCues = (text: string) => {
  let count = 0;
  return parseCues(
    text.replace(/(^|\n\n)(\d+)\n/g, (_, before: string, number: string) => {
      count += 1;
      expect(number).toBe(String(count));
      return before;
    }),
  );
};

/** Checks the rules that apply to the cues of every file. */
function expectReadable(cues: readonly { start: number; end: number; lines: readonly string[] }[]): void {
  for (const [index, { start, end, lines }] of cues.entries()) {
    expect(lines.length).toBeLessThanOrEqual(2);
    for (const line of lines) {
      expect(stringWidth(line)).toBeLessThanOrEqual(42);
      expect(line).toBe(stripUnsafe(line));
      expect(line).not.toBe('');
    }
    expect(end).toBeGreaterThan(start);
    expect(end - start).toBeLessThanOrEqual(7000);
    expect(end).toBeLessThanOrEqual(cues[index + 1]?.start ?? Number.POSITIVE_INFINITY);
  }
}

const toLetters = (text: string) => stripUnsafe(text).replaceAll(' ', '');
const listSpokenText = (transcript: readonly SpokenTurn[]) =>
  transcript.flatMap(({ words }) => words.map(({ text }) => toLetters(text))).join('');

test('WebVTT of any transcript has every word, two lines of 42 columns per cue, and no overlap', () => {
  fc.assert(
    fc.property(createTalk(anyWord, anyWord), (transcript) => {
      const cues = parseVttCues(formatVtt(transcript));
      expectReadable(cues);
      expect(toLetters(cues.flatMap(({ lines }) => lines).join(''))).toBe(listSpokenText(transcript));
    }),
    { numRuns: countRuns(100) },
  );
});

test('SubRip of any transcript has two lines of 42 columns per cue and no markup', () => {
  fc.assert(
    fc.property(createTalk(anyWord, anyWord), (transcript) => {
      const cues = parseSrtCues(formatSrt(transcript));
      // A name is never truncated to a line: another name would be another speaker.
      const isName = (line: string, index: number) => index === 0 && /.{40}:$/u.test(line);
      const texts = cues.map((cue) => ({
        ...cue,
        lines: cue.lines.filter((line, index) => !isName(line, index)),
      }));
      expectReadable(texts);
      for (const { lines } of cues) expect(lines.join('\n')).not.toMatch(/-->|<[/a-z\d]|\{\\/i);
    }),
    { numRuns: countRuns(100) },
  );
});

/** Joins consecutive utterances of one speaker. */
function joinSpeeches(utterances: readonly SpokenTurn[]): [name: string, text: string][] {
  const result: [string, string][] = [];
  for (const { participant, words } of utterances) {
    const text = words.map(({ text }) => toLetters(text)).join('');
    const last = result.at(-1);
    if (text === '') continue;
    if (last?.[0] === participant.name) last[1] += text;
    else result.push([participant.name, text]);
  }
  return result;
}

// Without words that the importer takes for a name or for markup: neither format can escape them all.
const plainWord = fc.oneof(
  fc.stringMatching(/^[a-z]{1,12}[.,!?]?$/),
  fc.constantFrom('会議の資料は、明日です。', '오늘은', 'สวัสดีครับ', 'a < b', 'AT&T', '->', 'x'.repeat(60)),
);

test.each<[string, (transcript: unknown) => Utterance[]]>([
  ['WebVTT', (transcript) => parseWebVtt({ name: 'a.vtt', text: formatVtt(transcript) }, 'en').transcript],
  ['SubRip', (transcript) => parseSubRip({ name: 'a.srt', text: formatSrt(transcript) }, 'en').transcript],
])('imports its own %s files unchanged', (_, importSubtitles) => {
  fc.assert(
    fc.property(createSpokenTalk(plainWord), (transcript) => {
      fc.pre(transcript.length > 0);
      const utterances = importSubtitles(transcript);
      expect(joinSpeeches(utterances)).toEqual(joinSpeeches(transcript));
      const starts = utterances.flatMap(({ words }) =>
        words.map(({ start_timestamp }) => start_timestamp.relative),
      );
      expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    }),
    { numRuns: countRuns(100) },
  );
});
