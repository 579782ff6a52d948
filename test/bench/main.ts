import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exporting } from './export.ts';
import { growth } from './growth.ts';
import { importing } from './import.ts';
import { listing } from './list.ts';
import { serving } from './service.ts';
import { starting } from './start.ts';

const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env; // on Node 20 it costs more than all the rest
const env = { ...inherited, KITH_CONFIG_DIR: folder };

const write = (text: string) => void process.stdout.write(text);
const all = {
  start: () => starting(folder, env, write),
  growth: () => growth(folder, env, write),
  list: () => listing(folder, env, write),
  service: () => serving(folder, write),
  export: () => exporting(folder, env, write),
  import: () => importing(folder, env, write),
};

try {
  // `npm run bench export` measures that alone.
  const wanted = process.argv.slice(2);
  const unknown = wanted.find((name) => !(name in all));
  if (unknown) throw new Error(`There is no "${unknown}" to measure, only ${Object.keys(all).join(', ')}.`);
  for (const [name, measure] of Object.entries(all)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
