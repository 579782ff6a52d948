import { defineConfig } from 'vitest/config';
import { SlowFilesFirst } from './test/support/runner.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup.ts',
    sequence: { sequencer: SlowFilesFirst },
    // Long enough for a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // More than two cores need: half of the tests wait for other processes.
    maxWorkers: 3,
    // No test changes a module, and loading them again takes longer than most files.
    isolate: false,
    // Transforming the modules takes a tenth of a run.
    experimental: { fsModuleCache: true },
    // jq-web exports a promise, which vitest would take for a module.
    deps: { interopDefault: false },
    // The tests ignore the environment of the person who runs them.
    env: {
      TZ: 'UTC',
      CI: '',
      NO_COLOR: '',
      FORCE_COLOR: '',
      KITH_CONFIG_DIR: '',
      KITH_API_KEY: '',
      KITH_BASE_URL: '',
      KITH_PROFILE: '',
      KITH_UNDO: 'off',
      // Node 20 takes 40 ms of processor time at each start to read these certificates.
      NODE_EXTRA_CA_CERTS: '',
    },
  },
});
