import { spawnSync } from 'node:child_process';
import { inject, type TestContext } from 'vitest';

/**
 * Returns a hook for `beforeEach` that skips the tests if something is not installed. In CI they fail instead, so that
 * CI never passes without running them.
 */
export function requireInstalled(name: string, isInstalled: boolean): (context: TestContext) => void {
  return ({ skip }) => {
    if (isInstalled) return;
    if (inject('isCi')) throw new Error(`${name} is not installed, and CI must have it.`);
    skip(`${name} is not installed`);
  };
}

/** Returns a hook for `beforeEach` that skips the tests if a program is not installed, and fails in CI. */
export const requireProgram = (program: string) =>
  requireInstalled(program, spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0);
