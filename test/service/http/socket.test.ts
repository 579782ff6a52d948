import { afterAll, describe, vi } from 'vitest';

// Every rule once more, over a real socket instead of in this process: the kit reads the way from here.
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
    // Under a name of its own: a file that is loaded already does not tell its tests again.
    await import(/* @vite-ignore */ `${import.meta.dirname}/../${name}.test.ts?socket`);
  });
}
