import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { complaint, faulty, importingMachine, told } from './importing.ts';

test('imports a report with fixed rows', async () => {
  const { kith, bring, good, at, file, json } = await importingMachine();
  await good('fields create Rooms --model contact --type number');
  const { err: hint } = await bring('contacts', faulty);
  expect(hint).toContain(
    `Fix them in ${at('sheet.report.csv')} and import that file; completed rows are skipped.`,
  );
  const fixed = readFileSync(at('sheet.report.csv'), 'utf8')
    .replace('none,call me', 'b@x.example,')
    .replace('many', '3')
    .replace(',,D', 'd@x.example,,D');
  const { code, out, err } = await kith(`contacts import ${file('sheet.report.csv', fixed)}`);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('5 rows: 3 created, 0 updated, 2 same');
  expect(await json('contacts list --all')).toHaveLength(5);
});

test('matches completed rows of a report by id if they have no email or phone', async () => {
  const { bring, at, json } = await importingMachine();
  await bring('contacts', 'email,first_name,last_name\n,Ada,L\n,Grace,H\n', '--allow-unmatched');
  const fixed = readFileSync(at('sheet.report.csv'), 'utf8').replace('Grace,H', 'Grace,Hopper');
  rmSync(at('.sheet.report.csv.kith-journal'));
  const saved = fixed.replaceAll(',', ';').replaceAll('\r\n', '\n');
  const { out } = await bring('contacts', `${saved}\n;Alan;;;;\n`, '--allow-unmatched', 'fixed.csv');
  expect(out).toContain('3 rows: 1 created, 1 updated, 1 same, 0 refused');
  const names = await json<{ first_name: string; last_name: string }[]>('contacts list --all');
  expect(names.map(({ first_name, last_name }) => `${first_name} ${last_name}`).toSorted()).toEqual([
    'Ada L',
    'Alan null',
    'Grace Hopper',
  ]);
});

test('refuses a row of a report whose id was changed by a spreadsheet', async () => {
  const { bring, report, at, json } = await importingMachine();
  await bring('contacts', 'first_name\nAda\nGrace\n', '--allow-unmatched');
  const [ada, grace] = report();
  const changed = readFileSync(at('sheet.report.csv'), 'utf8')
    .replace(`${ada?.id}`, '12345')
    .replace(`${grace?.id}`, '1.2E+46');
  expect((await bring('contacts', changed, '--allow-unmatched', 'saved.csv')).code).toBe(6);
  expect(report('saved.report.csv')).toMatchObject([
    {
      action: 'refused',
      error: expect.stringContaining('Contact 12345 not found: a spreadsheet may have'),
    },
    { action: 'refused', error: expect.stringContaining('Contact 1.2E+46 not found: ') },
  ]);
  expect(await json('contacts list --all')).toHaveLength(2);
});

test('requires --report for stdin, and reads it like a file', async () => {
  const { kith, at, report } = await importingMachine();
  const bare = await kith('contacts import - --json', { stdin: 'email\na@x.example\n' });
  expect([bare.code, complaint(bare.err).message]).toEqual([
    2,
    'Missing required option: --report FILE (the input is a pipe).',
  ]);
  const { code, out } = await kith(`contacts import - --report ${at('r.csv')}`, {
    stdin: 'email;first_name\na@x.example;A\n',
  });
  expect([code, out]).toEqual([
    0,
    `stdin: 1 row: 1 created, 0 updated, 0 same, 0 refused; see ${at('r.csv')}\n`,
  ]);
  expect(told(report('r.csv'))).toEqual(['2 create']);
  expect((await kith('contacts import - --dry-run', { stdin: '{"email":"a@x.example"}\n' })).out).toMatch(
    /^= same {2}\(row 1, \w+\)\n$/,
  );
});

test('renames an earlier report to …previous.csv, and never touches another kind of file', async () => {
  const { bring, at, report, file, kith } = await importingMachine();
  await bring('contacts', 'email\na@x.example\n');
  await bring('contacts', 'email\nb@x.example\n');
  expect([report(), report('sheet.report.previous.csv')].map((lines) => lines[0]?.email)).toEqual([
    'b@x.example',
    'a@x.example',
  ]);
  const mine = file('mine.csv', 'my,own,work\n');
  const { code, err } = await kith(`contacts import ${at('sheet.csv')} --report ${mine} --json`);
  expect([code, complaint(err).message, readFileSync(mine, 'utf8')]).toEqual([
    2,
    `${mine} exists and is not an import report.`,
    'my,own,work\n',
  ]);
});
