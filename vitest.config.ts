import { defineConfig } from 'vitest/config';
import { optimizingLate, roomy } from './test/support/engine.ts';
import { SlowFirst } from './test/support/order.ts';
import { scratchFolder } from './test/support/scratch.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/setup.ts',
    sequence: { sequencer: SlowFirst },
    // A test that hangs ends some time; one on a machine that is busy must not.
    testTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // More than there are cores: half of the tests wait for other processes.
    maxWorkers: 3,
    // To read the modules anew for each file takes longer than most files; no test changes them.
    isolate: false,
    execArgv: [...optimizingLate(), roomy],
    // Libraries are imported as Node does it: jq-web exports a promise, which vitest would take for a module.
    deps: { interopDefault: false },
    // A settings folder, a time zone or a key of the person who runs the tests must not matter.
    env: {
      TMPDIR: scratchFolder(),
      TZ: 'UTC',
      CI: '',
      NO_COLOR: '',
      FORCE_COLOR: '',
      KITH_CONFIG_DIR: '',
      KITH_API_KEY: '',
      KITH_BASE_URL: '',
      KITH_PROFILE: '',
    },
  },
});
