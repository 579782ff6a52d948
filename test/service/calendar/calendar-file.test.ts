import { expect, test } from 'vitest';
import { readCalendar } from '../../../src/service/calendar/calendar-file.ts';

const context = { now: new Date('2024-06-03T12:00:00Z'), timeZone: 'America/Sao_Paulo' };

/** Builds an iCalendar file with CRLF and folded lines. */
function buildCalendar(...lines: string[]) {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\r\n');
  return { name: 'my.ics', text: text.replace(/[^\r\n]{60}(?=[^\r\n])/g, '$&\r\n ') };
}

function buildEvent(...lines: string[]): string[] {
  return [
    'BEGIN:VEVENT',
    ...(lines.some((line) => line.startsWith('UID')) ? [] : ['UID:u1']),
    ...lines,
    'END:VEVENT',
  ];
}

const plantZone = [
  'BEGIN:VTIMEZONE',
  'TZID:Plant time',
  'BEGIN:STANDARD',
  'DTSTART:19701025T030000',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10',
  'TZOFFSETFROM:+0530',
  'TZOFFSETTO:+0430',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:19700329T020000',
  'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3',
  'TZOFFSETFROM:+0430',
  'TZOFFSETTO:+0530',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
];

async function readTimes(...lines: string[]): Promise<string[]> {
  const { meetings } = await readCalendar(buildCalendar(...lines), context);
  return meetings.map(({ start_at, end_at }) => `${start_at} ${end_at}`);
}

test('converts an event to a meeting', async () => {
  const file = buildCalendar(
    ...buildEvent(
      'SUMMARY:Freezer 7\\, once more',
      'DTSTART:20240501T090000Z',
      'DTEND:20240501T094500Z',
      'ORGANIZER;CN=Mina Seo:mailto:Mina@tide.example',
      'ATTENDEE;CN="Kim, Jiwoo";PARTSTAT=ACCEPTED:MAILTO:jiwoo.kim@hanbit-cold.example',
      'ATTENDEE:mailto:mina@tide.example',
      'ATTENDEE:urn:uuid:5',
      'LOCATION:Room 4 / https://acme.zoom.us/j/123?pwd=x.',
    ),
  );
  expect(await readCalendar({ ...file, text: `\uFEFF${file.text}` }, context)).toEqual({
    meetings: [
      {
        source: 'u1',
        title: 'Freezer 7, once more',
        start_at: '2024-05-01T09:00:00.000+00:00',
        end_at: '2024-05-01T09:45:00.000+00:00',
        conference_link: 'https://acme.zoom.us/j/123?pwd=x',
        conference_type: 'Zoom',
        attendees: ['Mina@tide.example', 'jiwoo.kim@hanbit-cold.example'],
      },
    ],
    skipped: { all_day: 0, cancelled: 0, older: 0 },
    problems: [],
  });
});

test.each([
  ['Central Standard Time', '-05:00'],
  ['Central Standard Time (Mexico)', '-06:00'],
  ['Russia Time Zone 10', '+11:00'],
  ['UTC-11', '-11:00'],
  ['GMT', '+00:00'],
  ['UTC', '+00:00'],
  ['GMT Standard Time', '+01:00'],
])('reads a time in %s', async (zone, offset) => {
  const [times] = await readTimes(...buildEvent(`DTSTART;TZID=${zone}:20240501T090000`));
  expect(times?.split(' ')[0]).toBe(`2024-05-01T09:00:00.000${offset}`);
});

test('ignores a time zone that cannot be read', async () => {
  const zone = plantZone.map((line) => (line.startsWith('TZID') ? 'TZID:Asia/Seoul' : line));
  const event = buildEvent('UID:a', 'DTSTART;TZID=Asia/Seoul:20240501T090000');
  expect(await readTimes(...zone, ...event)).toEqual([expect.stringContaining('+05:30')]);
  expect(await readTimes(...zone.toSpliced(2, 0, 'half a line'), ...event)).toEqual([
    expect.stringContaining('+09:00'),
  ]);
});

test('takes the address of a guest from EMAIL, and leaves out rooms and guests who declined', async () => {
  const file = buildCalendar(
    ...buildEvent(
      'DTSTART:20240501T090000Z',
      'ORGANIZER;CN=Boss;EMAIL=boss@a.example:mailto:2_GEYDC@imip.me.com',
      'ATTENDEE;CN=Ada:ada@a.example',
      'ATTENDEE;CN=Room;CUTYPE=ROOM:mailto:room@a.example',
      'ATTENDEE;CN=Projector;CUTYPE=Resource:mailto:projector@a.example',
      'ATTENDEE;CN=Dec;PARTSTAT=DECLINED:mailto:dec@a.example',
      'ATTENDEE;CN=Boss;PARTSTAT=declined;EMAIL=Boss@a.example:/aMTIz/principal/',
      'ATTENDEE;CN=NoMail:invalid:nomail',
      'ATTENDEE:urn:uuid:1234',
      'ATTENDEE;EMAIL=em@a.example;CN=X:/aMTIz/principal/',
    ),
  );
  const { meetings } = await readCalendar(file, context);
  expect(meetings[0]?.attendees).toEqual(['ada@a.example', 'em@a.example']);
});

const berlin = 'Europe/Berlin';

test.each([
  ['UTC', 'DTSTART:20240501T090000Z', 'DTEND:20240501T100000Z', '09:00+00:00 10:00+00:00'],
  ['floating', 'DTSTART:20240501T090000', 'DTEND:20240501T100000', '09:00-03:00 10:00-03:00'],
  ['of the file', 'DTSTART;TZID=Plant time:20240501T090000', 'DURATION:PT1H30M', '09:00+05:30 10:30+05:30'],
  ['IANA', 'DTSTART;TZID=Asia/Seoul:20240501T090000', 'DURATION:PT15M', '09:00+09:00 09:15+09:00'],
  [
    'IANA behind a path',
    `DTSTART;TZID=/mozilla.org/20070129_1/${berlin}:20240501T090000`,
    'DURATION:PT15M',
    '09:00+02:00 09:15+02:00',
  ],
  [
    'two zones',
    'DTSTART;TZID=Europe/London:20240501T090000',
    'DTEND;TZID=Europe/Paris:20240501T110000',
    '09:00+01:00 11:00+02:00',
  ],
  [
    'of Windows',
    'DTSTART;TZID=W. Europe Standard Time:20240501T090000',
    'DTEND;TZID="Tokyo Standard Time":20240501T170000',
    '09:00+02:00 17:00+09:00',
  ],
  ['no end', 'DTSTART:20240501T090000Z', 'CLASS:PUBLIC', '09:00+00:00 09:00+00:00'],
])('reads a time in its own zone: %s', async (_, start, end, times) => {
  const expected = times.replace(/(\d\d:\d\d)([+-])/g, '2024-05-01T$1:00.000$2');
  expect(await readTimes(...plantZone, ...buildEvent(start, end))).toEqual([expected]);
});

test.each([
  ['skipped', '20240331T023000', '2024-03-31T02:30:00.000+01:00'],
  ['before the skip', '20240331T013000', '2024-03-31T01:30:00.000+01:00'],
  ['after the skip', '20240331T033000', '2024-03-31T03:30:00.000+02:00'],
  ['twice', '20241027T023000', '2024-10-27T02:30:00.000+02:00'],
  ['after both', '20241027T033000', '2024-10-27T03:30:00.000+01:00'],
])('reads a local time that is %s when the clocks change', async (_, localTime, start) => {
  const [times] = await readTimes(...buildEvent(`DTSTART;TZID=Europe/Berlin:${localTime}`));
  expect(times).toBe(`${start} ${start}`);
});

test('keeps both offsets of an event during which the clocks change', async () => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20240331T010000', 'DTEND;TZID=Europe/Berlin:20240331T040000'];
  expect(await readTimes(...buildEvent(...lines))).toEqual([
    '2024-03-31T01:00:00.000+01:00 2024-03-31T04:00:00.000+02:00',
  ]);
});

test.each([
  ['20240331T013000', 'PT2H', '2024-03-31T04:30:00.000+02:00'],
  ['20240331T024500', 'PT15M', '2024-03-31T04:00:00.000+02:00'],
  ['20241027T013000', 'PT3H', '2024-10-27T03:30:00.000+01:00'],
  ['20240330T120000', 'P1D', '2024-03-31T12:00:00.000+02:00'],
  ['20240330T120000', 'PT24H', '2024-03-31T13:00:00.000+02:00'],
  ['20240324T120000', 'P1W', '2024-03-31T12:00:00.000+02:00'],
  ['20240330T120000', 'P1DT12H', '2024-04-01T00:00:00.000+02:00'],
])('ends an event of %s after %s, exact in hours and local in days', async (start, duration, end) => {
  const [times] = await readTimes(
    ...buildEvent(`DTSTART;TZID=Europe/Berlin:${start}`, `DURATION:${duration}`),
  );
  expect(times?.split(' ')[1]).toBe(end);
});

test('gives each occurrence the duration, even if the clocks change', async () => {
  const lines = ['DTSTART;TZID=Europe/Berlin:20240330T010000', 'DURATION:PT3H', 'RRULE:FREQ=DAILY;COUNT=2'];
  expect(await readTimes(...buildEvent(...lines))).toEqual([
    '2024-03-31T01:00:00.000+01:00 2024-03-31T05:00:00.000+02:00',
    '2024-03-30T01:00:00.000+01:00 2024-03-30T04:00:00.000+01:00',
  ]);
});

const weekly = ['DTSTART;TZID=Europe/Berlin:20240318T090000', 'DTEND;TZID=Europe/Berlin:20240318T093000'];

test.each([
  ['up to now', ['RRULE:FREQ=WEEKLY;INTERVAL=4'], ['05-13 +02', '04-15 +02', '03-18 +01']],
  ['until a moment', ['RRULE:FREQ=WEEKLY;UNTIL=20240401T070000Z'], ['04-01 +02', '03-25 +01', '03-18 +01']],
  ['until a local time', ['RRULE:FREQ=WEEKLY;UNTIL=20240325T083000'], ['03-18 +01']],
  ['until a day', ['RRULE:FREQ=WEEKLY;UNTIL=20240325'], ['03-25 +01', '03-18 +01']],
  ['a number of times', ['RRULE:FREQ=WEEKLY;COUNT=2'], ['03-25 +01', '03-18 +01']],
  [
    'except for some, even after an exclusion that matches nothing',
    [
      'RRULE:FREQ=WEEKLY;COUNT=4',
      'EXDATE;TZID=Europe/Berlin:20240319T090000,20240320T090000,20240401T090000',
      'EXDATE:20240325T080000Z',
    ],
    ['04-08 +02', '03-18 +01'],
  ],
  ['except for a day', ['RRULE:FREQ=WEEKLY;COUNT=2', 'EXDATE;VALUE=DATE:20240318'], ['03-25 +01']],
  ['on further dates', ['RDATE;TZID=Europe/Berlin:20240320T090000'], ['03-20 +01', '03-18 +01']],
  ['in further periods', ['RDATE;VALUE=PERIOD:20240320T080000Z/PT2H'], ['03-20 +00', '03-18 +01']],
])('expands an event that repeats %s', async (_, lines, days) => {
  const times = await readTimes(...buildEvent(...weekly, ...lines));
  expect(times.map((time) => time.replace(/^2024-(\S{5})T\S{12}(...):00 .*/, '$1 $2'))).toEqual(days);
});

test('identifies occurrences by their time in the rule, even if one is moved or cancelled', async () => {
  const file = buildCalendar(
    ...buildEvent(...weekly, 'SUMMARY:Weekly', 'RRULE:FREQ=WEEKLY;COUNT=4'),
    ...buildEvent(
      'RECURRENCE-ID:20240325T080000Z',
      'DTSTART;TZID=Asia/Seoul:20240326T100000',
      'SUMMARY:Moved',
    ),
    ...buildEvent('RECURRENCE-ID;TZID=Europe/Berlin:20240401T090000', weekly[0] ?? '', 'STATUS:CANCELLED'),
    ...buildEvent(
      'UID:alone',
      'RECURRENCE-ID:20240501T080000Z',
      'DTSTART:20240501T083000Z',
      'SUMMARY:Invited once',
    ),
  );
  const { meetings, skipped } = await readCalendar(file, context);
  expect(meetings.map(({ source, title, start_at }) => [source, title, start_at])).toEqual([
    ['alone 2024-05-01T08:00:00.000+00:00', 'Invited once', '2024-05-01T08:30:00.000+00:00'],
    ['u1 2024-04-08T07:00:00.000+00:00', 'Weekly', '2024-04-08T09:00:00.000+02:00'],
    ['u1 2024-03-25T08:00:00.000+00:00', 'Moved', '2024-03-26T10:00:00.000+09:00'],
    ['u1 2024-03-18T08:00:00.000+00:00', 'Weekly', '2024-03-18T09:00:00.000+01:00'],
  ]);
  expect(skipped).toEqual({ all_day: 0, cancelled: 1, older: 0 });
});

test('keeps the latest 1,000 occurrences of an event that repeats without end', async () => {
  const lines = ['DTSTART:20200101T090000Z', 'RRULE:FREQ=DAILY'];
  const { meetings, skipped } = await readCalendar(buildCalendar(...buildEvent(...lines)), context);
  expect([meetings.length, meetings[0]?.start_at, meetings.at(-1)?.start_at, skipped.older]).toEqual([
    1000,
    '2024-06-03T09:00:00.000+00:00',
    '2021-09-08T09:00:00.000+00:00',
    616,
  ]);
});

test('skips and counts all-day and cancelled events, and names an event without a title', async () => {
  const file = buildCalendar(
    ...buildEvent('UID:a', 'DTSTART;VALUE=DATE:20240501', 'RRULE:FREQ=YEARLY'),
    ...buildEvent('UID:b', 'DTSTART:20240501T090000Z', 'RRULE:FREQ=DAILY', 'STATUS:CANCELLED'),
    ...buildEvent('UID:c', 'DTSTART:20990501T090000Z'),
    ...buildEvent('UID:d', 'DTSTART:20240501T090000Z', 'SEQUENCE:2', 'SUMMARY:Second'),
    ...buildEvent('UID:d', 'DTSTART:20240501T080000Z', 'SEQUENCE:1', 'SUMMARY:First'),
  );
  const { meetings, skipped } = await readCalendar(file, context);
  expect(meetings.map(({ source, title }) => `${source} ${title}`)).toEqual([
    'c Untitled meeting',
    'd Second',
  ]);
  expect(skipped).toEqual({ all_day: 1, cancelled: 1, older: 0 });
});

test('skips all events of a METHOD:CANCEL calendar, and reads two calendars in one file', async () => {
  const cancelled = buildCalendar('METHOD:CANCEL', ...buildEvent('DTSTART:20240501T090000Z'));
  const other = buildCalendar(...buildEvent('DTSTART:20240502T090000Z'));
  const { meetings, skipped } = await readCalendar({ name: 'a', text: cancelled.text + other.text }, context);
  expect([meetings.length, skipped.cancelled]).toEqual([1, 1]);
});

test.each([
  ['X-GOOGLE-CONFERENCE:https://meet.google.com/abc-def', 'Google Meet', 'https://meet.google.com/abc-def'],
  [
    'X-MICROSOFT-SKYPETEAMSMEETINGURL:https://teams.microsoft.com/l/meetup-join/19%3a?context=%7b',
    'Microsoft Teams',
    'https://teams.microsoft.com/l/meetup-join/19%3a?context=%7b',
  ],
  ['URL:https://teams.live.com/meet/94', 'Microsoft Teams', 'https://teams.live.com/meet/94'],
  ['LOCATION:https://whereby.com/tide', 'Whereby', 'https://whereby.com/tide'],
  [
    'DESCRIPTION:Notes: https://docs.example/x\\nHelp: https://support.zoom.us/hc\\n<a href="https://zoom.us/j/9?a=1&amp;b=2">Join</a>',
    'Zoom',
    'https://zoom.us/j/9?a=1&b=2',
  ],
  ['URL:https://zoom.us.evil.example/j/1', null, null],
  ['LOCATION:Room 4', null, null],
])('finds in %s a conference on %s', async (line, conference_type, conference_link) => {
  const { meetings } = await readCalendar(
    buildCalendar(...buildEvent('DTSTART:20240501T090000Z', line)),
    context,
  );
  expect(meetings).toMatchObject([{ conference_type, conference_link }]);
});

const time = 'DTSTART:20240501T090000Z';

test.each<[lines: string[], message: string]>([
  [
    ['DTSTART:20240230T090000Z'],
    ', line 5: Cannot read the calendar: "2024-02-30T09:00:00Z" is not a valid time.',
  ],
  [['DTSTART:soon'], ', line 5: Cannot read the calendar: invalid date-time value'],
  [[time, 'RRULE:FREQ=OFTEN'], ', line 6: Cannot read the calendar: invalid frequency'],
  [['half a line'], ', line 5: Expected a property such as SUMMARY:Title, not "half a line".'],
  [['SUMMARY:Never'], ': The event "Never" has no DTSTART.'],
  [['UID:', time], ': The event "Untitled meeting" has no UID.'],
  [
    ['DTSTART;TZID=Mars/Base:20240501T090000'],
    ': Unknown time zone "Mars/Base": use an IANA name such as Europe/Paris, or define it in a VTIMEZONE.',
  ],
  [['SUMMARY:Back', time, 'DTEND:20240501T080000Z'], ': The event "Back" ends before it starts.'],
  [['SUMMARY:Tick', time, 'RRULE:FREQ=SECONDLY'], ': The event "Tick" repeats more than 100000 times.'],
])('names the position of an error: %j', async (lines, message) => {
  await expect(readCalendar(buildCalendar(...buildEvent(...lines)), context)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`my.ics${message}`),
  });
});

test('names the line at which the end of an event is missing', async () => {
  await expect(readCalendar(buildCalendar('BEGIN:VEVENT'), context)).rejects.toMatchObject({
    code: 'usage',
    message: 'my.ics, line 4: Expected END:VEVENT, not END:VCALENDAR.',
  });
});

test('names the events that cannot be read, with all their occurrences, and reads the others', async () => {
  const good = buildEvent('UID:good', 'SUMMARY:Good', 'DTSTART:20240501T090000Z');
  const file = buildCalendar(
    ...buildEvent('UID:zone', 'SUMMARY:Zone', 'DTSTART;TZID=Mars/Base:20240501T090000'),
    ...buildEvent('UID:never', 'SUMMARY:Never'),
    ...buildEvent('UID:series', 'SUMMARY:Series', ...weekly, 'RRULE:FREQ=WEEKLY;COUNT=3'),
    ...buildEvent('UID:series', 'SUMMARY:Moved', 'RECURRENCE-ID:20240230T080000Z', weekly[0] ?? ''),
    ...buildEvent('UID:line', 'SUMMARY:Line', 'DTSTART:20240501T090000Z', 'half a line'),
    ...good.slice(0, -1),
    ...['BEGIN:VALARM', 'TRIGGER:soon', 'half a line', 'END:VALARM', 'END:VEVENT'],
    ...['BEGIN:VTODO', 'DUE:soon', 'half a line', 'END:VTODO'],
  );
  const { meetings, problems } = await readCalendar(file, context);
  expect(meetings.map(({ title }) => title)).toEqual(['Good']);
  expect(problems).toEqual([
    'the event "Zone" (my.ics: Unknown time zone "Mars/Base": use an IANA name such as Europe/Paris, or define it in a VTIMEZONE)',
    'the event "Never" (my.ics: The event "Never" has no DTSTART)',
    'the event "Moved" (my.ics, line 22: Cannot read the calendar: "2024-02-30T08:00:00Z" is not a valid time)',
    'the event "Line" (my.ics, line 29: Expected a property such as SUMMARY:Title, not "half a line")',
  ]);
});

test.each([
  ['Hello', 'x.ics, line 1: Not an iCalendar file: it must begin with BEGIN:VCALENDAR.'],
  ['', 'x.ics: Not an iCalendar file: it must begin with BEGIN:VCALENDAR.'],
  ['BEGIN:VCARD\nEND:VCARD\n', 'x.ics: Not an iCalendar file: it must begin with BEGIN:VCALENDAR.'],
  ['BEGIN:VCALENDAR\nSUMMARY:a\0b', 'x.ics, line 2: The file contains a NUL character. Save it as UTF-8.'],
  ['BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1', 'x.ics: The file is truncated: END:VCALENDAR is missing.'],
])('refuses %j, which is not a calendar', async (text, message) => {
  await expect(readCalendar({ name: 'x.ics', text }, context)).rejects.toMatchObject({
    code: 'usage',
    message,
  });
});
