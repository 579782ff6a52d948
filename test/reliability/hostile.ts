import { createPage, sendJson, startTestService } from '../client/loopback.ts';

/** A text that would clear the screen, rename the window, write the clipboard, and hide or reverse the following text. */
export const hostileText =
  'Ada\u001b[2J\u001b]0;owned\u0007\u001b]52;c;b3duZWQ=\u0007\u001b]8;;https://evil.example\u001b\\Lovelace\u009b31m\u202egnp.exe\u2066\rno\u0000\b\b\u2028\ud83dx\u{e0041}end';

/** Returns a record with every field that any command shows, all of them hostile. */
export const createHostileRecord = (id: string) => ({
  id,
  ...Object.fromEntries(
    ['title', 'name', 'first_name', 'last_name', 'body', 'identifier', 'status_label', 'entry_label'].map(
      (name) => [name, hostileText],
    ),
  ),
  emails: [hostileText, 'ada@x.example'],
  phone_numbers: [hostileText],
  domains: [hostileText],
  organization_id: hostileText,
  [`key ${hostileText}`]: hostileText,
  custom_fields: [{ name: hostileText, value: [hostileText] }],
  list_fields: [{ name: hostileText, value: hostileText }],
  fields: [{ name: hostileText, data_type: 'text', options: [hostileText] }],
  statuses: [{ name: hostileText, type: 'active' }],
  status: 'done',
  process: true,
  process_status: hostileText,
  status_name: hostileText,
  key: hostileText,
  assignee: hostileText,
  data_type: 'text',
  model: 'contact',
  entry_type: 'Contact',
  entryable_type: 'Contact',
  entryable_id: hostileText,
  estimated_value: { one_time: 1, recurring: null, period: hostileText },
  start_at: `2026-05-01T09:00:00Z ${hostileText}`,
  end_at: hostileText,
  updated_at: '2026-05-01T09:00:00Z',
  created_at: hostileText,
  attendees: [{ email: hostileText, name: hostileText }],
  conference_link: hostileText,
  recordings: [
    { id: 'r1', status: 'done' },
    { id: 'bad', status: 'done' },
  ],
  summary: { summary: `# ${hostileText}\n\n- ${hostileText}`, [hostileText]: [hostileText] },
  transcript: [
    {
      participant: { name: hostileText },
      words: [{ text: hostileText, start_timestamp: { relative: 1 } }, { text: 'needle' }],
      language_code: hostileText,
    },
  ],
});

export const hostileList = JSON.stringify(createPage([createHostileRecord('r1')]));

/** Starts a service with hostile responses; it responds to the id `bad` with errors. */
export const startHostileService = () =>
  startTestService(({ url, method }, response) => {
    const path = url.split('?')[0] ?? '';
    const request_id = { 'x-request-id': 'a\u009b31mb' };
    if (path.endsWith('/bad') || method !== 'GET') {
      const errors = [
        { pointer: `/${hostileText}`, code: 'x', message: hostileText, detail: hostileText },
        { pointer: '/b', code: 'y', message: hostileText, detail: hostileText },
      ];
      const errorBody = {
        title: hostileText,
        detail: hostileText,
        error: hostileText,
        message: hostileText,
        errors,
      };
      return sendJson(response, path.endsWith('/bad') ? 422 : 409, errorBody, request_id);
    }
    const isList = /\/(contacts|organizations|notes|custom_fields|lists|entries|calendar_events)$/.test(path);
    response.writeHead(200, { 'content-type': 'application/json', ...request_id });
    response.end(isList ? hostileList : JSON.stringify({ data: createHostileRecord('r1') }));
  });
