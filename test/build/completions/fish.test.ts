import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requireProgram } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { candidates, oddNames } from './cases.ts';
import { completeInDriver, completeWithDescriptions, fishScript } from './fish.ts';
import { createBridgedEnvironment, createShellEnvironment } from './machine.ts';

beforeEach(requireProgram('fish'));

test('offers the matching completions', async () => {
  expect(await completeInDriver(Object.keys(candidates), await createBridgedEnvironment())).toEqual({
    err: '',
    offers: candidates,
  });
});

test('describes each completion', async () => {
  const environment = await createShellEnvironment();
  expect(
    (
      await completeWithDescriptions(
        ['kith en', 'kith lists cr', 'kith contacts list --js', 'kith contacts list --form'],
        environment,
      )
    ).offers,
  ).toEqual({
    'kith en': ['entries\tManage the entries of a list or process'],
    'kith lists cr': ['create\tCreate a list or a process'],
    'kith contacts list --js': [
      '--json\tShort for --format json',
      '--json-envelope\tPrint JSON as {data, pagination, warnings}',
    ],
    'kith contacts list --form': [
      '--format\tOutput format: table, json, ndjson, compact, csv, tsv, md, html, xlsx',
    ],
  });
});

const [korean, kim, substitution, deals, symbols] = oddNames;
const inQuotes = {
  'kith zz': ['zz-deals'],
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
  'kith entries add sales\\ p': ['Sales pipeline'],
  'kith contacts get "궉': ['궉 🌊 $HOME'],
  "kith contacts get zo\\'": ['Zo\'e "x"'],
  'kith orgs update X --field "Keeps cold=chee': ['Keeps cold=Cheese'],
  'kith orgs update X --field=Keeps\\ cold=chee': ['--field=Keeps cold=Cheese'],
  'kith workspace import-events ju': ['june.ics'],
  'kith workspace import-events m': ['my meetings/'],
  'kith events export --out ': ['my meetings/'],
  'kith events export --out=m': ['--out=my meetings/'],
  'kith events export --out ju': [],
  'cd . && FOO=1 kith entries add Sa': ['Sales pipeline'],
  '../bin/kith entries add Sa': ['Sales pipeline'],
};

test('completes quoted words, paths, and lines with several commands', async () => {
  const environment = await createBridgedEnvironment(oddNames);
  expect(await completeInDriver(Object.keys(inQuotes), environment)).toEqual({ err: '', offers: inQuotes });
  expect(existsSync(join(environment.cwd, 'pwned'))).toBe(false);
});

test('fish reports no syntax errors', async () => {
  expect(await runProgram('fish', ['--no-execute', fishScript], { env: process.env })).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});
