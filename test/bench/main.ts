import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exporting } from './export.ts';
import { growth } from './growth.ts';
import { importing } from './import.ts';
import { lines, type Measured, ratios } from './ratio.ts';
import { serving } from './service.ts';

const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env; // on Node 20 it costs more than all the rest
const env = { ...inherited, KITH_CONFIG_DIR: folder };

function node(name: string, args: readonly string[]): Measured {
  const run = () => {
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  };
  return { name, run };
}

const kith = (line: string) => node(`kith ${line}`, ['bin/kith.js', ...line.split(' ')]);

/** How long a command takes from start to end, as a multiple of `node -e 0` on the same machine. */
async function startUp(): Promise<void> {
  await kith('auth login --local --demo').run();
  const measured = [
    kith('--version'),
    kith('--help'),
    kith('contacts --help'),
    kith('contacts find --email jiwoo.kim@hanbit-cold.example --json'),
    kith('contacts find --email jiwoo.kim@hanbit-cold.example --format table'),
  ];
  const found = await ratios(node('node -e 0', ['-e', '0']), measured, 20);
  process.stdout.write(`Start, against node -e 0 (Node ${process.versions.node}, median of 20, quartiles)\n`);
  process.stdout.write(lines(found));
}

const write = (text: string) => void process.stdout.write(text);
const all = {
  start: startUp,
  growth: () => growth(folder, env, write),
  service: () => serving(folder, env, write),
  export: () => exporting(folder, env, write),
  import: () => importing(folder, env, write),
};

try {
  // `npm run bench export` measures that alone.
  const wanted = process.argv.slice(2);
  for (const [name, measure] of Object.entries(all)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
