import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Measurement, measureRatios } from './measure.ts';
import { readOutput, startServer, withService } from './processes.ts';
import { type Bench, nameRatioColumns, type Section } from './report.ts';

const rounds = 30;
const find = 'contacts find --email jiwoo.kim@hanbit-cold.example';

/** Measures how long commands take from start to exit, as a multiple of `node -e 0`. */
export async function measureStart(bench: Bench): Promise<Section> {
  const { folder, env } = bench;
  const run = (entry: string, line: string, env: NodeJS.ProcessEnv, input?: string) =>
    readOutput(bench, [entry, ...line.split(' ')], env, input);
  const builds = bench.builds.map(({ entry }, index) => ({
    entry,
    local: { ...env, KITH_CONFIG_DIR: join(folder, `local-${index}`) },
    hosted: { ...env, KITH_CONFIG_DIR: join(folder, `hosted-${index}`) },
  }));
  let body = '';
  for (const { entry, local } of builds) {
    run(entry, 'auth login --local --demo', local);
    const data = JSON.parse(run(entry, `${find} --json`, local));
    body = JSON.stringify({
      data,
      pagination: { end_cursor: 1, has_next_page: false, total_count: data.length },
    });
  }
  return withService(startServer('fixed', body), async (service) => {
    for (const { entry, hosted } of builds) {
      run(entry, `auth login --base-url ${service.url} --key-stdin`, hosted, service.key);
    }
    const measureCommand = (profile: 'local' | 'hosted') => (line: string) => ({
      name: `\`kith ${line}\``,
      measurements: builds.map((build) => ({ run: () => run(build.entry, line, build[profile]) })),
    });
    const requests = [`${find} --json`, `${find} --format table`];
    const commands = [
      ...['--version', '--help', 'contacts --help'].map(measureCommand('local')),
      ...requests
        .map(measureCommand('hosted'))
        .map((command) => ({ ...command, name: `${command.name}, over HTTP` })),
      ...requests
        .map(measureCommand('local'))
        .map((command) => ({ ...command, name: `${command.name}, workspace file` })),
      ...(bench.builds.length === 1 ? findOtherPrograms(env) : []),
    ];
    const floor = { run: () => readOutput(bench, ['-e', '0'], env) };
    const rows: string[][] = [];
    // Each command alone with the floor: programs that run in between would change the caches of the processor.
    for (const { name, measurements } of commands) {
      rows.push([name, ...(await measureRatios(floor, measurements, rounds))]);
    }
    const text = `Time of a whole command, compared with \`node -e 0\` (${rounds} runs). Over HTTP, one request goes to a server on this machine. \`gh\`, \`vercel\` and \`netlify\` are measured if they are installed.`;
    return {
      title: 'Start',
      tables: [{ text, columns: ['command', ...nameRatioColumns(bench, 'ratio to `node -e 0`')], rows }],
    };
  });
}

/** Finds other command line programs on this machine, for comparison. */
function findOtherPrograms(env: NodeJS.ProcessEnv): { name: string; measurements: Measurement[] }[] {
  const runVersion = (program: string) => spawnSync(program, ['--version'], { env });
  return ['gh', 'vercel', 'netlify']
    .filter((program) => runVersion(program).status === 0)
    .map((program) => ({
      name: `\`${program} --version\``,
      measurements: [{ run: () => runVersion(program) }],
    }));
}
