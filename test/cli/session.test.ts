import { expect, test } from 'vitest';
import type { Context } from '../../src/cli/context.ts';
import type { Globals } from '../../src/cli/globals.ts';
import { runOn } from '../../src/cli/session.ts';
import type { Wiring } from '../../src/client/client.ts';
import { temporaryFolder } from '../kith.ts';

test('what is to be done where a run is over is done then, and at once after it', async () => {
  let wiring: Pick<Wiring, 'whenOver'> | undefined;
  const sink = { isTerminal: false, columns: undefined, rows: undefined, write: async () => {} };
  const context = {
    env: { KITH_CONFIG_DIR: temporaryFolder() },
    signal: new AbortController().signal,
    stdout: sink,
    stderr: sink,
    clientOver: async (wired: Wiring) => {
      wiring = wired;
    },
  };
  const run = runOn(context as unknown as Context); // the rest is not used to make a client
  const transport = { send: () => Promise.reject(), close: async () => {} };
  await run.with({} as Globals).clientOver(transport); // none is given
  const done: string[] = [];
  wiring?.whenOver(() => void done.push('during the run'));
  expect(done).toEqual([]);
  await run.close();
  wiring?.whenOver(() => void done.push('after it'));
  expect(done).toEqual(['during the run', 'after it']);
});
