import { findResponse, sendJson, startTestService } from '../../client/loopback.ts';

type TestRecord = Readonly<Record<string, unknown>>;

const times = { created_at: '2026-01-02T03:04:05.000Z', updated_at: '2026-01-02T03:04:05.000Z' };

/** Returns what is said by one speaker. */
const createTranscript = (text: string) => [
  { participant: { name: 'Mina' }, words: text.split(' ').map((text) => ({ text })), language_code: 'en' },
];

/** The records of a service, which a test may change. */
export const createRecords = () => ({
  contacts: [
    { id: 'c1', first_name: 'Zoë', last_name: 'Müller', emails: ['zoe@kühl.example'], ...times },
    { id: 'c2', first_name: '지우', last_name: '김', phone_numbers: ['+821055501234'], ...times },
    {
      id: 'c3',
      first_name: 'أَحْمَد',
      last_name: 'حسن',
      custom_fields: { f1: { name: 'Role', value: 'Buyer' } },
      ...times,
    },
  ] as TestRecord[],
  organizations: [
    { id: 'o1', name: '한빛물류'.normalize('NFD'), domains: ['hanbit.example'], ...times },
    { id: 'o2', name: 'コールドチェーン', domains: [], ...times },
  ] as TestRecord[],
  notes: [
    { id: 'n1', organization_id: 'o1', body: 'Asked for a barometer.\nCall in May.', ...times },
  ] as TestRecord[],
  lists: [
    { id: 'l1', name: 'Sales pipeline', process: true, entry_type: 'Contact', ...times },
  ] as TestRecord[],
  entries: [
    {
      id: 'e1',
      key: 'DEAL-7',
      status: 'Proposal',
      entryable_id: 'c1',
      entryable_type: 'Contact',
      list_fields: {},
      ...times,
    },
  ] as TestRecord[],
  meetings: [
    {
      id: 'm1',
      title: 'Freezer review',
      start_at: '2026-05-04T09:00:00+09:00',
      attendees: [{ email: 'zoe@kühl.example' }],
      recordings: [
        { id: 'r1', status: 'done' },
        { id: 'r2', status: 'processing' },
      ],
      ...times,
    },
  ] as TestRecord[],
  recordings: new Map<string, TestRecord>([
    [
      'r1',
      {
        id: 'r1',
        status: 'done',
        summary: { summary: 'The mackerel thawed.', action_items: ['Order a hygrometer'] },
        transcript: createTranscript(`Good morning ${'and so on '.repeat(60)} the barometer fell`),
      },
    ],
  ]),
});

/** Starts a service with records until the test ends. `respond` may answer a request instead. */
export async function startRecordService(
  records = createRecords(),
  respond: (path: string) => number | undefined = () => undefined,
) {
  const service = await startTestService(({ url }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://service');
    const status = respond(url);
    if (status !== undefined) return sendJson(response, status, { error: 'refused' });
    const [, id = ''] = /^\/v1\/recordings\/(.+)$/.exec(pathname) ?? [];
    const recording = records.recordings.get(id);
    if (recording) return sendJson(response, 200, { data: recording });
    const since = Number(searchParams.get('updated_after') ?? 0) * 1000;
    const listUpdated = (list: readonly TestRecord[]) =>
      list.filter(({ updated_at }) => !(Date.parse(`${updated_at}`) <= since));
    const lists = {
      '/v1/contacts': listUpdated(records.contacts),
      '/v1/organizations': listUpdated(records.organizations),
      '/v1/notes': listUpdated(records.notes),
      '/v1/lists': listUpdated(records.lists),
      '/v1/lists/l1/entries': listUpdated(records.entries),
      '/v1/calendar_events': listUpdated(records.meetings),
    };
    sendJson(response, ...findResponse(url, lists));
  });
  return { ...service, records };
}
