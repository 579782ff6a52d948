import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { needs } from '../../process/programs.ts';
import { ended } from '../../support/binary.ts';
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

test('it offers what fits', async () => {
  const expected = { ...offered, [complete]: flags };
  expect(await offers(Object.keys(offered), await placeWith())).toEqual({ err: '', offers: expected });
});

test('Tab at a terminal completes, in the quotes that are typed', async () => {
  const place = await placeWith(oddNames);
  expect((await tabbed(Object.keys(typed), place)).typed).toEqual(typed);
  expect(existsSync(join(place.cwd, 'pwned'))).toBe(false);
});

test('names come before ids', async () => {
  const { typed } = await tabbed(
    ['kith entries add '],
    await placeWith(),
    `${fromFolder()}; setopt menu_complete`,
  );
  expect(typed).toEqual({ 'kith entries add ': 'kith entries add Newsletter' });
});

test('it can be sourced, before or after completion is set up', async () => {
  for (const setup of [
    `source '${script}'`,
    `autoload -Uz compinit; compinit -D -u; eval "$(<'${script}')"`,
  ]) {
    const { typed, screen } = await tabbed(['kith en'], await placeWith(), setup);
    expect([typed, screen.includes('_kith')]).toEqual([{ 'kith en': 'kith entries ' }, false]);
  }
});

test('zsh finds no mistake in it', async () => {
  expect(await ended('zsh', ['-n', script], { env: process.env })).toEqual({ code: 0, out: '', err: '' });
});
