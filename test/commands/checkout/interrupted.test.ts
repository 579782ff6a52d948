import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createSignedInHome, launcher, runKith } from '../../support/binary.ts';
import { countRounds, createRandom } from '../../support/rounds.ts';
import { createDemoCopy } from './working-copy.ts';

function startKith(args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [launcher, ...args], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('continues a killed checkout, and counts no file as edited', async () => {
  const { env, home } = createSignedInHome();
  const root = join(home, 'crm');
  const journal = join(root, '.kith/files.ndjson');
  const random = createRandom(1);
  for (const _ of countRounds(1, 50)) {
    const child = startKith(['workspace', 'checkout', root], env);
    const size = (statSync(journal, { throwIfNoEntry: false })?.size ?? 0) + random() * 400_000;
    const ended = once(child, 'exit');
    while (child.exitCode === null && (statSync(journal, { throwIfNoEntry: false })?.size ?? 0) < size)
      await wait(1);
    child.kill('SIGKILL');
    await ended;
    const { out } = await runKith(['workspace', 'status', root, '--local', '--json'], { env });
    expect(JSON.parse(out)).toEqual([]);
  }
  const { code, out } = await runKith(['workspace', 'checkout', root, '--json'], { env });
  expect({ code, result: JSON.parse(out) }).toMatchObject({ code: 0, result: { edited: 0, conflict: 0 } });
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  expect(names.filter((name) => /^(?!\.kith).*\.(yaml|md)$/.test(name))).toHaveLength(509);
  expect(names.filter((name) => name.endsWith('.kith-tmp'))).toEqual([]);
}, 120_000);

test('a second run at the same time exits with 75', async () => {
  const { kith, root } = createDemoCopy();
  const results = await Promise.all([1, 2].map(() => kith(['workspace', 'checkout', root])));
  expect(results.map(({ code }) => code).toSorted()).toEqual([0, 75]);
  expect(results.find(({ code }) => code === 75)?.err).toContain('Another run is checking out to');
}, 30_000);
