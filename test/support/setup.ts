import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/service/db/sqlite/open-workspace.ts';
import { fillSample } from '../../src/service/demo/fill.ts';
import { offerSharedServer } from './postgres.ts';
import { findTemporaryFolder } from './runner.ts';

/** Returns whether the built program is newer than all its sources. */
function isBuilt(): boolean {
  const readTime = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((name) => join('src', name));
  const builtAt = readTime('dist/man/kith.1'); // the last file of a build
  return ['package.json', 'package-lock.json', 'CHANGELOG.md', ...sources].every(
    (path) => readTime(path) < builtAt,
  );
}

/** Builds the program, and creates the workspaces that the tests copy: an empty one and the sample. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!isBuilt())
    execFileSync(process.execPath, ['--import', 'tsx', 'src/build/main.ts'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  // All temporary files of the run are in one folder, so that nothing is left of it: they may be in memory.
  const folder = mkdtempSync(join(findTemporaryFolder(), 'kith-'));
  chmodSync(folder, 0o1777); // some tests run the program as another user
  process.env.TMPDIR = folder; // for the workers, too
  process.env.KITH_SEED ||= String(Date.now() % 1_000_000);
  process.stdout.write(`KITH_SEED=${process.env.KITH_SEED}\n`);
  const empty = join(folder, 'empty.sqlite');
  openDatabase(empty).close();
  const sample = join(folder, 'sample.sqlite');
  const db = openDatabase(sample);
  await fillSample(db);
  db.close();
  project.provide('empty', empty);
  project.provide('sample', sample);
  project.provide('isCi', process.env.CI === 'true');
  process.env.KITH_TEST_CLUSTER = join(folder, 'cluster');
  const postgres = await offerSharedServer();
  project.provide('postgres', postgres.port);
  return async () => {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
}
