import { afterAll, describe, vi } from 'vitest';

// Runs every rule a second time over a real socket; `workspace` in test/service/service.ts reads this variable.
vi.stubEnv('KITH_TEST_WAY', 'socket');
afterAll(() => void vi.unstubAllEnvs());

const rules = [
  'calendar/calendar-events',
  'validate',
  'records/contact-look-up',
  'records/contacts',
  'records/custom-fields',
  'dispatch',
  'records/entries',
  'records/entry-rules',
  'records/lists',
  'records/notes',
  'records/organizations',
  'db/page',
  'records/phone',
  'records/field-values',
];

for (const name of rules) {
  describe(name, async () => {
    // The suffix makes it another module: a loaded file does not register its tests again.
    await import(/* @vite-ignore */ `${import.meta.dirname}/../${name}.test.ts?socket`);
  });
}
