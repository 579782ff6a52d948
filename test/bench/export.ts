import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceWithMeetings } from './meetings.ts';
import { lines, type Measured, ratios } from './ratio.ts';
import { type Service, started } from './started.ts';

const rounds = 7;

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

/** Measures exports into folders of their own below one. */
function exportsFrom({ url, key }: Service, folder: string, env: NodeJS.ProcessEnv) {
  const own = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
  let count = 0;
  const exported = (name: string, flags: readonly string[], before: readonly string[] = []): Measured => ({
    name,
    run: () => {
      count += 1;
      const out = join(folder, `out-${count}`);
      return ran([...before, 'bin/kith.js', 'events', 'export', '--out', out, ...flags], own);
    },
  });
  const bare: Measured = { name: 'bare', run: () => ran(['test/bench/bare.mjs', url, key], own) };
  return { exported, bare };
}

/** The most memory that an export held, in MB. */
async function peak(folder: string, env: NodeJS.ProcessEnv, meetings: number): Promise<number> {
  const service = await plain(meetings);
  try {
    const told = join(folder, 'rss');
    const script = join(folder, 'rss.cjs');
    writeFileSync(
      script,
      `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)))`,
    );
    const { exported } = exportsFrom(service, join(folder, `peak-${meetings}`), env);
    await exported('peak', [], ['--require', script]).run();
    return Number(readFileSync(told, 'utf8')) / 1024;
  } finally {
    service.child.kill();
  }
}

/** What an export takes beside a program that only downloads the same. */
export async function exporting(
  folder: string,
  env: NodeJS.ProcessEnv,
  write: (text: string) => void,
): Promise<void> {
  const meetings = 2000;
  const database = join(folder, 'meetings.sqlite');
  const key = await workspaceWithMeetings(database, meetings);
  const services = [
    ['kith serve', await started(['bin/kith.js', 'serve', '--database', database, '--port', '0'], key)],
    ['a server that answers from memory', await plain(meetings)],
  ] as const;
  write(
    `Export of ${meetings} meetings of ten minutes, against a bare download (median of ${rounds}, quartiles)\n`,
  );
  for (const [name, service] of services) {
    const out = join(folder, 'exports');
    const { exported, bare } = exportsFrom(service, out, env);
    const found = await ratios(
      bare,
      [
        exported(`from ${name}`, []),
        exported(`from ${name}, with --transcript --with json`, ['--transcript', '--with', 'json']),
      ],
      rounds,
    );
    write(lines(found));
    service.child.kill();
    rmSync(out, { recursive: true, force: true });
  }
  for (const count of [meetings, 10_000]) {
    write(`  ${(await peak(folder, env, count)).toFixed(0)} MB at the most for ${count} meetings\n`);
  }
}
