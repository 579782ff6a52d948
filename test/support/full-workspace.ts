import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { createMachine } from './kith.ts';

type Kith = ReturnType<typeof createMachine>;

/** Names with every character that a path dislikes, and names that differ only in case. */
const awkwardNames = [
  '../../etc/passwd',
  'a/b\\c:d*e?f"g<h>i|j',
  'CON',
  'con',
  '.hidden.',
  ' leading and trailing ',
  `${'매우 긴 이름 '.repeat(12)}끝`,
  '\u202Eمقلوب',
  "O'Brien & Söhne — 100% 🚀",
] as const;

const dataTypes = [
  ...['text', 'textarea', 'url', 'number', 'date', 'datetime', 'select', 'user', 'contact'],
] as const;

const isMultipleType = (type: string) => ['select', 'user', 'contact'].includes(type);

/** Returns the definitions of a field of each type; types that accept several values have two fields. */
function defineFields() {
  return dataTypes.flatMap((data_type) => {
    const options = data_type === 'select' ? { options: ['Café', '냉장', 'مبرد'] } : {};
    const single = { name: `A ${data_type}`, data_type, ...options };
    if (!isMultipleType(data_type)) return [single];
    return [
      { ...single, accepts_multiple_values: false },
      { ...single, name: `Many ${data_type}`, accepts_multiple_values: true },
    ];
  });
}

/** Returns a value for each field. `contacts`: the ids of two contacts. */
function createValues([first, second]: readonly [string, string]) {
  return [
    { name: 'A text', value: 'واحد' },
    { name: 'A textarea', value: '첫째 줄\n둘째 줄\n\t"quoted" \\ <b>&amp;</b>' },
    { name: 'A url', value: 'https://example.com/경로?q=1' },
    { name: 'A number', value: -12.5 },
    { name: 'A date', value: '2024-02-29' },
    { name: 'A datetime', value: '2026-01-02T03:04:05.678Z' },
    { name: 'A select', value: '냉장' },
    { name: 'Many select', value: ['Café', 'مبرد'] },
    { name: 'A user', value: 'mina@tidewater.example' },
    { name: 'Many user', value: ['mina@tidewater.example', 'rui@tidewater.example'] },
    { name: 'A contact', value: first },
    { name: 'Many contact', value: [first, second] },
  ];
}

/**
 * Fills a workspace with every type of field, duplicates, closed entries, Korean and Arabic text, awkward names, and
 * (only in a local workspace) a meeting with two recordings.
 */
export async function fillWorkspace(kith: Kith, folder: string): Promise<void> {
  const send = async (path: string, body: object, method = 'POST') => {
    const file = join(folder, 'body.json');
    writeFileSync(file, JSON.stringify(body));
    const { code, out, err } = await kith(['api', path, '-X', method, '--input', file]);
    if (code !== 0) throw new Error(`${method} ${path}: ${err}`);
    return JSON.parse(out) as { readonly id: string };
  };
  for (const model of ['organization', 'contact', 'deal'])
    for (const field of defineFields()) await send('/v1/custom_fields', { ...field, model });
  const organization = await send('/v1/organizations', { name: '한빛물류', domains: ['hanbit.example'] });
  await send('/v1/organizations', { name: '한빛물류' }); // a duplicate
  const people: string[] = [];
  for (const first_name of ['김지우', 'أحمد', 'Same', 'Same', ...awkwardNames])
    people.push(
      (
        await send('/v1/contacts', {
          first_name,
          organization_id: people.length % 2 ? organization.id : null,
        })
      ).id,
    );
  const pair = [people[0], people[1]] as [string, string];
  await send(
    `/v1/contacts/${pair[0]}`,
    {
      emails: ['Jiwoo@Hanbit.example', 'jiwoo+2@hanbit.example'],
      phone_numbers: ['+82 10 5555 0100', '+1 415 555 0100'],
      custom_fields: createValues(pair),
    },
    'PATCH',
  );
  await send(`/v1/organizations/${organization.id}`, { custom_fields: createValues(pair) }, 'PATCH');
  const names = awkwardNames.slice(0, 4);
  for (const name of names) await send('/v1/organizations', { name });
  await fillLists(send, { organization: organization.id, people, pair });
  await importMeetings(kith, folder);
}

async function fillLists(
  send: (path: string, body: object, method?: string) => Promise<{ readonly id: string }>,
  { organization, people, pair }: { organization: string; people: readonly string[]; pair: [string, string] },
): Promise<void> {
  const statuses = [
    { name: 'Open / 진행', type: 'active' },
    { name: 'تم', type: 'won' },
    { name: 'Lost', type: 'lost' },
  ];
  const pipeline = await send('/v1/lists', {
    name: 'Deals: "2026"/1',
    ...{ process: true, entry_type: 'Organization', identifier: 'DEAL', duplicates_allowed: true },
    ...{ entry_label: '거래', status_label: 'الحالة', statuses, fields: defineFields() },
  });
  for (const [index, { name: status }] of [...statuses, ...statuses].entries()) {
    const entry = await send(`/v1/lists/${pipeline.id}/entries`, {
      ...{ entryable_id: organization, entryable_type: 'Organization', status, contact_id: pair[0] },
      ...{ assignee_email: 'mina@tidewater.example', one_time_value_cents: 100 * index },
      ...{ recurring_value_cents: 5000, recurring_value_period: index % 2 ? 'annual' : 'monthly' },
      list_fields: createValues(pair),
    });
    await send('/v1/notes', {
      organization_id: organization,
      deal_id: entry.id,
      body: `메모 ${index}\n\nملاحظة`,
    });
  }
  const gone = await send(`/v1/lists/${pipeline.id}/entries`, {
    ...{ entryable_id: organization, entryable_type: 'Organization', status: 'Lost' },
  });
  await send(`/v1/lists/${pipeline.id}/entries/${gone.id}`, { status: 'Open / 진행' }, 'PATCH');
  const list = await send('/v1/lists', {
    ...{ name: '뉴스레터', process: false, entry_type: 'Contact', fields: defineFields() },
  });
  for (const entryable_id of people)
    await send(`/v1/lists/${list.id}/entries`, { entryable_id, entryable_type: 'Contact' });
  await send('/v1/lists', { name: 'Empty', process: false, entry_type: 'Organization' });
}

/** Imports a meeting with two recordings. */
async function importMeetings(kith: Kith, folder: string): Promise<void> {
  const files = {
    'calendar.ics': [
      ...['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20240501T010000Z', 'DTEND:20240501T013000Z'],
      ...[
        'SUMMARY:냉동고 7 / اجتماع',
        'ATTENDEE:mailto:jiwoo@hanbit.example',
        'END:VEVENT',
        'END:VCALENDAR',
        '',
      ],
    ].join('\r\n'),
    'first.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v 미나>안녕하세요\n',
    'second.vtt': 'WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Mina>Welcome back.\n',
    'summary.md': '## Summary\n\n냉동고\n\n## Action items\n\n- [ ] أرسل العرض\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const path = (name: string) => join(folder, name);
  const imported = await kith(['workspace', 'import-events', path('calendar.ics'), '--json']);
  const [{ id }] = JSON.parse(imported.out);
  for (const words of [
    ['import-recording', id, path('first.vtt'), '--summary', path('summary.md'), '--language', 'ko'],
    ['import-recording', id, path('second.vtt'), '--add'],
  ]) {
    const { code, err } = await kith(['workspace', ...words]);
    if (code !== 0) throw new Error(err);
  }
}
