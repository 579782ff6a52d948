import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/service/database.ts';
import { fillSample } from '../src/service/demo/fill.ts';

/** Builds the program that the tests of the binary run, and the sample workspace that the others copy. */
export default async function setup(project: TestProject): Promise<() => void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const folder = mkdtempSync(join(tmpdir(), 'kith-sample-'));
  const sample = join(folder, 'sample.sqlite');
  const db = openDatabase(sample);
  await fillSample(db);
  await db.destroy();
  project.provide('sample', sample);
  project.provide('isCi', process.env.CI === 'true');
  return () => rmSync(folder, { recursive: true, force: true });
}
