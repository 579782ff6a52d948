import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ratios } from './ratio.ts';

// How long a command takes from start to end, as a multiple of `node -e 0` on the same machine.
const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'));
const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env; // on Node 20 it costs more than all the rest
const env = { ...inherited, KITH_CONFIG_DIR: folder };
const kith = (line: string) => ({ name: `kith ${line}`, args: ['bin/kith.js', ...line.split(' ')] });

try {
  spawnSync(process.execPath, kith('auth login --local --demo').args, { env });
  const measured = [
    kith('--version'),
    kith('--help'),
    kith('contacts --help'),
    kith('contacts find --email jiwoo.kim@hanbit-cold.example --json'),
    kith('contacts find --email jiwoo.kim@hanbit-cold.example --format table'),
  ];
  process.stdout.write(`Start, against node -e 0 (Node ${process.versions.node}, median of 20, quartiles)\n`);
  for (const { name, median, quartiles } of ratios(
    { name: 'node -e 0', args: ['-e', '0'] },
    measured,
    20,
    env,
  )) {
    const [low, high] = quartiles.map((value) => value.toFixed(2));
    process.stdout.write(`  ${median.toFixed(2)}  (${low} to ${high})  ${name}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
