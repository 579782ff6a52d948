import { expect, test } from 'vitest';
import { createDemoMachine, createMachine } from '../../support/kith.ts';
import { connectInProcess } from '../mcp/agent.ts';
import {
  createContact,
  createMeeting,
  smallWorkspace,
  startRelationshipService,
} from './relationship-service.ts';

const now = new Date('2026-11-20T10:00:00Z');

test('checks the boxes of action items that are done', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('actions list --where "event_id = 20dz7n" --fields id --no-header');
  await kith(`actions done ${out.split('\n')[1]}`);
  const { out: screen } = await kith('events show latest', { now });
  expect(screen.match(/^ {2}\[.\]/gm)).toEqual(['  [ ]', '  [x]', '  [ ]']);
});

test('finds a meeting by the id of its recording', async () => {
  const kith = createDemoMachine();
  expect((await kith('events show nk63yk')).out).toMatch(/^七つ目の印\nID +20dz7n\n/);
  expect((await kith('events get nk63yk --fields id --no-header')).out).toBe('20dz7n\n');
  expect(await kith('events get nk63yx')).toMatchObject({ code: 3, out: '' });
});

test('shows a meeting with its attendees, summary, action items and recordings', async () => {
  const { code, out, err } = await createDemoMachine()('events show k0kw50 --tz Asia/Seoul', {
    now,
    terminal: 80,
    env: { NO_COLOR: '1' },
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(`\n${out}`).toBe(`
인천, 한 장으로
ID               k0kw50
Time             2026-11-12 11:00 to 11:30 Asia/Seoul (30 min)
Conference link  https://zoom.example/j/86127740
Conference type  Zoom

Attendees
  mina@tidewater.example
  김지우                  한빛물류  jiwoo.kim@hanbit-cold.example
  오민재                  한빛물류  minjae.oh@hanbit-cold.example

Summary
  인천 8개 룸 제안을 박도현 대표에게 슬라이드 한 장으로 보여 드리기로 하고,
  무엇을 남길지 정했다. 도면과 금액, 그리고 문 반장의 한마디만 남긴다. 12월 첫
  주 발표 전에 손잡이 열선 비용을 따로 확인한다.

Action items
  [ ] 서미나가 슬라이드 한 장을 화요일까지 만들어 해나와 함께 검토한다.
  [ ] 오민재가 인천 시공사에 손잡이 열선 견적을 받는다.
  [ ] 김지우가 12월 첫 주에 박도현 대표 시간을 20분 잡는다.

Recordings
  mk4x2w  done  kith meetings transcript mk4x2w  2026-11-12 11:00  3 min
`);
});

test('prints the attendees, texts and recordings of a meeting as JSON', async () => {
  const kith = createDemoMachine();
  const document = JSON.parse((await kith('events show k0kw50 --json', { now })).out);
  expect(document.event).toEqual(JSON.parse((await kith('events get k0kw50 --json')).out));
  const { summary, action_items } = JSON.parse((await kith('recordings summary mk4x2w --json')).out);
  expect(document).toMatchObject({
    attendees: [
      { email: 'mina@tidewater.example', name: null, organization_id: null, organization: null },
      { name: '김지우', organization_id: 'rl16pk', organization: '한빛물류' },
      { name: '오민재' },
    ],
    summary,
    action_items,
    recordings: [{ id: 'mk4x2w', status: 'done', summary, action_items }],
  });
});

const meeting = {
  ...createMeeting(1, '2026-11-18T23:30:00+09:00'),
  end_at: '2026-11-19T01:00:00+09:00',
  attendees: [1, 2, 3].map((number) => ({ email: `Person${number}@acme.example` })),
  recordings: ['r1', 'r2'].map((id) => ({ id, status: 'done' })),
};
const records = {
  ...smallWorkspace,
  '/v1/contacts': [createContact(1), createContact(2), createContact(3, { organization_id: null })],
  '/v1/calendar_events': [meeting],
  '/v1/recordings': ['r1', 'r2'].map((id) => ({ id, status: 'done', summary: { summary: `Part ${id}.` } })),
};

test('shows each summary of a meeting with several recordings, and reads few pages for its attendees', async () => {
  const { env, requests } = await startRelationshipService(records);
  const { code, out } = await createMachine()('events show m1 --tz Asia/Seoul', { env, now });
  expect(code).toBe(0);
  expect(out).toBe(`Meeting 1
ID    m1
Time  2026-11-18 23:30 to 2026-11-19 01:00 Asia/Seoul (1 h 30 min)

Attendees
  Person 1  Acme  Person1@acme.example
  Person 2  Acme  Person2@acme.example
  Person 3        Person3@acme.example

Summary of recording r1
  Part r1.

Summary of recording r2
  Part r2.

Recordings
  r1  done  kith meetings transcript r1
  r2  done  kith meetings transcript r2

No action items.
`);
  expect(requests.map(({ url }) => url.replace(/\?.*/, '')).sort()).toEqual([
    '/v1/calendar_events/m1',
    '/v1/contacts',
    '/v1/organizations/o1',
    '/v1/recordings/r1',
    '/v1/recordings/r2',
  ]);
});

test('shows the rest of a meeting if a section cannot be read, and exits with 6', async () => {
  const { env } = await startRelationshipService(records, (path) =>
    ['/v1/contacts', '/v1/recordings/r2'].includes(path)
      ? { status: 400, body: { message: `Broken: ${path}.` } }
      : undefined,
  );
  const kith = createMachine();
  const { code, out, err } = await kith('events show m1', { env, now });
  expect({ code, err }).toEqual({
    code: 6,
    err: 'kith: Not shown: attendees (Broken: /v1/contacts.); summary of "Meeting 1" (Broken: /v1/recordings/r2.)\n',
  });
  expect(out).toContain('Not available: Broken: /v1/contacts.\n');
  expect(out).toContain('Person1@acme.example, Person2@acme.example');
  expect(out).toContain('Part r1.\n');
  expect(JSON.parse((await kith('events show m1 --json', { env, now })).out)).toMatchObject({
    attendees: null,
    summary: 'Part r1.',
  });
});

test('the MCP server reads a meeting and its recordings by title or latest', async () => {
  const { call } = await connectInProcess(createDemoMachine(), {});
  const { text, isError } = await call('records_show', { noun: 'events', id: 'nose' });
  expect({ isError, title: JSON.parse(text).event.title }).toEqual({
    isError: false,
    title: 'The nose and the cat',
  });
  expect(await call('recordings_read', { part: 'summary', id: 'nose' })).toMatchObject({
    isError: false,
    text: expect.stringMatching(/^## Summary\n/),
  });
});
