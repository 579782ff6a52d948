import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { createPathBuilder, formatFileName } from '../../src/export/layout.ts';

const toEvent = createRecordNormalizer(calendarEvents.get);
const event = toEvent({ id: 'a' });

const nameMeeting = (title: string, id = 'k3x9') =>
  formatFileName({ ...event, id, title, start_at: '2026-10-01T23:30:00.000-09:00' });

test.each([
  ['Kickoff', 'kickoff'],
  ['Q4 planning: budget & hiring', 'q4-planning-budget-hiring'],
  ["Ada's review – let’s go", 'adas-review-lets-go'],
  ['Straße nach Zürich', 'straße-nach-zürich'],
  ['Cafe\u0301 Creme', 'café-creme'],
  ['주간 회의 (3차)', '주간-회의-3차'],
  ['\u1112\u1161\u11ab글', '한글'],
  ['週次ミーティング、第1回', '週次ミーティング-第1回'],
  ['项目启动会', '项目启动会'],
  ['Встреча с клиентом', 'встреча-с-клиентом'],
  ['Συνάντηση', 'συνάντηση'],
  ['اجتماع أسبوعي', 'اجتماع-أسبوعي'],
  ['פגישה', 'פגישה'],
  ['साप्ताहिक बैठक', 'साप्ताहिक-बैठक'],
  ['ประชุมทีม', 'ประชุมทีม'],
  ['İstanbul', 'i̇stanbul'],
  ['👋 Hello 👩‍👩‍👧 World 🇰🇷', 'hello-world'],
  ['I ❤️ CRM', 'i-crm'],
  ['1️⃣ first', '1-first'],
  ['A/B test', 'a-b-test'],
  ['..\\..\\etc/passwd', 'etc-passwd'],
  ['C:*?"<>|', 'c'],
  ['a\0b\nc\td', 'a-b-c-d'],
  ['invoice\u202efdp.exe', 'invoice-fdp-exe'],
  ['--rf $(id) `x` ; ~', 'rf-id-x'],
  ['.hidden.', 'hidden'],
  ['CON', 'con'],
])('formats the title %j', (title, slug) => {
  expect(nameMeeting(title)).toBe(`2026-10-01-${slug}-k3x9.md`);
});

test.each(['', ' ', '***', '❤️', '🇰🇷🇯🇵', '.', '..', '/'])('leaves the title %j out of the name', (title) => {
  expect(nameMeeting(title)).toBe('2026-10-01-k3x9.md');
});

test.each([
  ['2026-10-01', '2026-10-01-kickoff-a.md'],
  ['2026-10-01T00:30:00.000+14:00', '2026-10-01-kickoff-a.md'],
  ['', 'undated-kickoff-a.md'],
  ['tomorrow', 'undated-kickoff-a.md'],
  ['../../2026-10-01', 'undated-kickoff-a.md'],
  ['2026-10-01/../x', '2026-10-01-kickoff-a.md'],
])('uses the day in start_at %j', (start_at, name) => {
  expect(formatFileName({ ...event, title: 'Kickoff', start_at })).toBe(name);
});

test.each([
  ['2026-10-01T00:30:00.000+14:00', '2026-10'],
  ['../../2026-10-01', 'undated'],
  ['', 'undated'],
  [null, 'undated'],
  ['2026-13-45T99:99', '2026-13'],
  ['2026-1', 'undated'],
  ['20261001', 'undated'],
  [{ toString: 'x' }, 'undated'],
])('by-month puts a meeting that starts at %j into %s', async (start_at, month) => {
  const buildPath = createPathBuilder('by-month', {} as Client);
  expect(await buildPath(toEvent({ id: 'a', start_at }))).toMatch(new RegExp(`^${month}/[^/]+-a.md$`));
});

const longTitles = ['a', '김', 'ж', '👋é', 'e\u0301', '𠮷', 'नि', 'a '].map((part) => part.repeat(400));
const longIds = ['a', 'Z', '/', '김', '👋', '\u{10ffff}', 'aB-'].map((part) => part.repeat(500));
const oddIds = ['👋'.repeat(40), '\u{10ffff}'.repeat(39), 'A'.repeat(40), '-'.repeat(40)];

test.each(longTitles)('truncates a long title at a whole character, to a valid name: %#', (title) => {
  for (const id of ['k3x9', ...longIds, ...oddIds]) {
    const name = nameMeeting(title, id);
    // A temporary file has up to 22 more characters.
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255 - 22);
    expect(name).toBe(Buffer.from(name).toString());
    expect(name).toMatch(/^2026-10-01-[\p{L}\p{M}\p{N}-]*[\w%~.]+\.md$/u);
  }
});

test('truncates a title between graphemes', () => {
  expect([
    nameMeeting('김'.repeat(100)),
    nameMeeting(`${'x'.repeat(119)}김`),
    nameMeeting(`${'e\u0323\u0302'.repeat(90)}x`),
  ]).toEqual([
    `2026-10-01-${'김'.repeat(40)}-k3x9.md`,
    `2026-10-01-${'x'.repeat(119)}-k3x9.md`,
    `2026-10-01-${'ệ'.repeat(40)}-k3x9.md`,
  ]);
});

test.each([
  ['k3x9', 'k3x9'],
  ['K3x9', 'K3x9~1'],
  ['k3X9', 'k3X9~4'],
  ['a/b', 'a%2f.b~0'],
  ['..', '%2e.%2e.~0'],
  ['', '~0'],
  ['~', '%7e.~0'],
  ['a~1', 'a%7e.1~0'],
  ['é', '%e9.~0'],
  ['👋', '%1f44b.~0'],
])('encodes the id %j', (id, encoded) => {
  expect(formatFileName({ ...event, id })).toBe(`undated-${encoded}.md`);
});

/** Ids that differ only in case, in unusual characters, or far from their beginning. */
function createSimilarIds(): string[] {
  const letters = [
    'a',
    'A',
    'b',
    'B',
    '1',
    '0',
    '-',
    '_',
    '.',
    '/',
    '~',
    '%',
    '%2e.',
    '~1',
    'é',
    'É',
    'e\u0301',
    'İ',
  ];
  const ids = new Set<string>(['', ...letters, ...longIds, ...oddIds, '\ud800', '\udc00']);
  for (const first of letters)
    for (const second of letters) {
      ids.add(first + second);
      for (const third of letters) ids.add(first + second + third);
      ids.add('a'.repeat(498) + first + second);
      ids.add('K3x'.repeat(12) + first + second);
      ids.add(first + 'Q'.repeat(75) + second);
    }
  for (const surrogate of ['\ud800', '\ud801', '\udc00', '\ufffd']) ids.add('x'.repeat(500) + surrogate);
  for (let mask = 0; mask < 1024; mask += 1) {
    ids.add(
      Array.from('abcdefghij', (letter, index) => ((mask >> index) & 1 ? letter.toUpperCase() : letter)).join(
        '',
      ),
    );
  }
  return [...ids];
}

test('gives different ids different names, even if the file system ignores case or Unicode form', () => {
  const ids = createSimilarIds();
  const names = new Map<string, string>();
  const sharedNames: string[][] = [];
  for (const id of ids) {
    const name = nameMeeting('Kickoff', id).normalize('NFD').toLowerCase();
    const before = names.get(name);
    if (before !== undefined) sharedNames.push([before, id, name]);
    names.set(name, id);
  }
  expect(ids.length).toBeGreaterThan(7500);
  expect(sharedNames).toEqual([]);
});

test('separates titles from ids', () => {
  const names = [
    nameMeeting('a', 'b'),
    nameMeeting('a-b', ''),
    nameMeeting('', 'a-b'),
    nameMeeting('a b', 'c'),
    nameMeeting('a', 'b-c'),
    nameMeeting('a', 'b c'),
    nameMeeting('2026-10-01', 'a'),
  ];
  expect(new Set(names).size).toBe(names.length);
});
