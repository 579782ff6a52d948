import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { measureWidth } from '../../../src/render/text/width.ts';
import { loadSqlite } from '../../../src/sqlite/engine.ts';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../../support/kith.ts';
import {
  acme,
  createContact,
  createMeeting,
  createNote,
  smallWorkspace,
  startRelationshipService,
} from '../show/relationship-service.ts';

const now = new Date('2026-11-27T10:00:00Z');
const terminal = { now, terminal: 80, env: { NO_COLOR: '1', KITH_UNDO: 'on' } };

test('shows whom to contact, with the reasons and the parts of each score', async () => {
  const kith = createDemoMachine();
  const { code, out } = await kith('followup --explain --limit 2 --no-input', terminal);
  expect(code).toBe(0);
  expect(`\n${out}`).toBe(`
 86  Foghorn Creamery (Siobhan O'Neill) 3p524p
   40  promise: Promise overdue since 2026-08-17 (102 days ago): Hannah brings
                six sensors and one barometer to Astoria on Monday, August 17. …
   21  close: DEAL-39: Expected close is 2026-12-01 (in 4 days)
   20  rhythm: No contact for 101 days (usually every 42 days)
    5  value: Open deals worth 6,840.00 in the first year
 80  Fromagerie Petit-Vallon (Hélène Jacquemin) 50423p
   40  promise: Promise overdue since 2026-11-19 (8 days ago): Rui renvoie le
                devis avec un seul déplacement, avant jeudi soir.
   30  close: DEAL-38: Expected close was 2026-11-25 (2 days ago)
   10  value: Open deals worth 14,820.00 in the first year
`);
  const narrow = await kith('followup --explain --no-input', { ...terminal, terminal: 40 });
  expect(narrow.out.split('\n').filter((line) => measureWidth(line) > 40)).toEqual([]);
});

interface Line {
  readonly id: string;
  readonly score: number;
  readonly reasons: readonly { readonly part: string; readonly score: number; readonly text: string }[];
}

test('prints reasons in JSON whose scores add up to the total; config changes the points', async () => {
  const kith = createDemoMachine();
  const read = async (flags: string): Promise<readonly Line[]> =>
    JSON.parse((await kith(`followup --json ${flags}`, { now })).out);
  const lines = await read('--all');
  expect(lines.map(({ score }) => score)).toEqual(
    lines.map(({ reasons }) => reasons.reduce((sum, { score }) => sum + score, 0)),
  );
  expect(lines.map(({ score }) => score)).toEqual(
    lines.map(({ score }) => score).sort((left, right) => right - left),
  );
  const { data, pagination } = JSON.parse((await kith('followup --limit 2 --json-envelope', { now })).out);
  const next = await read(`--limit 2 --after ${pagination.next}`);
  expect([...data, ...next]).toEqual(lines.slice(0, 4));
  const own = await read('--user rui --all');
  const promises = own.flatMap(({ reasons }) => reasons.filter(({ part }) => part === 'promise'));
  expect(promises.length).toBeGreaterThan(3);
  expect(promises.filter(({ text }) => !/: (O )?Rui /.test(text))).toEqual([]);
  expect(own.length).toBeLessThan(lines.length);
  await kith('config set followup-weights promise=0,rhythm=0,date=0,value=0', { now });
  const closes = await read('--all');
  expect(new Set(closes.flatMap(({ reasons }) => reasons.map(({ part }) => part)))).toEqual(
    new Set(['close']),
  );
  const { code, err } = await kith('config set followup-weights close=x', { now });
  expect([code, err]).toEqual([2, expect.stringContaining('promise=40,close=30')]);
});

const meet = (number: number, start_at: string, emails: readonly string[]) => ({
  ...createMeeting(number, start_at),
  attendees: ['ada@x.example', ...emails].map((email) => ({ email })),
});

/** Ada met Acme, a contact without a name or an organization, and a contact whose organization was deleted. */
const metWorkspace = {
  ...smallWorkspace,
  '/v1/contacts': [
    createContact(1),
    createContact(2, { first_name: null, last_name: null, organization_id: null }),
    createContact(3, { organization_id: 'o9' }),
  ],
  '/v1/notes': [
    createNote('n1', '2026-11-20T23:30:00Z', {
      body: 'Wants the quote by 2026-12-04.',
      updated_at: '2026-11-26T00:00:00Z',
    }),
    createNote('n2', '2026-11-01T10:00:00Z', { body: 'Wants a new quote by 2027-01-20.' }),
  ],
  '/v1/calendar_events': [
    meet(1, '2026-10-20T23:30:00Z', ['person1@acme.example', 'person2@acme.example', 'person3@acme.example']),
    meet(2, '2026-10-21T10:00:00Z', []),
  ],
  '/v1/recordings': [1, 2].map((number) => ({
    ...{ id: `r${number}`, status: 'done' },
    summary: { action_items: ['Ada sends the offer.', 'Somebody orders the parts.', 'Person calls Ada.'] },
  })),
};

test('reads names from the index, and over HTTP only the notes that it shows', async () => {
  const { env, requests } = await startRelationshipService(metWorkspace);
  const kith = createMachine();
  const read = async (zone: string): Promise<readonly (Line & { name: string })[]> =>
    JSON.parse((await kith(`followup --json --tz ${zone}`, { env, now })).out);
  const list = async (zone: string) =>
    (await read(zone)).map(({ name, reasons }) => [name, ...reasons.map(({ text }) => text)]);
  const promise = (day: string) => `Promise open since ${day}: Ada sends the offer.`;
  const date = 'mentions 2026-12-04 (in 7 days): Wants the quote by 2026-12-04.';
  expect(await list('Asia/Seoul')).toEqual([
    [acme.name, promise('2026-10-21'), `Note of 2026-11-21 ${date}`],
    ['person2@acme.example', promise('2026-10-21')],
  ]);
  requests.length = 0;
  expect(await list('America/Los_Angeles')).toEqual([
    [acme.name, promise('2026-10-20'), `Note of 2026-11-20 ${date}`],
    ['person2@acme.example', promise('2026-10-20')],
  ]);
  expect(requests.map(({ url }) => url.replace(/\?.*/, '')).sort()).toEqual([
    '/v1/lists',
    '/v1/notes/n1',
    '/v1/organizations/o9', // deleted
  ]);
});

test('rebuilds an index that lacks a table', async () => {
  const { env } = await startRelationshipService(metWorkspace);
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const read = async () => (await kith('followup --json', { env, now })).out;
  const before = await read();
  const name = readdirSync(folder).find((file) => file.endsWith('.sqlite')) ?? 'missing';
  const index = new (loadSqlite())(join(folder, name));
  index.exec('drop table relation');
  index.close();
  expect(await read()).toBe(before);
});

test('prints an empty list for an empty workspace', async () => {
  const kith = createMachine();
  const { env } = await startRelationshipService({
    ...smallWorkspace,
    '/v1/organizations': [],
    '/v1/contacts': [],
  });
  expect(await kith('followup --json', { env, now })).toMatchObject({ code: 0, out: '[]\n' });
});

test('hides a snoozed organization until the time has passed; undo shows it again', async () => {
  const kith = createDemoMachine();
  const readIds = async (at = now) =>
    (await kith('followup --all --ids-only', { now: at })).out.trim().split('\n');
  const all = await readIds();
  const { out } = await kith('followup --snooze 7d --organization "Foghorn Creamery"', terminal);
  expect(out).toBe('Snoozed Foghorn Creamery until 2026-12-04.\n');
  const others = all.filter((id) => id !== '3p524p');
  expect(others.length).toBe(all.length - 1);
  expect(await readIds()).toEqual(others);
  expect(await readIds(new Date('2026-12-04T10:00:01Z'))).toContain('3p524p');
  const { out: shown } = await kith('followup --organization 3p524p --ids-only', { now });
  expect(shown).toBe('3p524p\n');
  await kith('followup --snooze 2026-12-20 --organization 3p524p', terminal);
  const readUndone = async (line: string) => {
    const r = await kith(`${line} --json`, { now });
    const { changes } = JSON.parse(r.out);
    return changes.map(({ record, fields }: { record: string; fields: object }) => ({ record, ...fields }));
  };
  const [first, second] = ['2026-12-04T10:00:00.000Z', '2026-12-20T00:00:00.000Z'];
  expect(await readUndone('undo --yes')).toEqual([
    { record: 'organization', state: { from: second, to: first } },
  ]);
  expect(await readUndone('undo --yes')).toEqual([
    { record: 'organization', state: { from: first, to: 'open' } },
  ]);
  expect(await readIds()).toEqual(all);
  await kith('redo --yes', { now });
  expect(await readIds()).toEqual(others);
});

test('shows and snoozes a contact without an organization', async () => {
  const kith = createDemoMachine();
  await kith(
    'lists create Guests --process --entry-type Contact --identifier GST --no-duplicates --status Open:active ' +
      '--field Visit:date',
  );
  await kith('entries add Guests --contact 7kod5r --status Open --field Visit=2026-11-20', { now });
  const { out } = await kith('followup --contact 7kod5r --json', { now });
  expect(JSON.parse(out)).toEqual([
    {
      ...{ score: 30, kind: 'contact', id: '7kod5r', name: '독고미르', contact_id: null, contact: null },
      reasons: [expect.objectContaining({ part: 'close', text: 'GST-1: Visit was 2026-11-20 (7 days ago)' })],
    },
  ]);
  await kith('followup --contact 7kod5r --snooze 1w', { now });
  expect((await kith('followup --all --ids-only', { now })).out).not.toContain('7kod5r');
});

test('accepts part of a name to read, but only the whole name to snooze; refuses an unknown field', async () => {
  const kith = createDemoMachine();
  expect((await kith('followup --organization foghorn --ids-only', { now })).out).toBe('3p524p\n');
  expect((await kith('followup --organization foghorn --snooze 7d', { now })).code).not.toBe(0);
  expect((await kith('followup --fields nope', { now })).code).toBe(2);
});

test('refuses to snooze without a contact or an organization, or until a past time', async () => {
  const kith = createDemoMachine();
  expect((await kith('followup --snooze 7d', { now })).code).toBe(2);
  const { code, err } = await kith('followup --snooze 2026-01-01 --organization 3p524p', { now });
  expect([code, err]).toEqual([2, expect.stringContaining('the time is in the past')]);
  const preview = await kith('followup --snooze 7d --organization 3p524p --dry-run', { now });
  expect(preview.out).toContain('Would snooze Foghorn Creamery');
  expect((await kith('followup --ids-only --limit 1', { now })).out).toBe('3p524p\n');
});

test('in a terminal, adds a note, marks an item as done, moves a date and snoozes; undo reverts each', async () => {
  const kith = createDemoMachine();
  const read = async () => (await kith('followup --all --json', { now })).out;
  const before = await read();
  const { code, out } = await kith('followup --limit 5', {
    ...terminal,
    answers: [
      ...['3p524p', '0', '@Siobhan was called.'],
      ...['50423p', '1'],
      ...['mlddzl', '2', '2027-01-15'],
      ...['3p7oy0', '4', '3d'],
    ],
  });
  expect(code).toBe(0);
  expect(out.split('\n').filter((line) => /^(Body|Marked|Expected close|Snoozed)/.test(line))).toEqual([
    'Body          @Siobhan was called.',
    'Marked as done w2b853de7d: Rui renvoie le devis avec un seul déplacement, avant jeudi soir.',
    'Expected close  2027-01-15',
    'Snoozed Asempa Vaccine Depot until 2026-11-30.',
  ]);
  const { out: list } = await kith('undo --list --json', { now });
  expect(JSON.parse(list).map(({ command }: { command: string }) => command)).toEqual([
    'followup',
    'entries update',
    'actions done',
    'notes create',
  ]);
  expect(await read()).not.toBe(before);
  for (let count = 0; count < 4; count += 1) expect((await kith('undo --yes', { now })).code).toBe(0);
  expect(await read()).toBe(before);
});
