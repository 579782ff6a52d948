import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lines, type Measured, ratios } from './ratio.ts';
import { started } from './started.ts';

const rounds = 30;
const find = 'contacts find --email jiwoo.kim@hanbit-cold.example';

/** Runs a program to its end; gives what it printed. It prints into a file, as `kith … >FILE` in a shell. */
function ran([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv, input = ''): string {
  const file = join(tmpdir(), `kith-bench-${process.pid}.out`);
  const out = openSync(file, 'w+');
  try {
    const { status, stderr } = spawnSync(command, args, { env, input, stdio: ['pipe', out, 'pipe'] });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(out);
    rmSync(file);
  }
}

const kith = (line: string) => [process.execPath, 'bin/kith.js', ...line.split(' ')];

/** Commands of kith with the settings of a folder, the name of each with what it talks to. */
function commands(env: NodeJS.ProcessEnv, where: string, all: readonly string[]): Measured[] {
  return all.map((line) => ({ name: `kith ${line}${where}`, run: () => void ran(kith(line), env) }));
}

/** Other programs of this kind, where this machine has them. */
function peers(env: NodeJS.ProcessEnv, write: (text: string) => void): Measured[] {
  return ['gh', 'vercel', 'netlify'].flatMap((program) => {
    const isThere = spawnSync(program, ['--version'], { env }).status === 0;
    if (!isThere) write(`  (${program} is not installed here)\n`);
    const command = [program, '--version'];
    return isThere ? { name: command.join(' '), run: () => void ran(command, env) } : [];
  });
}

/** How long commands take from start to end, with a profile, as a multiple of `node -e 0` on the same machine. */
export async function starting(
  folder: string,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<void> {
  const local = { ...env, KITH_CONFIG_DIR: join(folder, 'local') };
  const hosted = { ...env, KITH_CONFIG_DIR: join(folder, 'hosted') };
  ran(kith('auth login --local --demo'), local);
  const data = JSON.parse(ran(kith(`${find} --json`), local));
  const page = { data, pagination: { end_cursor: 1, has_next_page: false, total_count: 1 } };
  const service = await started(['test/bench/canned.mjs', JSON.stringify(page)], 'sk_test_for_bench');
  try {
    ran(kith(`auth login --base-url ${service.url} --key-stdin`), hosted, service.key);
    write(`Start, against node -e 0 (Node ${process.versions.node}, median of ${rounds}, quartiles)\n`);
    const requests = [`${find} --json`, `${find} --format table`];
    const measured = [
      ...commands(local, '', ['--version', '--help', 'contacts --help']),
      ...commands(hosted, ' (HTTP)', requests),
      ...commands(local, ' (workspace file)', requests),
      ...peers(env, write),
    ];
    const floor = { name: 'node', run: () => void ran([process.execPath, '-e', '0'], env) };
    // Each in turn with the floor alone: what else runs between leaves the processor another memory.
    for (const one of measured) write(lines(await ratios(floor, [one], rounds)));
  } finally {
    service.child.kill();
  }
}
