import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';

/** Returns a machine with three contacts of one person and two organizations of one company. */
async function createDuplicates() {
  const kith = createDemoMachine();
  const create = async (line: string) =>
    (await kith(`${line} --jq .id --no-color`)).out.trim().replaceAll('"', '');
  const byName = await create('contacts create --first-name 김 --last-name 지우');
  const byPhone = await create('contacts create --first-name "지우 김" --phone +821055501234');
  const company = await create('organizations create --name "㈜한빛 물류"');
  return { kith, byName, byPhone, company };
}

test('contacts duplicates lists pairs with reasons and score in every format', async () => {
  const { kith, byName, byPhone } = await createDuplicates();
  const row = (score: number, reasons: string[], other_id: string, other_name: string) => ({
    score,
    reasons,
    id: '0rlnky',
    name: '김지우',
    other_id,
    other_name,
  });
  const best = row(90, ['same phone', 'same name'], byPhone, '지우 김');
  const next = row(60, ['same name'], byName, '지우김');
  const { out, err, code } = await kith('contacts duplicates --jq . --limit 2');
  expect({ rows: JSON.parse(out), err, code }).toEqual({
    rows: [best, next],
    err: 'kith: 1 more record. Use --all or a larger --limit to see it.\n',
    code: 0,
  });
  expect((await kith('contacts duplicates --format ndjson --min-score 61')).out).toBe(
    `${JSON.stringify(best)}\n`,
  );
  const csv = await kith('contacts duplicates --format csv --min-score 61');
  expect(csv.out.replaceAll('\r', '')).toBe(
    `score,reasons,id,name,other_id,other_name\n90,same phone;same name,0rlnky,김지우,${byPhone},지우 김\n`,
  );
  const table = await kith('contacts duplicates --min-score 61', {
    terminal: 120,
    rows: 40,
    env: { NO_COLOR: '1' },
  });
  expect(table.out).toMatch(/^ *SCORE +REASONS +ID +NAME +OTHER +OTHER NAME$/m);
  expect(table.out).toContain('same phone');
  expect((await kith('contacts duplicates --fields score,other_id --min-score 61')).out).toBe(
    `score\tother_id\n90\t${byPhone}\n`,
  );
});

test('organizations duplicates lists a name without its legal form', async () => {
  const { kith, company } = await createDuplicates();
  expect((await kith('orgs duplicates --format tsv --no-header')).out).toBe(
    `85\tsame name\trl16pk\t한빛물류\t${company}\t㈜한빛 물류\n`,
  );
});

test('says how many records were compared if there are no duplicates', async () => {
  const kith = createDemoMachine();
  const err = 'kith: No likely duplicates with a score of 80 or more in 150 contacts.\n';
  expect(await kith('contacts duplicates --min-score 80')).toMatchObject({ code: 0, err });
  expect(await kith('contacts duplicates --min-score 80 --jq .')).toEqual({ code: 0, out: '[]\n', err });
});

test.each([40, 56])(
  'in a terminal of %i columns, each pair has its reasons, names and ids',
  async (terminal) => {
    const { kith, byName, byPhone } = await createDuplicates();
    const { out, err } = await kith('contacts duplicates --limit 2', {
      terminal,
      rows: 40,
      env: { NO_COLOR: '1' },
    });
    expect(out).toBe(
      [
        ' 90  same phone, same name',
        '     김지우 (0rlnky)',
        `     지우 김 (${byPhone})`,
        ' 60  same name',
        '     김지우 (0rlnky)',
        `     지우김 (${byName})`,
        '',
      ].join('\n'),
    );
    expect(err).toMatch(/^kith: 1 more record\. /);
  },
);

test.each([
  ['--min-score 61', 69],
  ['--min-score 61', 80],
  ['--min-score 61 --wide', 40],
])('with %s in a terminal of %i columns, a table shows every column', async (flags, terminal) => {
  const { kith } = await createDuplicates();
  const { out, err } = await kith(`contacts duplicates ${flags}`, { terminal, env: { NO_COLOR: '1' } });
  expect({ header: out.split('\n')[0]?.split(/ {2,}/), err }).toEqual({
    header: ['SCORE', 'REASONS', 'ID', 'NAME', 'OTHER', 'OTHER NAME'],
    err: '',
  });
});

test('a terminal without pairs shows only the note', async () => {
  const kith = createDemoMachine();
  const run = (line: string) => kith(line, { terminal: 80, env: { NO_COLOR: '1' } });
  expect(await run('contacts duplicates --min-score 80')).toEqual({
    code: 0,
    out: '',
    err: 'kith: No likely duplicates with a score of 80 or more in 150 contacts.\n',
  });
  expect((await run('contacts duplicates --min-score 80 --json')).out).toBe('[]\n');
});
