import { afterAll, describe, vi } from 'vitest';

// Runs the rules again over a real socket, for each way in which HTTP can carry a request: path, query, body, no body.
// `workspace` in test/service/service.ts reads this variable.
vi.stubEnv('KITH_TEST_WAY', 'socket');
afterAll(() => void vi.unstubAllEnvs());

const rules = ['validate', 'dispatch', 'records/creates', 'records/updates'];

for (const name of rules) {
  describe(name, async () => {
    // The suffix makes it another module: a loaded file does not register its tests again.
    const file = `${import.meta.dirname}/../${name}.test.ts?socket`;
    await import(/* @vite-ignore */ file);
  });
}
