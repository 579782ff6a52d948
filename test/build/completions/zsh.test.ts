import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { needs } from '../../process/programs.ts';
import { runProgram } from '../../support/binary.ts';
import { oddNames, offered, typed } from './cases.ts';
import { placeWith } from './machine.ts';
import { fromFolder, offers, script, tabbed } from './zsh.ts';

beforeEach(needs('zsh'));

// Where nothing but a flag can follow, zsh offers flags unasked.
const complete = 'kith entries add "Sales pipeline" ';
const flags = [
  ...['--assignee', '--base-url', '--bom', '--contact', '--contact-id', '--data', '--debug', '--dry-run'],
  ...['--field', '--fields', '--format', '--help', '--jq', '--json', '--max-wait', '--no-color'],
  ...['--no-header', '--one-time-value', '--organization', '--profile', '--quiet', '--recurring-period'],
  ...['--recurring-value', '--retries', '--status', '--timeout', '--yes', '-h', '-q', '-y'],
];

test('offers the matching completions', async () => {
  const expected = { ...offered, [complete]: flags };
  expect(await offers(Object.keys(offered), await placeWith())).toEqual({ err: '', offers: expected });
});

test('Tab in a terminal completes a word inside the typed quotes', async () => {
  const place = await placeWith(oddNames);
  expect((await tabbed(Object.keys(typed), place)).typed).toEqual(typed);
  expect(existsSync(join(place.cwd, 'pwned'))).toBe(false);
});

test('offers names before ids', async () => {
  const { typed } = await tabbed(
    ['kith entries add '],
    await placeWith(),
    `${fromFolder()}; setopt menu_complete`,
  );
  expect(typed).toEqual({ 'kith entries add ': 'kith entries add Newsletter' });
});

test('can be sourced before or after compinit', async () => {
  for (const setup of [
    `source '${script}'`,
    `autoload -Uz compinit; compinit -D -u; eval "$(<'${script}')"`,
  ]) {
    const { typed, screen } = await tabbed(['kith en'], await placeWith(), setup);
    expect([typed, screen.includes('_kith')]).toEqual([{ 'kith en': 'kith entries ' }, false]);
  }
});

test('zsh reports no syntax errors', async () => {
  expect(await runProgram('zsh', ['-n', script], { env: process.env })).toEqual({
    code: 0,
    out: '',
    err: '',
  });
});
