import { spawnSync } from 'node:child_process';
import { inject, type TestContext } from 'vitest';

/**
 * For `beforeEach`: a program that the tests of a file run. Where it is not installed they are skipped with a
 * note, on a person's machine; in CI they fail, so that it never passes by having tested nothing.
 */
export function needs(program: string): (context: TestContext) => void {
  const isInstalled = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
  return ({ skip }) => {
    if (isInstalled) return;
    if (inject('isCi')) throw new Error(`${program} is not installed, and CI must have it.`);
    skip(`${program} is not installed`);
  };
}
