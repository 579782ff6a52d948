import { join } from 'node:path';
import { lines, ratios } from './ratio.ts';
import { workspaceOf } from './workspace.ts';

const rounds = 30;

/** Something done so often that the clock can tell. */
const often = (name: string, times: number, work: (index: number) => Promise<void>) => ({
  name,
  run: async () => {
    for (let index = 0; index < times; index += 1) await work(index);
  },
});

const lookUps = {
  byEmail: 'by email',
  byPhone: 'by phone',
  byUnknownPhone: 'by a phone number that nobody has',
} as const;

/** What a look-up and a page cost in a workspace with a million contacts. */
export async function million(folder: string, write: (text: string) => void): Promise<void> {
  const start = performance.now();
  const small = await workspaceOf(join(folder, 'thousand.sqlite'), 1_000);
  const large = await workspaceOf(join(folder, 'million.sqlite'), 1_000_000);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  try {
    write(`A million contacts (built in ${seconds} s, median of ${rounds}, quartiles)\n`);
    for (const how of ['byEmail', 'byPhone', 'byUnknownPhone'] as const) {
      const name = `look-up ${lookUps[how]}, against a thousand contacts`;
      write(lines(await ratios(often('thousand', 100, small[how]), [often(name, 100, large[how])], rounds)));
    }
    const pages = [
      often('page 9,999 of 100, read in order, against the first page', 20, (index) =>
        large.page(9_980 + index),
      ),
      often('a page of 100 anywhere, against the first page', 20, () =>
        large.page(1 + Math.floor(Math.random() * 10_000)),
      ),
    ];
    write(
      lines(
        await ratios(
          often('first page', 20, () => large.page(1)),
          pages,
          rounds,
        ),
      ),
    );
    const totals = [
      often('one contact and total_count, against a thousand contacts', 50, large.smallPage),
      often('counting the contacts, against the same', 50, large.counted),
    ];
    write(lines(await ratios(often('thousand', 50, small.smallPage), totals, 5)));
  } finally {
    await Promise.all([small.close(), large.close()]);
  }
}
