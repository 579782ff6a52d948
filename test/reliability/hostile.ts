import { answer, loopback } from '../client/loopback.ts';

/** A text that would clear the screen, rename the window, write the clipboard, and hide or reverse the following text. */
export const hostile =
  'Ada\u001b[2J\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b]8;;https://evil.example\u001b\\Lovelace\u009b31m\u202egnp.exe\u2066\rno\u0000\b\b\u2028\ud83dx\u{e0041}end';

/** Returns a record with every field that any command shows, all of them hostile. */
export const record = (id: string) => ({
  id,
  ...Object.fromEntries(
    ['title', 'name', 'first_name', 'last_name', 'body', 'identifier', 'status_label', 'entry_label'].map(
      (name) => [name, hostile],
    ),
  ),
  emails: [hostile, 'ada@x.example'],
  phone_numbers: [hostile],
  domains: [hostile],
  organization_id: hostile,
  [`key ${hostile}`]: hostile,
  custom_fields: [{ name: hostile, value: [hostile] }],
  list_fields: [{ name: hostile, value: hostile }],
  fields: [{ name: hostile, data_type: 'text', options: [hostile] }],
  statuses: [{ name: hostile, type: 'active' }],
  status: 'done',
  process: true,
  process_status: hostile,
  status_name: hostile,
  key: hostile,
  assignee: hostile,
  data_type: 'text',
  model: 'contact',
  entry_type: 'Contact',
  entryable_type: 'Contact',
  entryable_id: hostile,
  estimated_value: { one_time: 1, recurring: null, period: hostile },
  start_at: `2026-05-01T09:00:00Z ${hostile}`,
  end_at: hostile,
  updated_at: '2026-05-01T09:00:00Z',
  created_at: hostile,
  attendees: [{ email: hostile, name: hostile }],
  conference_link: hostile,
  recordings: [
    { id: 'r1', status: 'done' },
    { id: 'bad', status: 'done' },
  ],
  summary: { summary: `# ${hostile}\n\n- ${hostile}`, [hostile]: [hostile] },
  transcript: [
    {
      participant: { name: hostile },
      words: [{ text: hostile, start_timestamp: { relative: 1 } }, { text: 'needle' }],
      language_code: hostile,
    },
  ],
});

export const body = JSON.stringify({
  data: [record('r1')],
  pagination: { end_cursor: 1, has_next_page: false, total_count: 1 },
});

/** Starts a service with hostile responses; it responds to the id `bad` with errors. */
export async function hostileService(): Promise<string> {
  const { url } = await loopback(({ url, method }, response) => {
    const path = url.split('?')[0] ?? '';
    const request_id = { 'x-request-id': 'a\u009b31mb' };
    if (path.endsWith('/bad') || method !== 'GET') {
      const errors = [
        { pointer: `/${hostile}`, code: 'x', message: hostile, detail: hostile },
        { pointer: '/b', code: 'y', message: hostile, detail: hostile },
      ];
      const problem = { title: hostile, detail: hostile, error: hostile, message: hostile, errors };
      return answer(response, path.endsWith('/bad') ? 422 : 409, problem, request_id);
    }
    const isList = /\/(contacts|organizations|notes|custom_fields|lists|entries|calendar_events)$/.test(path);
    response.writeHead(200, { 'content-type': 'application/json', ...request_id });
    response.end(isList ? body : JSON.stringify({ data: record('r1') }));
  });
  return url;
}
