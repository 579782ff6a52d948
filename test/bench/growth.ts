import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grown } from './grown.ts';
import { ratios } from './ratio.ts';

const sizes = [1_000, 10_000, 100_000, 1_000_000] as const;
const rounds = 15;
const times = 50;

/** Seconds and megabytes that `kith contacts list --all` takes, its output thrown away. */
function readAll(
  folder: string,
  env: NodeJS.ProcessEnv,
  records: number,
): { seconds: number; megabytes: number } {
  const told = join(folder, 'rss');
  const script = join(folder, 'rss.cjs');
  writeFileSync(
    script,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`,
  );
  const profile = { ...env, KITH_CONFIG_DIR: join(folder, `config-${records}`) };
  const run = (...args: string[]) => {
    const output = openSync('/dev/null', 'w');
    const { status, stderr } = spawnSync(process.execPath, ['--require', script, 'bin/kith.js', ...args], {
      env: profile,
      encoding: 'utf8',
      stdio: ['ignore', output, 'pipe'],
    });
    closeSync(output);
    if (status !== 0) throw new Error(stderr);
  };
  run('auth', 'login', '--local', '--database', fileOf(folder, records));
  const start = performance.now();
  run('contacts', 'list', '--all', '--format', 'ndjson', '--page-size', '500');
  return {
    seconds: (performance.now() - start) / 1000,
    megabytes: Number(readFileSync(told, 'utf8')) / 1024,
  };
}

const fileOf = (folder: string, records: number) => join(folder, `grown-${records}.sqlite`);

/** What each request costs in workspaces of growing size, as a multiple of what it costs in one of a thousand. */
export async function growth(folder: string, env: NodeJS.ProcessEnv, write: (text: string) => void) {
  const start = performance.now();
  const workspaces = [];
  for (const records of sizes) workspaces.push(await grown(fileOf(folder, records), records));
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const heads = sizes.map((records) => `${records / 1000} k`.padStart(8)).join('');
  write(
    `Growth, records of each kind (built in ${seconds} s); against a thousand, median of ${rounds}\n${heads}\n`,
  );
  try {
    for (const name of Object.keys(workspaces[0]?.measures ?? {})) {
      const measured = workspaces.map(({ measures }, index) => ({
        name: String(sizes[index]),
        run: async () => {
          const work = Object.entries(measures).find(([one]) => one === name)?.[1];
          for (let time = 0; time < times; time += 1) await work?.();
        },
      }));
      const [floor, ...others] = measured;
      if (!floor) return;
      const found = await ratios(floor, others, rounds);
      const cells = [1, ...found.map(({ median }) => median)].map((ratio) => ratio.toFixed(2).padStart(8));
      write(`${cells.join('')}  ${name}\n`);
    }
  } finally {
    for (const { close } of workspaces) await close();
  }
  const read = sizes.slice(1).map((records) => ({ records, ...readAll(folder, env, records) }));
  const each = read.map(({ records, seconds }) => ((seconds / records) * 1e6).toFixed(0).padStart(8));
  const memory = read.map(({ megabytes }) => megabytes.toFixed(0).padStart(8));
  write(`${' '.repeat(8)}${each.join('')}  the whole list as NDJSON, microseconds a record\n`);
  write(`${' '.repeat(8)}${memory.join('')}  and megabytes at the most\n`);
}
