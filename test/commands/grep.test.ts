import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDemoMachine, createMachine, createTemporaryFolder } from '../support/kith.ts';

const header = 'event_id\trecording_id\ttitle\tstart_at\tat\ttime\tspeaker\ttext\tbefore\tafter\n';
const rows = [
  "20ejwr\t8kdx5w\tA grown-up for the alarm list\t2026-10-21T09:00:00.000+09:00\t162.764\t02:42\t유소라\tIf nothing hums there's no compressor.\t\t\n",
  'x094n1\t1zgyzg\tThe gateway on the ferry\t2026-08-26T16:30:00.000+01:00\t100.064\t01:40\tHannah Osei\tSo suppose the compressor dies in a force eight.\t\t\n',
  "p0pxry\txzegk4\tAs if it were Mother's Day\t2026-05-20T10:30:00.000-07:00\t13.312\t00:13\tTyler Nguyen\tThat's Compressor.\t\t\n",
  "p0pxry\txzegk4\tAs if it were Mother's Day\t2026-05-20T10:30:00.000-07:00\t121.712\t02:01\tDolores Whitcomb\tAt Easter the compressor quit on a Saturday, we opened on Monday, and I carried nine hundred stems of ranunculus to the compost in my church shoes.\t\t\n",
];

test.each<[string, number[]]>([
  ['compressor', [0, 1, 2, 3]],
  ['Compressor', [2]],
  ['Compressor -i', [0, 1, 2, 3]],
  ['"\\bcompress\\w+ (quit|dies)" --regex', [1, 3]],
  ['compressor --max 3', [0, 1, 2]],
  ['compressor --speaker "tyler nguyen" --speaker "HANNAH OSEI"', [1, 2]],
  ['compressor --starts-after 2026-08-26T16:30:00+01:00', [0, 1]],
  ['compressor --starts-before 2026-08-26T16:30 --tz Europe/London', [2, 3]],
])('events grep %s', async (words, hits) => {
  const kith = createDemoMachine();
  expect(await kith(`events grep ${words}`)).toEqual({
    code: 0,
    out: header + hits.map((hit) => rows[hit]).join(''),
    err: '',
  });
});

test('filters by --contact and --organization like events list', async () => {
  const kith = createDemoMachine();
  const readIds = async (line: string, field: string): Promise<string[]> => [
    ...new Set<string>(
      JSON.parse((await kith(`${line} --json`)).out).map((row: Record<string, string>) => row[field]),
    ),
  ];
  for (const filter of ['--contact 0rlnky', '--organization rl16pk']) {
    const meetings = await readIds(`events list --all ${filter}`, 'id');
    expect(meetings.length).toBeGreaterThan(0);
    expect(await readIds(`events grep \\S --regex ${filter}`, 'event_id')).toEqual(meetings);
  }
});

test('prints a hit as JSON with its context', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('events grep "no compressor" --context 3 --json');
  expect(JSON.parse(out)).toEqual([
    {
      event_id: '20ejwr',
      recording_id: '8kdx5w',
      title: 'A grown-up for the alarm list',
      start_at: '2026-10-21T09:00:00.000+09:00',
      at: 162.51,
      time: '02:42',
      speaker: '유소라',
      text: "If nothing hums there's no compressor.",
      matches: [{ text: 'no compressor', start: 24, end: 37 }],
      before: [{ at: 158.996, time: '02:38', speaker: '유소라', text: 'The room, Daniel.' }],
      after: [{ at: 163.964, time: '02:43', speaker: '유소라', text: "Then it's a cupboard." }],
    },
  ]);
});

test('groups hits by meeting in a terminal', async () => {
  const kith = createDemoMachine();
  const { out } = await kith('events grep compressor --max 2', { terminal: 80, env: { NO_COLOR: '1' } });
  expect(out).toBe(
    `2026-10-21 09:00  A grown-up for the alarm list  8kdx5w
02:42  유소라: If nothing hums there's no compressor.

2026-08-26 16:30  The gateway on the ferry  1zgyzg
01:40  Hannah Osei: So suppose the compressor dies in a force eight.
`,
  );
  const { out: table } = await kith(
    'events grep compressor --starts-before 2026-06-01 --fields time,speaker',
    {
      terminal: 80,
      env: { NO_COLOR: '1' },
    },
  );
  expect(table).toBe(' TIME  SPEAKER\n00:13  Tyler Nguyen\n02:01  Dolores Whitcomb\n');
});

test.each([
  ['events grep ""', 2, 'The pattern must not be empty.'],
  ['events grep "(" --regex', 2, 'Invalid regular expression: /(/giu: Unterminated group.'],
  ['events grep x --max 0', 2, '--max: "0" is not an integer of 1 or more.'],
  ['events grep x --context 4000', 2, '--context: "4000" is not an integer from 0 to 3600.'],
  [
    'events grep x --limit 3',
    2,
    '--limit is not supported by `kith meetings grep`.\nhint: See `kith meetings grep --help`.',
  ],
  ['events grep x --out a --contact b', 2, '--out and --contact cannot be used together.'],
  ['events grep x --out a --organization b', 2, '--out and --organization cannot be used together.'],
  ['events grep x --out /nowhere', 2, 'Cannot read /nowhere: it does not exist.'],
  ['events grep xylophone', 3, 'No matches for "xylophone".'],
  [
    'events grep COMPRESSOR',
    3,
    'No matches for "COMPRESSOR".\nhint: The search is case-sensitive because the pattern contains capitals; try --ignore-case.',
  ],
  ['events grep compressor --speaker Nobody', 3, 'No matches for "compressor".'],
])('%s exits with %i', async (line, code, message) => {
  const kith = createDemoMachine();
  expect(await kith(line)).toEqual({ code, out: '', err: `kith: ${message}\n` });
});

/** Exports the sample like `kith meetings export --with json`. */
async function exportSample() {
  const kith = createDemoMachine();
  const folder = join(createTemporaryFolder(), 'meetings');
  mkdirSync(folder);
  const events: { id: string; start_at: string; recordings: { id: string; status: string }[] }[] = JSON.parse(
    (await kith('events list --all --json')).out,
  );
  for (const event of events) {
    const texts: string[] = [];
    for (const { id, status } of event.recordings) {
      if (status === 'done') texts.push((await kith(`recordings get ${id} --json`)).out);
    }
    const name = `${event.start_at.slice(0, 10)}-${event.id}.json`;
    writeFileSync(
      join(folder, name),
      `{"calendar_event":${JSON.stringify(event)},"recordings":[${texts.join(',')}]}`,
    );
  }
  return { kith, folder };
}

test('finds the same hits in an export folder, without signing in', async () => {
  const { kith, folder } = await exportSample();
  const signedOutMachine = createMachine();
  for (const words of [
    'compressor --context 10',
    'a --max 40',
    '九号室',
    'compressor --starts-before 2026-08-01',
  ]) {
    const [online, offline] = [
      await kith(`events grep ${words} --json`),
      await signedOutMachine(`events grep ${words} --out ${folder} --json`),
    ];
    const sortHits = ({ out }: { out: string }) =>
      JSON.parse(out)
        .map((hit: unknown) => JSON.stringify(hit))
        .sort();
    expect([offline.code, offline.err]).toEqual([0, '']);
    if (words.includes('--max')) expect(JSON.parse(offline.out)).toHaveLength(40);
    else expect(sortHits(offline)).toEqual(sortHits(online));
  }
  expect(await signedOutMachine(`events grep xylophone --out ${folder}`)).toEqual({
    code: 3,
    out: '',
    err: 'kith: No matches for "xylophone".\n',
  });
  writeFileSync(join(folder, 'damaged.json'), '{');
  const message = 'kith: Not searched: damaged.json (it is not valid JSON)\n';
  expect(await signedOutMachine(`events grep "no compressor" --out ${folder}`)).toEqual({
    code: 6,
    out: header + rows[0]?.replace('162.764', '162.51'),
    err: message,
  });
  expect(await signedOutMachine(`events grep xylophone --out ${folder}`)).toEqual({
    code: 6,
    out: '',
    err: message,
  });
});
