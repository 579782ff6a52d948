import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createEnv, launcher } from './binary.ts';
import { createTemporaryFolder } from './kith.ts';

/** Runs the built program with flags of Node. Returns its exit code and its peak memory in MB. `read` gets its stdout. */
export async function measureMemory(
  flags: readonly string[],
  words: readonly string[],
  more: Readonly<Record<string, string>>,
  read: (lines: Readable) => Promise<void>,
) {
  const home = createTemporaryFolder();
  const [status, hookFile] = [join(home, 'status'), join(home, 'hook.cjs')];
  writeFileSync(
    hookFile,
    `const { readFileSync, writeFileSync } = require('node:fs');
     process.on('exit', () => writeFileSync(${JSON.stringify(status)}, readFileSync('/proc/self/status')));`,
  );
  const kith = spawn(process.execPath, [...flags, '--require', hookFile, launcher, ...words], {
    env: createEnv(home, more),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const result = once(kith, 'close');
  await read(kith.stdout);
  const [code] = await result;
  // Without memory, it cannot write the status: the peak is then NaN.
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(existsSync(status) ? readFileSync(status, 'utf8') : '') ?? [];
  return { code: Number(code), megabytes: Number(kilobytes) / 1024 };
}
