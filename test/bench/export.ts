import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceWithMeetings } from './meetings.ts';
import { lines, type Measured, type Ratio, ratios } from './ratio.ts';
import { type Service, started } from './started.ts';

const rounds = 3;
const wholly = ['--transcript', '--with', 'json'];

const plain = (meetings: number) =>
  started(['--import', 'tsx', 'test/bench/plain-server.ts', String(meetings)], 'key-for-bench');

/** Runs a program to its end. */
function ran(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    );
  });
}

/** Measures exports from a service into a folder, which is empty before each. */
function exportsFrom({ url, key }: Service, folder: string, env: NodeJS.ProcessEnv) {
  const own = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
  const out = join(folder, 'out');
  const exported = (name: string, flags: readonly string[], node: readonly string[] = []): Measured => ({
    name,
    before: () => rmSync(out, { recursive: true, force: true }),
    run: () => ran([...node, 'bin/kith.js', 'events', 'export', '--out', out, ...flags], own),
  });
  const bare: Measured = { name: 'bare', run: () => ran(['test/bench/bare.mjs', url, key], own) };
  return { exported, bare };
}

/** The most memory that an export held, in MB. */
async function peak(
  folder: string,
  env: NodeJS.ProcessEnv,
  meetings: number,
  flags: readonly string[],
): Promise<number> {
  const service = await plain(meetings);
  try {
    const told = join(folder, 'rss');
    const script = join(folder, 'rss.cjs');
    writeFileSync(
      script,
      `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`,
    );
    const { before, run } = exportsFrom(service, folder, env).exported('', flags, ['--require', script]);
    before?.();
    await run();
    return Number(readFileSync(told, 'utf8')) / 1024;
  } finally {
    service.child.kill();
  }
}

/** What exports from a service take beside a program that only downloads the same. */
async function compared(service: Service, folder: string, env: NodeJS.ProcessEnv): Promise<Ratio[]> {
  try {
    const { exported, bare } = exportsFrom(service, folder, env);
    const others = [exported('Markdown', []), exported(wholly.join(' '), wholly)];
    return await ratios(bare, others, rounds, 1);
  } finally {
    service.child.kill();
  }
}

/** What an export takes, in time and in memory. */
export async function exporting(
  folder: string,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<void> {
  const meetings = 2000;
  const database = join(folder, 'meetings.sqlite');
  const key = await workspaceWithMeetings(database, meetings);
  const serve = ['bin/kith.js', 'serve', '--database', database, '--port', '0'];
  write(
    `Export of ${meetings} meetings of ten minutes from kith serve, against a bare download (median of ${rounds}, quartiles)\n`,
  );
  write(lines(await compared(await started(serve, key), folder, env)));
  write('The same from a server that answers from memory\n');
  write(lines(await compared(await plain(meetings), folder, env)));
  write('The most memory that an export held\n');
  for (const [count, flags] of [
    [meetings, []],
    [10_000, []],
    [meetings, wholly],
  ] as const) {
    const held = await peak(folder, env, count, flags);
    write(`  ${held.toFixed(0)} MB for ${count} meetings${flags.map((flag) => ` ${flag}`).join('')}\n`);
  }
}
