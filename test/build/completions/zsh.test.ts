import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { CommandsDocument } from '../../../src/contract/documents/schemas.ts';
import { requireProgram } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { createMachine } from '../../support/kith.ts';
import { candidates, completedLines, oddNames } from './cases.ts';
import { createBridgedEnvironment, createShellEnvironment } from './machine.ts';
import { completeInDriver, createFunctionPath, pressTab, zshScript } from './zsh.ts';

beforeEach(requireProgram('zsh'));

// If only a flag can follow, zsh offers flags without a hyphen.
const complete = 'kith entries add "Sales pipeline" ';
const { commands, global_flags }: CommandsDocument = JSON.parse(
  (await createMachine('/dev/null/kith')('commands --json')).out,
);
const added = commands.find(({ path }) => path.join(' ') === 'entries add');
const help = { name: '--help', short: '-h' }; // every command has it
const flags = [
  help,
  ...(added?.flags ?? []),
  ...global_flags.filter(({ name }) => added?.global_flags.includes(name)),
].flatMap(({ name, short }) => (short ? [name, short] : [name]));

test('offers the matching completions', async () => {
  const { err, offers } = await completeInDriver(Object.keys(candidates), await createBridgedEnvironment());
  expect({ err, offers: { ...offers, [complete]: offers[complete]?.toSorted() } }).toEqual({
    err: '',
    offers: { ...candidates, [complete]: flags.toSorted() },
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
