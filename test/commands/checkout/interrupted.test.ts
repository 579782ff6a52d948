import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createEnv, createSignedInHome, launcher, runKith } from '../../support/binary.ts';
import { createTemporaryFolder } from '../../support/kith.ts';
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

test('continues a killed push: creates every record once, and one undo reverts all changes', async () => {
  for (const round of countRounds(1, 20)) {
    const count = 60;
    const service = await startControlledService();
    const env = createEnv(createTemporaryFolder(), { ...service.env, KITH_UNDO: 'auto' });
    const root = join(createTemporaryFolder(), 'crm');
    expect(await runKith(['workspace', 'checkout', root], { env })).toMatchObject({ code: 0 });
    mkdirSync(join(root, 'contacts'), { recursive: true });
    for (let index = 0; index < count; index += 1)
      writeFileSync(join(root, `contacts/new-${index}.yaml`), `first_name: Person ${index}\n`);
    const child = startKith(['workspace', 'push', root, '--yes'], env);
    let creates = 0;
    service.control.after = ({ method }) => {
      if (method === 'POST') creates += 1;
      if (creates === 20 + round) child.kill('SIGKILL');
      return false;
    };
    await once(child, 'exit');
    service.control.after = () => false;
    const { code, err } = await runKith(['workspace', 'push', root, '--yes'], { env });
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringContaining('Continuing the interrupted'),
    });
    const list = await runKith(['contacts', 'list', '--all', '--json'], { env });
    const names = JSON.parse(list.out).map(({ first_name }: { first_name: string }) => first_name);
    expect(names.toSorted()).toEqual(
      Array.from({ length: count }, (_, index) => `Person ${index}`).toSorted(),
    );
    expect(await runKith(['workspace', 'status', root, '--json'], { env })).toMatchObject({ out: '[]\n' });
    expect(await runKith(['undo', '--yes'], { env })).toMatchObject({
      code: 0,
      out: `Undid \`kith workspace push\`: ${count} changes.\n`,
    });
  }
}, 120_000);

test('a second run at the same time exits with 75', async () => {
  const { kith, root } = createDemoCopy();
  const results = await Promise.all([1, 2].map(() => kith(['workspace', 'checkout', root])));
  expect(results.map(({ code }) => code).toSorted()).toEqual([0, 75]);
  expect(results.find(({ code }) => code === 75)?.err).toContain('Another run is checking out to');
}, 30_000);
