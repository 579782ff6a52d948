import { join } from 'node:path';
import { grow } from './grown.ts';
import { among, lists, lookUps, type Row, wholly } from './grown-commands.ts';
import { type Kind, kindsOn } from './kinds.ts';
import { inTurn, lines, quantile, ratios } from './ratio.ts';

const sizes = [1_000, 10_000, 100_000, 1_000_000] as const;
const rounds = 15;

const cell = (value: number, digits = 0) => value.toFixed(digits).padStart(8);

/** Microseconds that a request of one kind takes in each workspace, and the largest of them against the smallest. */
async function row(kinds: readonly Kind[]): Promise<string> {
  const sides = kinds.map(({ times, ask }, index) => ({
    name: String(sizes[index]),
    run: async () => {
      for (let time = 0; time < times; time += 1) await ask();
    },
  }));
  const found = await inTurn(sides, rounds);
  const each = found.map((times, index) => (quantile(times, 0.5) * 1000) / (kinds[index]?.times ?? 1));
  const [small = [], large = []] = [found[0], found.at(-1)];
  const ratios = large.map((time, round) => time / (small[round] ?? Number.NaN));
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => quantile(ratios, part).toFixed(2));
  return `${each.map((value) => cell(value)).join('')}${`${median} (${low} to ${high})`.padStart(24)}`;
}

/** Page 10,000 of a million contacts, against the first. */
async function deepPage(page: (after: number) => Promise<void>): Promise<string> {
  const often = (name: string, after: number) => ({
    name,
    run: async () => {
      for (let time = 0; time < 50; time += 1) await page(after);
    },
  });
  return lines(
    await ratios(often('', 0), [often('page 10,000 of a million contacts, to the first', 999_900)], rounds),
  );
}

/** What each request costs in workspaces of growing size. */
async function requests(files: readonly string[], write: (text: string) => void): Promise<void> {
  const workspaces = sizes.map((records, index) => kindsOn(files[index] ?? '', records));
  write('Growth, microseconds of a request where there are so many records of each kind, ');
  write(`median of ${rounds} (half lie between)\n${heads}${'a million to a thousand'.padStart(24)}\n`);
  try {
    const names = Object.keys(workspaces[0]?.kinds ?? {}) as (keyof (typeof workspaces)[0]['kinds'])[];
    for (const name of names) write(`${await row(workspaces.map(({ kinds }) => kinds[name]))}  ${name}\n`);
    const largest = workspaces.at(-1);
    if (largest) write(await deepPage(largest.page));
  } finally {
    for (const { close } of workspaces) await close();
  }
}

const heads = sizes.map((records) => `${records / 1000} k`.padStart(8)).join('');

const told = ({ name, digits, costs }: Row) =>
  `${costs
    .map((cost) => cell(cost, digits))
    .join('')
    .padEnd(8 * sizes.length)}  ${name}\n`;

/** What requests and commands cost in workspaces of growing size. */
export async function growth(folder: string, env: NodeJS.ProcessEnv, write: (text: string) => void) {
  const grown = sizes.map((records) => ({ records, file: join(folder, `grown-${records}.sqlite`) }));
  for (const { file, records } of grown) await grow(file, records);
  await requests(
    grown.map(({ file }) => file),
    write,
  );
  write(`Commands from start to end, where there are so many\n${heads}\n`);
  const all = [
    () => lookUps(folder, env, grown),
    () => lists(folder, env, grown),
    () => among(folder, env, grown),
    () => wholly(folder, env, sizes),
  ];
  for (const rows of all) write((await rows()).map(told).join(''));
}
