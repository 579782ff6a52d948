import { spawnSync } from 'node:child_process';
import { inject, type TestContext } from 'vitest';

/**
 * Returns a hook for `beforeEach` that skips the tests if a program is not installed. In CI they fail instead, so that
 * CI never passes without running them.
 */
export function requireProgram(program: string): (context: TestContext) => void {
  const isInstalled = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
  return ({ skip }) => {
    if (isInstalled) return;
    if (inject('isCi')) throw new Error(`${program} is not installed, and CI must have it.`);
    skip(`${program} is not installed`);
  };
}
