import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildTranscript } from '../../src/service/demo/meetings.ts';
import { readSample } from '../../src/service/demo/sample.ts';
import { compileDealWords, findPassages, type Passage } from '../../src/transcripts/commitments.ts';
import { parseTranscript, type Utterance } from '../../src/transcripts/transcript.ts';

/** A promise in the sample, from the list made by hand. `isCertain` is false if readers may disagree. */
interface ListedPromise {
  readonly meeting: string;
  /** Seconds from the recording's start to the first word of the sentence. */
  readonly start: number;
  readonly isCertain: boolean;
  /** The words that the sentence accepts; empty if it is not an acceptance. */
  readonly request: string;
}

function readPromises(): ListedPromise[] {
  const lines = readFileSync(join(import.meta.dirname, 'promises.tsv'), 'utf8')
    .trim()
    .split('\n');
  return lines.slice(1).map((line) => {
    const [meeting = '', start, certain, , request = ''] = line.split('\t');
    return { meeting, start: Number(start), isCertain: certain === 'yes', request };
  });
}

/** Whether a passage is a listed promise, or the request that the promise accepts within 40 seconds. */
function isPassageOf({ start, quote }: Passage, promise: ListedPromise): boolean {
  if (start === promise.start) return true;
  const { request } = promise;
  return (
    request !== '' &&
    Math.abs((start ?? 0) - promise.start) < 40 &&
    (quote.includes(request) || request.includes(quote))
  );
}

test('finds and misses as many promises of the sample as docs/brief.md says', async () => {
  const promises = readPromises();
  const counts = new Map<string, { certain: number; found: number; chosen: number; wrong: number }>();
  for (const { title, language, transcript = [] } of (await readSample()).meetings) {
    const passages = findPassages(parseTranscript(buildTranscript(transcript, language)));
    const chosen = passages.filter(({ reasons }) => reasons.includes('promise'));
    const listed = promises.filter(({ meeting }) => meeting === title);
    const certain = listed.filter(({ isCertain }) => isCertain);
    const found = certain.filter((promise) => chosen.some((passage) => isPassageOf(passage, promise)));
    const wrong = chosen.filter((passage) => !listed.some((promise) => isPassageOf(passage, promise)));
    const count = counts.get(language) ?? { certain: 0, found: 0, chosen: 0, wrong: 0 };
    count.certain += certain.length;
    count.found += found.length;
    count.chosen += chosen.length;
    count.wrong += wrong.length;
    counts.set(language, count);
  }
  const formatShare = (part: number, all: number) =>
    `${part}/${all} (${all > 0 ? Math.round((100 * part) / all) : 0}%)`;
  const names = new Intl.DisplayNames('en', { type: 'language' });
  const rows = Array.from(counts, ([language, { certain, found, chosen, wrong }]) =>
    [names.of(language), formatShare(found, certain), formatShare(wrong, chosen)].join(' | '),
  ).sort();
  // Language | found / certain promises | wrong / all passages with the reason `promise`
  expect(rows).toEqual([
    'Arabic | 0/17 (0%) | 0/0 (0%)',
    'English | 29/37 (78%) | 1/31 (3%)',
    'French | 7/10 (70%) | 1/8 (13%)',
    'German | 6/7 (86%) | 1/7 (14%)',
    'Japanese | 12/14 (86%) | 2/14 (14%)',
    'Korean | 17/20 (85%) | 0/18 (0%)',
    'Portuguese | 8/9 (89%) | 0/9 (0%)',
    'Spanish | 7/8 (88%) | 0/8 (0%)',
  ]);
  const page = readFileSync('docs/brief.md', 'utf8');
  const tableRows = page.matchAll(/^\| (\w+) \| \d[^|]*\| \d[^|]*\| (.*) \|$/gm);
  const documented = Array.from(tableRows, ([, language, figures]) => `${language} | ${figures}`);
  expect(documented.sort()).toEqual(rows.filter((row) => !row.startsWith('Arabic')));
});

/** Creates utterances with one word a second. */
function createUtterances(lines: readonly (readonly [speaker: string, text: string])[]): Utterance[] {
  let second = 0;
  return lines.map(([speaker, text]) => ({
    speaker,
    words: text.split(' ').map((word) => ({ text: word, start: second++, end: second })),
  }));
}

const introductions = {
  english: 'The meeting is about the list that you and we have.',
  german: 'Das ist die Liste, die wir für Sie und auch für mich haben.',
  french: 'Le sujet est la liste des prix que vous avez dans le dossier.',
  italian: 'Questo è il contratto che abbiamo per la riunione con il prezzo.',
  arabic: 'صباح الخير يا جماعة.',
};

test.each([
  ['english', 'I’ll send the draft by Friday.', 'promise date 6'],
  ['english', 'It costs $1,200, or twelve hundred a year.', 'amount 1'],
  ['english', 'I’ll be honest with everyone.', undefined],
  ['english', 'Will you send the draft by Friday?', 'date 2'],
  ['german', 'Ich schicke Ihnen den Vertrag.', 'promise 4'],
  ['german', 'Ich habe am Montag mit ihr gesprochen.', 'date 2'],
  ['german', 'Das schicke ich nicht.', undefined],
  ['french', 'J’enverrai le contrat pour mille euros.', 'promise amount 5'],
  ['french', 'On verra.', undefined],
  ['italian', 'Vi mando il contratto domani, per 300 franchi.', 'amount 1'],
  ['arabic', 'سنكمل في 14 يوما.', 'amount 1'],
] as const)('finds in %s: %s', (language, sentence, expected) => {
  const utterances = createUtterances([
    ['Ada', introductions[language]],
    ['Ada', sentence],
  ]);
  const passage = findPassages(utterances).find(({ quote }) => quote === sentence);
  expect(passage && [...passage.reasons, passage.score].join(' ')).toBe(expected);
});

test('a request is a promise only if the next speaker accepts it', () => {
  const request = 'That is the list. Can you share it with the team that we have?';
  const findAnswered = (speaker: string, answer: string) =>
    findPassages(
      createUtterances([
        ['Ada', request],
        [speaker, answer],
      ]),
    );
  expect(findAnswered('Grace', 'Of course, and the prices.')).toEqual([
    {
      quote: 'Can you share it with the team that we have?',
      speaker: 'Ada',
      start: 4,
      reason: 'promise',
      reasons: ['promise'],
      score: 4,
      accepted_by: 'Grace',
    },
  ]);
  expect(findAnswered('Grace', 'No, not yet.')).toEqual([]);
  expect(findAnswered('Ada', 'Of course not.')).toEqual([]);
});

test('detects the language of each utterance', () => {
  const passages = findPassages(
    createUtterances([
      ['Ada', introductions.english],
      ['Mina', '내일 견적서를 보내 드릴게요.'],
      ['Kenji', '来週ご連絡いたします。'],
      ['Ada', introductions.english],
      ['Ada', "I'll send it."],
    ]),
  );
  expect(passages.map(({ quote, reasons }) => [quote, reasons.join(' ')])).toEqual([
    ['내일 견적서를 보내 드릴게요.', 'promise date'],
    ['来週ご連絡いたします。', 'promise date'],
    ["I'll send it.", 'promise'],
  ]);
});

const names = ['Reyes Catering', '한빛물류', '北洋水産'];

test.each([
  ['english', 'Show them the sensors before March', 'Which sensor do you mean?', undefined],
  ['english', 'Show them the sensors before March', 'The sensors are too big.', 'deal 2'],
  ['english', 'Show them the sensors before March', 'We had the sensors in March.', 'date deal 4'],
  ['english', 'Show it to them in February', 'We had one in February.', 'date 2'],
  ['english', 'Install a sensor for Reyes', 'These sensors are too big.', 'deal 2'],
  ['english', 'Show them the sensors before March', 'There were others before the catering.', undefined],
  ['korean', '한빛물류에 견적서를 보내기', '아까 그 견적서는 어디 있어요?', 'deal 2'],
  ['korean', '한빛물류에 견적서를 보내기', '한빛물류는 부산에 있어요.', undefined],
  ['japanese', '見積書とセンサーを北洋水産に送る', 'この見積書は高いです。', 'deal 2'],
  ['japanese', '見積書とセンサーを北洋水産に送る', '新しいセンサーです。', 'deal 2'],
  ['japanese', '見積書とセンサーを北洋水産に送る', '北洋水産です。', undefined],
] as const)('compares words of a deal in %s: %s / %s', (language, text, sentence, expected) => {
  const introduction = language === 'english' ? introductions.english : '';
  const utterances = createUtterances([
    ['Ada', introduction],
    ['Ada', sentence],
  ]);
  const passages = findPassages(utterances, compileDealWords([text], names));
  const passage = passages.find(({ quote }) => quote === sentence);
  expect(passage && [...passage.reasons, passage.score].join(' ')).toBe(expected);
});

test.each(['I send the ', '가', '一', '1,', 'ich kann ', 'je ne '])(
  'reads a long run of "%s" in linear time',
  (part) => {
    const text = part.repeat(100_000);
    expect(findPassages([{ speaker: 'Ada', words: [{ text, start: 0, end: 1 }] }]).length).toBeLessThan(2);
  },
);
