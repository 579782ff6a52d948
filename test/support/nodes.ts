/** `npm run test:nodes` runs the tests of the built program on each supported Node. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode, nodeVersions } from './node-versions.ts';

const tests = [
  'test/bin.test.ts',
  'test/process',
  'test/reliability',
  'test/service',
  'test/build/completions',
  'test/completion',
  'test/changes',
  'test/commands/edit',
  'test/commands/forms',
  'test/cli/prompts',
  'test/commands/mcp',
  'test/search',
  'test/commands/search.test.ts',
];

const folder = mkdtempSync(join(tmpdir(), 'kith-nodes-'));
chmodSync(folder, 0o755); // a test runs it as another user
try {
  for (const version of nodeVersions) {
    const node = installNode(folder, version);
    const exact = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    const run = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...tests], { encoding: 'utf8' });
    const [totals = ''] = run.stdout.match(/^.*Tests .*$/m) ?? [];
    process.stdout.write(`${exact}: ${totals.trim()}\n`);
    if (run.status === 0) continue;
    process.stdout.write(run.stdout + run.stderr);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
