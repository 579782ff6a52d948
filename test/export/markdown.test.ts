import { expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { calendarEvents } from '../../src/contract/calendar-events.ts';
import { createRecordNormalizer } from '../../src/contract/received.ts';
import { type RecordingPart, renderMeeting } from '../../src/export/meeting-files.ts';

const toEvent = createRecordNormalizer(calendarEvents.get);

const event = toEvent({
  id: 'e1',
  title: 'Kickoff',
  start_at: '2026-10-01T09:00:00.000+09:00',
  end_at: '2026-10-01T10:00:00.000+09:00',
  conference_link: null,
  conference_type: null,
  attendees: [{ email: 'a@x.org' }, { email: 'b@x.org' }],
  recordings: [],
  created_at: '2026-09-01T00:00:00.000Z',
  updated_at: '2026-10-01T02:00:00.000Z',
});
const recordingPart: RecordingPart = {
  id: 'r1',
  status: 'done',
  summary: { summary: 'They agreed.', action_items: ['Write'] },
};

/** Returns the YAML between the first two lines of hyphens, as other programs read front matter. */
function readFrontMatter(markdown: string): string {
  const [, yaml = ''] = /^---\n([\s\S]*?)\n---\n/.exec(markdown) ?? [];
  return yaml;
}

test('renders a meeting with one recording', () => {
  expect(
    renderMeeting({ ...event, conference_type: 'Zoom', conference_link: 'https://z.example/1' }, [
      recordingPart,
    ]),
  ).toBe(`---
id: "e1"
title: "Kickoff"
date: "2026-10-01T09:00:00.000+09:00"
end: "2026-10-01T10:00:00.000+09:00"
attendees:
  - "a@x.org"
  - "b@x.org"
conference: "Zoom"
link: "https://z.example/1"
recordings:
  - "r1"
updated_at: "2026-10-01T02:00:00.000Z"
---

# Kickoff

## Summary

They agreed.

## Action items

- [ ] Write
`);
});

test('puts each of several recordings under its own heading', () => {
  const markdown = renderMeeting(event, [recordingPart, { id: 'r2', status: 'processing', summary: null }]);
  expect(markdown.split('\n---\n')[1]).toBe(`
# Kickoff

## Recording 1

### Summary

They agreed.

### Action items

- [ ] Write

## Recording 2

_The recording r2 is not done yet. Its status is processing._
`);
});

test.each<[string, RecordingPart, string]>([
  [
    'failed',
    { id: 'r1', status: 'failed', summary: null },
    '_The recording r1 failed and has no summary._\n',
  ],
  ['done without a summary', { ...recordingPart, summary: null }, '_This recording has no summary._\n'],
  [
    'done with an empty one',
    { ...recordingPart, summary: { topics: [] } },
    '_This recording has no summary._\n',
  ],
  [
    'in an unknown state',
    { id: 'r1', status: 'queued\n# x', summary: null },
    '_The recording r1 is not done yet. Its status is queued # x._\n',
  ],
])('renders a recording that is %s', (_, recording, text) => {
  expect(renderMeeting(event, [recording]).split('\n# Kickoff\n\n')[1]).toBe(text);
});

test('renders a meeting without recordings as front matter and title', () => {
  expect(renderMeeting(event, []).split('\n---\n')[1]).toBe('\n# Kickoff\n');
});

const hostile = [
  'a: b',
  'a #b',
  '# heading',
  '- item',
  '? key',
  '---',
  '&anchor',
  '*alias',
  '!tag x',
  '%YAML 1.1',
  '@at',
  '`tick`',
  '| block',
  '> folded',
  '{a: 1}',
  '[a, b]',
  '"quoted"',
  "'quoted'",
  "it's",
  'a\\nb\\',
  'null',
  '~',
  'true',
  'No',
  '0x1F',
  '1e3',
  '12:30:45',
  '2026-10-01',
  '<<',
  '',
  ' ',
  ' a ',
  '\t',
  'a\tb',
  'a\nb',
  'a\n---\nb',
  '---\na: b\n---',
  'a\n\n b\n',
  '\n',
  '\na',
  'a\r\nb',
  'a\rb',
  '\u0000',
  'a\u0007b\u001b[2J',
  '\u007f',
  'a\u0085b',
  'a\u2028b\u2029c',
  '\ufeffa',
  'a\u00a0',
  '\u00a0a',
  '\u202eabc',
  '김민준과의 회의: 1차',
  '会議「計画」',
  '👩‍👩‍👧 🇰🇷',
  'e\u0301',
  'x'.repeat(2000),
  'word '.repeat(400),
  `${'long '.repeat(40)}\n---\n`,
];

test.each(hostile)('keeps the title %j unchanged in the front matter', (title) => {
  const yaml = readFrontMatter(renderMeeting({ ...event, title }, [recordingPart]));
  expect(parse(yaml)).toEqual({
    id: 'e1',
    title,
    date: event.start_at,
    end: event.end_at,
    attendees: ['a@x.org', 'b@x.org'],
    recordings: ['r1'],
    updated_at: event.updated_at,
  });
  expect(parseAllDocuments(yaml).length).toBe(1);
});

test('formats front matter byte for byte as the YAML library does', () => {
  for (const text of hostile.filter((text) => !/[^\P{Cc}\n\t]/u.test(text))) {
    for (const attendees of [[], ['b'], ['a', text || 'b']]) {
      const { id, start_at: date, end_at: end, updated_at } = event;
      const fields = { id, title: text, date, end, attendees, recordings: [text], updated_at };
      const yaml = stringify(fields, {
        lineWidth: 0,
        defaultStringType: 'QUOTE_DOUBLE',
        defaultKeyType: 'PLAIN',
      });
      const meeting = { ...event, title: text, attendees: attendees.map((email) => ({ email })) };
      expect(renderMeeting(meeting, [{ ...recordingPart, id: text }]).split('---\n\n# ')[0]).toBe(
        `---\n${yaml}`,
      );
    }
  }
});

test.each(hostile)('renders the title %j as one heading', (title) => {
  const [, body = ''] = renderMeeting({ ...event, title }, []).split(/\n---\n\n# /);
  const words = title
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\p{Cc}/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
  expect(body).toBe(`${words || 'Untitled meeting'}\n`);
});

test.each([
  ['ids', { id: '00:1e3', recordings: [] }, { id: '00:1e3' }],
  [
    'an email',
    { attendees: [{ email: '"a: b"@x.org' }, { email: '&x' }] },
    { attendees: ['"a: b"@x.org', '&x'] },
  ],
  ['attendees that are null', { attendees: null }, { attendees: [] }],
  [
    'attendees without an email',
    { attendees: [{}, { email: null }, { email: 'a@x.org' }] },
    { attendees: ['a@x.org'] },
  ],
  ['no title', { title: null }, { title: '' }],
])('renders front matter with %s', (_, fields, read) => {
  expect(parse(readFrontMatter(renderMeeting(toEvent({ ...event, ...fields }), [])))).toMatchObject(read);
});

test('omits missing times from the front matter', () => {
  const markdown = renderMeeting(toEvent({ id: 'e1', title: 'Kickoff', start_at: null }), []);
  expect(readFrontMatter(markdown)).toBe('id: "e1"\ntitle: "Kickoff"\nattendees: []\nrecordings: []');
});
