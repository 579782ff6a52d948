/**
 * The flags of Node for who runs tests: it optimizes only what is called very often. A sixth of the work was to optimize
 * what one test calls for a moment. Node 20 has such a flag; from 22 on there are cheaper steps before.
 */
export function optimizingLate(): string[] {
  return process.versions.node.startsWith('20.') ? ['--interrupt-budget=1000000'] : [];
}

/**
 * The flag of Node for who runs tests of many files: with four times the usual room for new objects most of them are
 * garbage by the time that it is full. To collect them was a twentieth of the work.
 */
export const roomy = '--max-semi-space-size=64';
