import { expect, test } from 'vitest';
import { createRecords, startRecordService } from '../search/index/record-service.ts';
import { createMachine } from '../support/kith.ts';

/** Returns a machine that uses a service with records. */
async function createServedMachine(...options: Parameters<typeof startRecordService>) {
  const service = await startRecordService(...options);
  const kith = createMachine();
  const run = (line: Parameters<typeof kith>[0], more: Parameters<typeof kith>[1] = {}) =>
    kith(line, { ...more, env: { ...service.env, ...more.env } });
  return { ...service, kith: run };
}

/** Returns the kinds and ids that a search finds. */
async function findIds(kith: Awaited<ReturnType<typeof createServedMachine>>['kith'], line: string) {
  const { out } = await kith(`search ${line} -q --json`);
  const results: { kind: string; id: string }[] = out === '' ? [] : JSON.parse(out);
  return results.map(({ kind, id }) => `${kind} ${id}`);
}

test.each([
  ['a name without its accents', 'zoe muller', ['contact c1', 'entry e1']],
  ['an email address', 'zoe@kühl.example', ['contact c1', 'meeting m1']],
  ['a decomposed query', '한빛'.normalize('NFD'), ['organization o1', 'note n1']],
  ['a phone number in another format', '010-5550-1234', ['contact c2']],
  ['a custom field', 'buyer', ['contact c3']],
  ['a key of a process', 'DEAL-7', ['entry e1']],
  ['a status', 'proposal', ['entry e1']],
  ['a note before a transcript of the same word', 'barometer', ['note n1', 'meeting m1']],
  ['an action item', 'hygrometer', ['meeting m1']],
  ['words of a title and a transcript', 'freezer barometer', ['meeting m1']],
  ['a word with a missing letter', 'macerel', ['meeting m1']],
  ['an email address with an error in each part', 'zoee@kuhll.exampel', ['contact c1', 'meeting m1']],
])('finds %s', async (_, words, found) => {
  const { kith } = await createServedMachine();
  expect(await findIds(kith, words)).toEqual(found);
});

test.each([
  ['a phrase and a word of one argument', ['"the barometer" freezer'], 'm1\n'],
  ['a word without an excluded one after --', ['--', '-mackerel', 'barometer'], 'n1\n'],
])('finds %s', async (_, words, ids) => {
  const { kith } = await createServedMachine();
  const { out } = await kith(['search', '--quiet', '--format', 'ndjson', '--jq', '.id', ...words]);
  expect(out).toBe(ids);
});

test('groups the results by kind in a terminal, with the words in bold', async () => {
  const { kith } = await createServedMachine();
  const { out } = await kith('search barometer', { terminal: 60, env: { FORCE_COLOR: '1' } });
  const plain = out.replaceAll('\u001b[1m', '<').replaceAll('\u001b[22m', '>').replaceAll('\u001b[2m', '(');
  expect(plain).toBe(
    `${[
      '(Notes>',
      `Jan 2 03:04  ${'한빛물류'.normalize('NFD')}  (n1>`,
      '  Asked for a <barometer>.',
      '',
      '(Meetings>',
      'May 4 00:00  Freezer review  (m1>',
      '  …so on and so on and so on and so on the <barometer> fell',
    ].join('\n')}\n`,
  );
});

test('prints records with their scores and the positions of the words', async () => {
  const { kith } = await createServedMachine();
  const { out } = await kith('search zoe --in entries --json', { now: new Date('2026-01-03T00:00:00Z') });
  expect(JSON.parse(out)).toEqual([
    {
      kind: 'entry',
      id: 'e1',
      list_id: 'l1',
      key: 'DEAL-7',
      title: 'Zoë Müller',
      place: 'Sales pipeline · Proposal',
      excerpt: 'Sales pipeline · DEAL-7 · Proposal',
      at: '2026-01-02T03:04:05.000Z',
      score: 1,
      title_matches: [{ start: 0, end: 3 }],
      matches: [],
    },
  ]);
  const tsv = await kith('search zoe --in entries,contacts');
  expect(tsv.out.split('\n').map((line) => line.split('\t').slice(0, 4))).toEqual([
    ['kind', 'id', 'title', 'excerpt'],
    ['contact', 'c1', 'Zoë Müller', 'zoe@kühl.example'],
    ['entry', 'e1', 'Zoë Müller', 'Sales pipeline · DEAL-7 · Proposal'],
    [''],
  ]);
});

test('a row shows the organization of a contact, and the list and the key of an entry', async () => {
  const records = createRecords();
  const organization_id = String(records.organizations[0]?.id);
  records.contacts.push({ id: 'c9', first_name: 'Barnaby', ...{ organization_id } });
  const { kith } = await createServedMachine(records);
  const screen = { terminal: 60, env: { NO_COLOR: '1' } };
  const organization = '한빛물류'.normalize('NFD');
  expect((await kith('search barnaby', screen)).out).toBe(`Contacts\nBarnaby  ${organization}  c9\n`);
  const entries = await kith('search zoe --in entries', screen);
  expect(entries.out).toContain('\nZoë Müller  Sales pipeline · Proposal  DEAL-7\n');
});

test('an id from the service cannot control the terminal', async () => {
  const records = createRecords();
  records.contacts.push({ id: 'c9\u001b[2J', first_name: 'Barnaby' });
  const { kith } = await createServedMachine(records);
  const { out } = await kith('search barnaby', { terminal: 80, env: { NO_COLOR: '1' } });
  expect(out).toBe('Contacts\nBarnaby  c9\\x1b[2J\n');
});

test('limits the results to each kind in turn, and says how many there are', async () => {
  const { kith } = await createServedMachine();
  const { out, err } = await kith('search zoe --limit 2 --format ndjson --jq .kind');
  expect(out).toBe('contact\nentry\n');
  expect(err).toContain('kith: 1 more record. Use --all or a larger --limit to see it.\n');
});

test('finds only records since a time', async () => {
  const { kith } = await createServedMachine();
  expect(await findIds(kith, 'zoe --since 2026-03-01')).toEqual(['meeting m1']);
});

test('exits with 3 if nothing matches, and with 2 for words without letters, kinds and ages that do not exist', async () => {
  const { kith } = await createServedMachine();
  const { code, err } = await kith('search zoe tulip');
  expect({ code, err }).toEqual({
    code: 3,
    err: expect.stringContaining('kith: No matches for "zoe tulip".\nhint: '),
  });
  expect(await kith('search -- --')).toMatchObject({
    code: 2,
    err: 'kith: "--" has no letters or digits.\n',
  });
  expect((await kith(['search', '"zoe tulip"'])).err).toContain('kith: No matches for "zoe tulip".\n');
  for (const [text, shown] of [
    ['-zoe', '"-zoe"'],
    ['-zoe -"cold room"', '-zoe -"cold room"'],
  ] as const)
    expect(await kith(['search', '--', text])).toEqual({
      code: 2,
      out: '',
      err: `kith: ${shown} only excludes words.\nhint: Add a word to search for, such as: kith search 'room -alarm'\n`,
    });
  expect(await kith('search zoe --in people')).toMatchObject({
    code: 2,
    err: 'kith: --in: "people" is not one of contacts, organizations, entries, notes, meetings.\n',
  });
  expect((await kith('search zoe --max-age soon')).err).toContain('kith: --max-age: "soon" is not an age.\n');
});

test('lists people before newer meetings, and takes excerpts from transcripts before attendees', async () => {
  const records = createRecords();
  records.notes[0] = { ...records.notes[0], body: 'The mackerel is fine.' };
  const { kith } = await createServedMachine(records);
  expect(await findIds(kith, 'mackerel')).toEqual(['note n1', 'meeting m1']);
  records.recordings.set('r1', {
    id: 'r1',
    transcript: [{ participant: { name: 'Mina' }, words: [{ text: 'Zoe left' }] }],
  });
  await kith('index update --full');
  const { out } = await kith('search zoe --in meetings --jq .[0].excerpt');
  expect(out).toBe('Mina: Zoe left\n');
});
