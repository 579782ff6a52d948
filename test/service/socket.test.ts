import { afterAll, describe, vi } from 'vitest';

// Every rule once more, over a real socket instead of in this process: the kit reads the way from here.
vi.stubEnv('KITH_TEST_WAY', 'socket');
afterAll(() => void vi.unstubAllEnvs());
// A file that was run here before would not say its tests again.
vi.resetModules();

const rules = [
  'calendar-events',
  'check',
  'contacts',
  'custom-fields',
  'dispatch',
  'entries',
  'lists',
  'notes',
  'organizations',
  'page',
  'phone',
  'values',
];

for (const name of rules) {
  describe(name, async () => {
    await import(`./${name}.test.ts`);
  });
}
