import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceWithMeetings } from './meetings.ts';
import { peakOf, ran } from './ran.ts';
import { lines, type Measured, type Ratio, ratios } from './ratio.ts';
import { type Service, servedFile, started } from './started.ts';

const rounds = 3;
const wholly = ['--transcript', '--with', 'json'];

/** A service that answers from memory; ten minutes are 60 turns. */
export const plainService = (meetings: number, turns = 60) =>
  started(
    ['--import', 'tsx', 'test/bench/plain-server.ts', String(meetings), String(turns)],
    'key-for-bench',
  );

/** The words of a command that exports all meetings. */
export const exportArgs = (out: string) => ['bin/kith.js', 'events', 'export', '--out', out, '--quiet'];

/** Measures exports from a service into a folder, which is empty before each. */
function exportsFrom({ url, key }: Service, folder: string, env: NodeJS.ProcessEnv) {
  const own = { ...env, KITH_BASE_URL: url, KITH_API_KEY: key };
  const out = join(folder, 'out');
  const exported = (name: string, flags: readonly string[], node: readonly string[] = []): Measured => ({
    name,
    before: () => rmSync(out, { recursive: true, force: true }),
    run: () => ran(process.execPath, [...node, ...exportArgs(out), ...flags], own),
  });
  const bare: Measured = {
    name: 'bare',
    run: () => ran(process.execPath, ['test/bench/bare.mjs', url, key], own),
  };
  return { exported, bare };
}

/** The most memory that an export held, in MB. */
async function peak(
  folder: string,
  env: NodeJS.ProcessEnv,
  meetings: number,
  flags: readonly string[],
): Promise<number> {
  const service = await plainService(meetings);
  try {
    return await peakOf(folder, async (node) => {
      const { before, run } = exportsFrom(service, folder, env).exported('', flags, node);
      before?.();
      await run();
    });
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
  await workspaceWithMeetings(database, meetings);
  write(
    `Export of ${meetings} meetings of ten minutes from kith serve, against a bare download (median of ${rounds}, quartiles)\n`,
  );
  write(lines(await compared(await servedFile(database), folder, env)));
  write('The same from a server that answers from memory\n');
  write(lines(await compared(await plainService(meetings), folder, env)));
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
