import { isDeepStrictEqual } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openWorkspace } from '../../src/service/db/open.ts';
import { createService } from '../../src/service/dispatch.ts';
import { createWorkspaces } from '../../src/service/workspace.ts';
import { createEmptyWorkspace } from '../support/kith.ts';
import { countRounds, seed } from '../support/rounds.ts';
import { createTestDatabase, requirePostgres } from '../support/test-database.ts';
import { createRandomSequence, firstRequests } from './random-sequence.ts';

beforeEach(requirePostgres);

const calendar = (index: number) => `BEGIN:VCALENDAR\r
BEGIN:VEVENT\r
UID:event-${index}@tide.example\r
DTSTART:2026050${index}T010000Z\r
DTEND:2026050${index}T013000Z\r
ATTENDEE:mailto:a${index}@example1.com\r
SUMMARY:냉동고 ${index}\r
END:VEVENT\r
END:VCALENDAR\r
`;
const subtitles = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Mina Seo>Good morning, 민아.\n';

/** Opens a workspace with three meetings, and the service on it. */
async function openWithMeetings(location: string, now: () => Date, log: (text: string) => void) {
  const machine = { env: {}, now, newId: () => 'id', version: '0.0.0', log };
  const { importEvents, importRecording } = createWorkspaces(machine);
  const db = await openWorkspace(location);
  onTestFinished(() => db.close());
  const imported: unknown[] = [];
  for (const index of [1, 2, 3, 3]) {
    const events = await importEvents(location, { name: 'a.ics', text: calendar(index) });
    const transcript = { name: 'a.vtt', text: subtitles, format: 'vtt' } as const;
    const summary = { name: 'n.md', text: '## Summary\n\nFreezer.\n', format: 'text' } as const;
    const files = { transcript, summary, language: 'ko' };
    const choice = { recording: undefined, isAdded: index === 2 };
    imported.push(events, await importRecording(location, events.records[0]?.id ?? '', files, choice));
  }
  return { imported, service: createService({ db, now, log, checksResponses: true }) };
}

test('random requests get the same responses on SQLite and PostgreSQL', {
  timeout: 1_800_000,
}, async () => {
  let time = Date.UTC(2026, 4, 4);
  const log: string[] = [];
  const open = (location: string) =>
    openWithMeetings(
      location,
      () => new Date(time),
      (text) => void log.push(text),
    );
  const sqlite = await open(createEmptyWorkspace());
  const postgres = await open(await createTestDatabase());
  expect(postgres.imported).toEqual(sqlite.imported);
  const sequence = createRandomSequence(seed);
  for (const index of countRounds(200, 20_000)) {
    const request = firstRequests[index] ?? sequence.next();
    const responses = [await sqlite.service(request), await postgres.service(request)] as const;
    if (log.length > 0 || !isDeepStrictEqual(...responses)) {
      expect({ seed, index, request, log, response: responses[1] }).toEqual({
        ...{ seed, index, request, log: [], response: responses[0] },
      });
    }
    sequence.learn(request, responses[0]);
    time += index % 7 === 0 ? 1000 : 0;
  }
});
