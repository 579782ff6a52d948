import { Chalk } from 'chalk';
import { expect, test } from 'vitest';
import { plainPaint } from '../../../src/render/text/paint.ts';
import { createHitFormatter } from '../../../src/transcripts/grep/format-hits.ts';

const createRenderer = (isColored = false, width = 80) =>
  createHitFormatter({ width, paint: isColored ? new Chalk({ level: 1 }) : plainPaint });

const createHit = (recording_id: string, time: string, text: string, more = {}) => ({
  event_id: 'e1',
  recording_id,
  title: `Meeting of ${recording_id}`,
  start_at: '2026-07-14T13:00:00.000+09:00',
  at: 1,
  time,
  speaker: 'Ada',
  text,
  matches: [],
  before: [],
  after: [],
  ...more,
});

test('groups hits by meeting, also across batches', () => {
  const renderHits = createRenderer();
  expect([
    renderHits([createHit('r1', '00:01', 'One.'), createHit('r1', '00:09', 'Two.')]),
    renderHits([
      createHit('r1', '1:00:00', 'Three.'),
      createHit('r2', '', 'Four.', { speaker: '', title: '' }),
    ]),
    renderHits([]),
  ]).toEqual([
    '2026-07-14 13:00  Meeting of r1  r1\n00:01  Ada: One.\n00:09  Ada: Two.\n',
    '1:00:00  Ada: Three.\n\n2026-07-14 13:00  Untitled meeting  r2\nUnknown speaker: Four.\n',
    '',
  ]);
});

test('separates hits that have context', () => {
  const line = (time: string, text: string) => ({ at: 0, time, speaker: 'Bo', text });
  const context = {
    before: [line('00:00', 'Zero.')],
    after: [line('00:02', 'Two.'), line('00:03', 'Three.')],
  };
  expect(
    createRenderer()([createHit('r1', '00:01', 'One.', context), createHit('r1', '00:09', 'Nine.', context)]),
  ).toBe(
    `2026-07-14 13:00  Meeting of r1  r1
00:00  Bo: Zero.
00:01  Ada: One.
00:02  Bo: Two.
00:03  Bo: Three.
--
00:00  Bo: Zero.
00:09  Ada: Nine.
00:02  Bo: Two.
00:03  Bo: Three.
`,
  );
});

test('wraps a line at words, below its text, also within a match', () => {
  const text = 'Is there a cold room? 냉동고가 밤마다 울린다.';
  const matches = [{ start: 11, end: 20 }];
  const [heading, ...lines] = createRenderer(
    true,
    24,
  )([createHit('r1', '00:01', text, { matches, title: '냉동고 7번' })]).split('\n');
  expect(heading).toBe('2026-07-14 13:00  \u001b[1m냉동고\u001b[22m');
  expect(lines).toEqual([
    '  \u001b[1m7번\u001b[22m  \u001b[2mr1\u001b[22m',
    '\u001b[32m00:01\u001b[39m  Ada: Is there a',
    '       \u001b[1m\u001b[31mcold room\u001b[39m\u001b[22m?',
    '       냉동고가 밤마다',
    '       울린다.',
    '',
  ]);
});

test('highlights matches', () => {
  const matches = [
    { text: 'ice', start: 0, end: 3 },
    { text: 'ice', start: 12, end: 15 },
  ];
  expect(
    createRenderer(true)([createHit('r1', '00:01', 'ice, and no ice.', { matches })]).split('\n')[1],
  ).toBe(
    '\u001b[32m00:01\u001b[39m  Ada: \u001b[1m\u001b[31mice\u001b[39m\u001b[22m, and no \u001b[1m\u001b[31mice\u001b[39m\u001b[22m.',
  );
});

test('removes control characters from texts', () => {
  const hostileValue = 'a\u001b[2Jb\n\u202ec';
  const line = { at: 0, time: hostileValue, speaker: hostileValue, text: hostileValue };
  const all = {
    ...line,
    title: hostileValue,
    start_at: hostileValue,
    recording_id: hostileValue,
    before: [line],
    after: [line],
  };
  const expected = 'a\\x1b[2Jb \\u202ec';
  const text = 'a\\x1b[2Jb\\x0a\\u202ec';
  const expectedLine = `${expected}  ${expected}: ${text}\n`;
  const match = { text: '\u001b[2J', start: 1, end: 5 };
  expect(createRenderer()([{ ...createHit('', '', ''), ...all, matches: [match] }])).toBe(
    `${expected}  ${expected}  ${expected}\n${expectedLine}${expectedLine}${expectedLine}`,
  );
});
