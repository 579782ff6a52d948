import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findTemporaryFolder } from '../support/runner.ts';
import { type Build, copyBuild } from './builds.ts';
import { type Chain, formatLine, hashChain, listChains } from './chains.ts';
import { compareRuns, type Difference } from './differences.ts';
import { Machine, type Sample } from './machine.ts';
import { RecordingProxy } from './proxy.ts';
import { faults, type Mode, Runner } from './runs.ts';

const usage = `Usage: npm run compare -- PATH [--only WORDS] [--sample N] [--modes NAMES] [--jobs N] [--thorough]

Compares the build of this checkout with the build of the checkout at PATH.

  --only WORDS   only chains with a command line that contains these words
  --sample N     only N chains, the same ones each time
  --modes NAMES  only these modes, comma-separated: pipe, terminal, http, cross, faults. In cross, this build uses a
                 service of the other build
  --jobs N       number of chains to run at a time (default 3)
  --thorough     run cross and every fault for all chains; by default, cross for a quarter of the chains and one fault
                 for a third
`;

const options = {
  only: { type: 'string' },
  sample: { type: 'string' },
  modes: { type: 'string', default: 'pipe,terminal,http,cross,faults' },
  jobs: { type: 'string', default: '3' },
  thorough: { type: 'boolean', default: false },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** The numbers of command lines, of their runs in all modes, and of differences. */
interface Report {
  lines: number;
  runs: number;
  differences: number;
}

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [path] = positionals;
  if (path === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const folder = mkdtempSync(join(findTemporaryFolder(), 'kith-compare-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return compareBuilds(path, folder, values);
}

/** Compares the build at a path with that of this checkout, and prints the differences. */
async function compareBuilds(path: string, folder: string, options: Options): Promise<number> {
  const builds = [
    copyBuild(path, join(folder, 'builds/a')),
    copyBuild('.', join(folder, 'builds/b')),
  ] as const;
  const { sample, ids } = await createSample(builds[0], join(folder, 'sample'));
  const chains = chooseChains(await listChains(ids), options);
  const report: Report = { lines: 0, runs: 0, differences: 0 };
  const queue = [...chains];
  const work = async (slot: string) => {
    const runner = await openRunner(join(folder, slot), sample);
    for (let chain = queue.shift(); chain; chain = queue.shift())
      await compareChain(runner, chain, builds, options, report);
    runner.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      process.stdout.write(`interrupted: ${formatReport(report)}`);
      process.exit(1);
    });
  }
  await Promise.all(Array.from({ length: Number(options.jobs) }, (_, slot) => work(`slot-${slot}`)));
  process.stdout.write(formatReport(report));
  return report.differences > 0 ? 1 : 0;
}

const formatReport = ({ lines, runs, differences }: Report) =>
  `${lines} command lines, ${runs} runs, ${differences} differences\n`;

/** Creates the sample workspace with a key. `ids`: the ids that replace words in capitals, such as NOTE, in examples. */
async function createSample(build: Build, folder: string) {
  const { preload, home } = new Machine(folder);
  mkdirSync(home);
  const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' };
  const kith = (...words: string[]) =>
    execFileSync(process.execPath, ['--require', preload, build.launcher, ...words], {
      ...{ env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    }).trim();
  kith('auth', 'login', '--local', '--demo');
  const [keyId = '', key = ''] = kith('keys', 'create', 'compare', '--jq', '.id, .key').split('\n');
  const readFirst = (noun: string, path = '.[0].id') => kith(noun, 'list', '--limit', '1', '--jq', path);
  const event = readFirst('events');
  const ids = {
    ...{ EVENT: event, MEETING: event, RECORDING: readFirst('events', '.[0].recordings[0].id') },
    ...{ NOTE: readFirst('notes'), ACTION: readFirst('actions'), FIELD: readFirst('custom-fields') },
    ...{ KEY_ID: keyId, SPEAKER: 'Mina' },
  };
  return { sample: { file: join(home, '.local/share/kith/demo.sqlite'), key }, ids };
}

/** Returns the chains that contain a text, or a sample of them that is the same in each checkout. */
function chooseChains(chains: readonly Chain[], { only, sample }: Options): Chain[] {
  return chains
    .filter(({ lines }) => only === undefined || lines.some((line) => formatLine(line).includes(only)))
    .map((chain) => ({ chain, hash: hashChain(chain) }))
    .sort((one, other) => one.hash - other.hash)
    .slice(0, sample === undefined ? chains.length : Number(sample))
    .map(({ chain }) => chain);
}

async function openRunner(slot: string, sample: Sample): Promise<Runner> {
  const proxy = new RecordingProxy();
  return new Runner(new Machine(slot), proxy, await proxy.open(), sample);
}

/** Runs a chain in each mode with both builds, and prints the differences. */
async function compareChain(
  runner: Runner,
  chain: Chain,
  [before, after]: readonly [Build, Build],
  { modes: names, thorough: isThorough }: Options,
  report: Report,
): Promise<void> {
  const modes = names.split(',');
  report.lines += chain.lines.length;
  const print = (name: string, found: readonly Difference[]) => {
    report.differences += found.length;
    for (const { line, part, diff } of found)
      process.stdout.write(`${name}: ${part}: ${line.trim().replaceAll('\n', '; ')}\n${diff}\n`);
  };
  const run = (mode: Mode, build: Build, server?: Build) => {
    report.runs += chain.lines.length;
    return runner.run(chain, mode, build, server);
  };
  const compare = async (mode: Mode) => {
    const first = await run(mode, before);
    const second = await run(mode, after);
    print(mode.name, compareRuns(chain, mode, first, second));
    return first;
  };
  const piped = modes.includes('pipe') ? await compare({ name: 'pipe' }) : undefined;
  if (modes.includes('terminal')) await compare({ name: 'terminal', isTerminal: true });
  const isInvalid = piped?.lines.every(({ code }) => code === 2);
  if (isInvalid || !modes.some((name) => /^(http|cross|faults)$/.test(name))) return;
  const served = { name: 'http', isServed: true };
  const first = await compare(served);
  if (first.lines.every(({ requests }) => requests.length === 0)) return;
  const hash = hashChain(chain);
  if (modes.includes('cross') && (isThorough || hash % 4 === 0))
    print('cross', compareRuns(chain, served, first, await run(served, after, before)));
  if (!modes.includes('faults') || (!isThorough && hash % 3 > 0)) return;
  const chosen = isThorough ? faults : [faults[(hash >> 8) % faults.length] ?? '503'];
  for (const fault of chosen) await compare({ name: `fault ${fault}`, isServed: true, fault });
}

process.exitCode = await main(process.argv.slice(2));
