import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { requireProgram } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { candidates, completedLines, oddNames } from './cases.ts';
import { createBridgedEnvironment, createShellEnvironment } from './machine.ts';
import { completeInDriver, createFunctionPath, pressTab, zshScript } from './zsh.ts';

beforeEach(requireProgram('zsh'));

// If only a flag can follow, zsh offers flags without a hyphen.
const complete = 'kith entries add "Sales pipeline" ';
const flags = [
  ...[
    '--allow',
    '--assignee',
    '--base-url',
    '--bom',
    '--contact',
    '--contact-id',
    '--data',
    '--debug',
    '--dry-run',
  ],
  ...[
    '--field',
    '--fields',
    '--format',
    '--help',
    '--ids-only',
    '--jq',
    '--json',
    '--json-envelope',
    '--max-requests',
    '--max-wait',
    '--max-writes',
    '--no-color',
  ],
  ...[
    '--no-header',
    '--no-input',
    '--offline',
    '--one-time-value',
    '--organization',
    '--output',
    '--profile',
    '--quiet',
    '--readonly',
    '--recurring-period',
  ],
  ...[
    '--recurring-value',
    '--retries',
    '--status',
    '--timeout',
    '--wide',
    '--yes',
    '-v',
    '-n',
    '-f',
    '-h',
    '-o',
    '-q',
    '-y',
  ],
];

test('offers the matching completions', async () => {
  const expected = { ...candidates, [complete]: flags };
  expect(await completeInDriver(Object.keys(candidates), await createBridgedEnvironment())).toEqual({
    err: '',
    offers: expected,
  });
});

test('Tab in a terminal completes a word inside the typed quotes', async () => {
  const environment = await createBridgedEnvironment(oddNames);
  expect((await pressTab(Object.keys(completedLines), environment)).typed).toEqual(completedLines);
  expect(existsSync(join(environment.cwd, 'pwned'))).toBe(false);
});

test('offers names before ids', async () => {
  const { typed } = await pressTab(
    ['kith entries add '],
    await createShellEnvironment(),
    `${createFunctionPath()}; setopt menu_complete`,
  );
  expect(typed).toEqual({ 'kith entries add ': 'kith entries add Newsletter' });
});

test('can be sourced before or after compinit', async () => {
  for (const setup of [
    `source '${zshScript}'`,
    `autoload -Uz compinit; compinit -D -u; eval "$(<'${zshScript}')"`,
  ]) {
    const { typed, screen } = await pressTab(['kith en'], await createShellEnvironment(), setup);
    expect([typed, screen.includes('_kith')]).toEqual([{ 'kith en': 'kith entries ' }, false]);
  }
});

test('zsh reports no syntax errors', async () => {
  expect(await runProgram('zsh', ['-n', zshScript], { env: process.env })).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});
