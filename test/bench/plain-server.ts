import { createServer } from 'node:http';
import { recordingOf } from './meetings.ts';

/**
 * A service of so many meetings that answers from memory and does nothing else, so that what is measured against
 * it is the client alone: `plain-server.ts MEETINGS`. It says its address on stderr.
 */
const meetings = Number(process.argv[2]);
const at = '2026-05-04T00:00:00.000Z';

const events = Array.from({ length: meetings }, (_, index) => ({
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
}));
// A few are enough: each answer differs only in its ids.
const bodies = Array.from({ length: 16 }, (_, seed) => JSON.stringify(recordingOf(seed)).slice(1));

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
  response.setHeader('content-type', 'application/json');
  const [, id] = /^\/v1\/recordings\/r(\d+)$/.exec(pathname) ?? [];
  if (id !== undefined) {
    const head = `{"data":{"id":"r${id}","calendar_event_id":"e${id}","created_at":"${at}","updated_at":"${at}",`;
    return response.end(`${head}${bodies[Number(id) % bodies.length]}}`);
  }
  const after = Number(searchParams.get('after'));
  const data = events.slice(after, after + Number(searchParams.get('first')));
  const end_cursor = after + data.length;
  const pagination = { end_cursor, has_next_page: end_cursor < meetings, total_count: meetings };
  return response.end(JSON.stringify({ data, pagination }));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stderr.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
