import { createServer } from 'node:http';
import { recordingOf } from './meetings.ts';

/**
 * A service of so many meetings that answers from memory and does nothing else, so that what is measured against
 * it is the client alone: `plain-server.ts MEETINGS TURNS`, of each so many turns are told. It says its address on stderr.
 */
const [meetings = 0, turns = 0] = process.argv.slice(2).map(Number);
const at = '2026-05-04T00:00:00.000Z';

const eventOf = (index: number) => ({
  id: `e${index}`,
  title: `Meeting ${index}`,
  start_at: '2026-04-01T09:00:00.000+09:00',
  end_at: '2026-04-01T09:10:00.000+09:00',
  conference_link: null,
  conference_type: null,
  attendees: [{ email: 'ada@example.com' }, { email: 'grace@example.com' }],
  recordings: [{ id: `r${index}`, status: 'done', started_at: at, ended_at: at, audio_duration: 600 }],
  created_at: at,
  updated_at: at,
});
const bodyOf = (seed: number) => {
  const { transcript, ...recording } = recordingOf(seed);
  return JSON.stringify({ ...recording, transcript: transcript?.slice(0, turns) }).slice(1);
};
// A few are enough: each answer differs only in its ids.
const bodies = Array.from({ length: 16 }, (_, seed) => bodyOf(seed));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  response.setHeader('content-type', 'application/json');
  const [, id] = /^\/v1\/recordings\/r(\d+)$/.exec(pathname) ?? [];
  if (id !== undefined) {
    const head = `{"data":{"id":"r${id}","calendar_event_id":"e${id}","created_at":"${at}","updated_at":"${at}",`;
    return response.end(`${head}${bodies[Number(id) % bodies.length]}}`);
  }
  const after = Number(searchParams.get('after'));
  const end_cursor = Math.min(meetings, after + Number(searchParams.get('first')));
  const data = Array.from({ length: end_cursor - after }, (_, index) => eventOf(after + index));
  const pagination = { end_cursor, has_next_page: end_cursor < meetings, total_count: meetings };
  return response.end(JSON.stringify({ data, pagination }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
