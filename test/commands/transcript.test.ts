import { join } from 'node:path';
import sql from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { ids } from '../../src/service/db/ids.ts';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../support/kith.ts';

/** Puts a transcript into the first recording of the sample workspace, and returns its id. */
async function withTranscript(transcript: unknown) {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const db = openDatabase(join(folder, 'demo.sqlite'));
  onTestFinished(() => db.close());
  await db.run(sql`update recording set transcript = ${JSON.stringify(transcript)} where id = 1`);
  return { kith, id: ids.recording.encode(1) };
}

const createUtterance = (name: string, ...words: [text: string, start?: number][]) => ({
  participant: { name },
  words: words.map(([text, start]) => ({
    text,
    start_timestamp: { relative: start },
    end_timestamp: { relative: start === undefined ? undefined : start + 0.5 },
  })),
  language_code: 'en',
});

const transcript = [
  createUtterance('Ada', ['Good', 1], ['morning,', 1.5], ['all.', 2]),
  createUtterance('김지우', ['안녕하세요.', 61]),
  createUtterance('Ada', ['Bye.', 3700]),
];

test.each([
  ['', 'Ada: Good morning, all.\n\n김지우: 안녕하세요.\n\nAda: Bye.\n'],
  ['--format text --timestamps --from 1:01', '[01:01] 김지우: 안녕하세요.\n\n[1:01:40] Ada: Bye.\n'],
  ['--from 1.5 --to 2', 'Ada: morning,\n'],
  ['--from 1:01:40', 'Ada: Bye.\n'],
  ['--from 1:01:41', ''],
  ['--to 61 --speaker ada', 'Ada: Good morning, all.\n'],
  ['--speaker 김지우 --speaker ADA --to 2:00', 'Ada: Good morning, all.\n\n김지우: 안녕하세요.\n'],
  ['--from 5000', ''],
  ['--at 61 --to 2:00', '김지우: 안녕하세요.\n'],
  ['--at 59', 'Ada: Good morning, all.\n\n김지우: 안녕하세요.\n\nAda: Bye.\n'],
  ['--at 5000', 'Ada: Bye.\n'],
  [
    '--format vtt --to 5:00',
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n<v Ada>Good morning, all.\n\n00:01:01.000 --> 00:01:02.000\n<v 김지우>안녕하세요.\n',
  ],
  ['--format srt --from 60:00', '1\n01:01:40,000 --> 01:01:41,000\nAda: Bye.\n'],
  ['--format vtt --from 5000', 'WEBVTT\n'],
  ['--format srt --from 5000', ''],
  ['--json --from 5000', '[]\n'],
])('recordings transcript ID %s', async (flags, out) => {
  const { kith, id } = await withTranscript(transcript);
  expect(await kith(`recordings transcript ${id} ${flags}`)).toEqual({ code: 0, out, err: '' });
});

test('prints a part as JSON with every word unchanged', async () => {
  const { kith, id } = await withTranscript(transcript);
  const { out } = await kith(`recordings transcript ${id} --json --from 1.2 --to 100`);
  const [first, second] = transcript;
  expect(JSON.parse(out)).toEqual([{ ...first, words: first?.words.slice(1) }, second]);
});

test.each([
  ['--format xml', '--format: "xml" is not one of text, vtt, srt, json.'],
  ['--format vtt --timestamps', '--timestamps applies only to text; vtt always has times.'],
  ['--format json --timestamps', '--timestamps applies only to text; json always has times.'],
  ['--jq . --timestamps', '--timestamps applies only to text; json always has times.'],
  ['--jq . --format srt', '--jq prints JSON; it cannot be used with --format srt.'],
  ['--from 2:00 --to 1:59', '--from must not be later than --to.'],
  ...['noon', '1:2', '1:60', '1:60:00', '1:2:03', '-5', '1:00:00:00', '12:', '1e3', ''].map((time) => [
    `--from "${time}"`,
    `--from: "${time}" is not a time in a recording. Examples: 12:30, 1:02:30 or 750 (seconds).`,
  ]),
])('recordings transcript ID %s is a usage error', async (flags = '', message = '') => {
  const { code, out, err } = await createMachine()(`recordings transcript x ${flags}`);
  const reported = flags.includes('json') ? JSON.parse(err).error.message : err.slice('kith: '.length, -1);
  expect({ code, out, reported }).toEqual({ code: 2, out: '', reported: message });
});

test.each([
  ['--speaker Bob', 3, 'No speaker named "Bob" in this recording.\nhint: Speakers: Ada, 김지우'],
  ['--format vtt', 1, 'Subtitles need a time for every word, but "well" in utterance 4 has none.'],
  ['--to 10', 1, '--from and --to need a time for every word, but "well" in utterance 4 has none.'],
])('reports what a recording does not have: %s', async (flags, code, message) => {
  const { kith, id } = await withTranscript([...transcript, createUtterance('Ada', ['well'])]);
  expect(await kith(`recordings transcript ${id} ${flags}`)).toEqual({
    code,
    out: '',
    err: `kith: ${message}\n`,
  });
});
