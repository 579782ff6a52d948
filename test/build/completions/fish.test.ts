import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { needs } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { oddNames, offered } from './cases.ts';
import { described, offers, script } from './fish.ts';
import { placeWith } from './machine.ts';

beforeEach(needs('fish'));

test('offers the matching completions', async () => {
  expect(await offers(Object.keys(offered), await placeWith())).toEqual({
    err: '',
    offers: offered,
  });
});

test('describes each completion', async () => {
  const place = await placeWith();
  expect(
    (
      await described(
        ['kith en', 'kith lists cr', 'kith contacts list --js', 'kith contacts list --form'],
        place,
      )
    ).offers,
  ).toEqual({
    'kith en': ['entries\tManage the entries of a list or process'],
    'kith lists cr': ['create\tCreate a list or a process'],
    'kith contacts list --js': ['--json\tShort for --format json'],
    'kith contacts list --form': ['--format\tOutput format: table, json, ndjson, csv, tsv'],
  });
});

const [korean, kim, substitution, deals, symbols] = oddNames;
const inQuotes = {
  'kith contacts list --format=j': ['--format=json'],
  'kith --profile=d': ['--profile=demo'],
  'kith entries add Sales\\ p': ['Sales pipeline'],
  'kith entries add "Sales p': ['Sales pipeline'],
  "kith entries add 'Sales p": ['Sales pipeline'],
  'kith entries add 한': [korean],
  'kith entries add "Kim': [kim],
  'kith entries add \\$': [substitution],
  'kith entries add Deals:': [deals],
  'kith entries add a': [symbols],
  'kith workspace import-events ju': ['june.ics'],
  'kith workspace import-events m': ['my meetings/'],
  'kith events export --out ': ['my meetings/'],
  'kith events export --out=m': ['--out=my meetings/'],
  'kith events export --out ju': [],
  'cd . && FOO=1 kith entries add Sa': ['Sales pipeline'],
  '../bin/kith entries add Sa': ['Sales pipeline'],
};

test('completes quoted words, paths, and lines with several commands', async () => {
  const place = await placeWith(oddNames);
  expect(await offers(Object.keys(inQuotes), place)).toEqual({ err: '', offers: inQuotes });
  expect(existsSync(join(place.cwd, 'pwned'))).toBe(false);
});

test('fish reports no syntax errors', async () => {
  expect(await runProgram('fish', ['--no-execute', script], { env: process.env })).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});
