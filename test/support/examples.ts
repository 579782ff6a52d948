import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyCommand } from '../../src/cli/command/command.ts';
import { commandTree } from '../../src/commands/tree.ts';
import type { createExampleHome } from './example-home.ts';
import { createFakeSchedulers } from './fake-schedulers.ts';
import { createTemporaryFolder, type MachineOptions, splitWords } from './kith.ts';

/** The lines of the help, each with its command. Two nouns may have the same command, or one with the same examples. */
const examplesByLines = new Map<readonly string[], AnyCommand>();
for (const { commands } of commandTree)
  for (const command of await commands()) examplesByLines.set(command.examples, command);
export const examples = [...examplesByLines.values()].flatMap((command) =>
  command.examples.map((line) => [line, command] as const),
);
export const lines = examples.map(([line]) => line);

export const yes = { terminal: 100, answers: [true] };
const inEditor = { ...yes, env: { EDITOR: 'vi' }, editorText: (shown: string) => shown };
const createCronOptions = () => {
  const home = createTemporaryFolder();
  return { ...yes, env: { HOME: home, PATH: createFakeSchedulers(home).PATH } };
};
const createAgentOptions = () => {
  const home = createTemporaryFolder();
  mkdirSync(join(home, '.claude'));
  return { ...yes, env: { HOME: home } };
};
export const createStopOptions = () => ({ interruptAt: ' on http://127.0.0.1:' });

/** Lines that cannot run unchanged, with the reason and a replacement. */
export const specialExamples: Readonly<
  Record<string, { reason: string; replacement?: string; setting?: () => MachineOptions } | undefined>
> = {
  'contacts delete 0rlnky': { reason: 'it asks', setting: () => yes },
  'organizations delete rl16pk': { reason: 'it asks', setting: () => yes },
  'contacts import --undo people.report.csv --dry-run': { reason: 'it asks', setting: () => yes },
  'contacts merge 0rlnky dohyun.park@hanbit-cold.example --dry-run': {
    reason: 'it asks',
    setting: () => yes,
  },
  'organizations merge 한빛물류 영도필름보관소 --dry-run': { reason: 'it asks', setting: () => yes },
  ...Object.fromEntries(
    lines
      .filter((line) => / edit |^notes update NOTE$/.test(line))
      .map((line) => [line, { reason: 'it opens an editor', setting: () => inEditor }]),
  ),
  'lists delete Newsletter': { reason: 'it asks', setting: () => ({ ...yes, answers: ['Newsletter'] }) },
  ...Object.fromEntries(
    ['undo', 'undo --dry-run', 'redo', 'redo --dry-run'].map((line) => [
      line,
      { reason: 'it asks', setting: () => yes },
    ]),
  ),
  'workspace remove-recording RECORDING': { reason: 'it asks', setting: () => yes },
  ...Object.fromEntries(
    lines
      .filter((line) => line.startsWith('schedule install '))
      .map((line) => [line, { reason: 'it asks, and changes a crontab', setting: createCronOptions }]),
  ),
  ...Object.fromEntries(
    lines
      .filter((line) => /^agents (install|remove)/.test(line))
      .map((line) => [
        line,
        { reason: 'it asks, and changes files in the home folder', setting: createAgentOptions },
      ]),
  ),
  'workspace copy kith-backup staging --dry-run --verbose': {
    reason: 'its profile is another one',
    replacement: 'workspace copy kith-backup demo --dry-run --verbose',
  },
  serve: {
    reason: 'it serves until it is stopped',
    replacement: 'serve --port 0',
    setting: createStopOptions,
  },
  'serve --demo --port 8080': {
    reason: 'it serves until it is stopped',
    replacement: 'serve --demo --port 0',
    setting: createStopOptions,
  },
  'serve --demo --rate-limit 60': {
    reason: 'it serves until it is stopped',
    replacement: 'serve --demo --rate-limit 60 --port 0',
    setting: createStopOptions,
  },
  'serve --demo --fault 503:0.1,429:0.05,reset:0.02,slow:200ms --seed 7': {
    reason: 'it serves until it is stopped',
    replacement: 'serve --demo --fault 503:0.1,429:0.05,reset:0.02,slow:200ms --seed 7 --port 0',
    setting: createStopOptions,
  },
  'serve --demo --metrics-port 9464 --log-format json': {
    reason: 'it serves until it is stopped',
    replacement: 'serve --demo --metrics-port 0 --log-format json --port 0',
    setting: createStopOptions,
  },
};

/** Runs before lines that need an export folder. */
export const exportCommand = 'meetings export --transcript --out meetings';

/** Runs the commands that an example needs before it. Returns the variables that it needs. */
export async function prepareExample(
  { kith, fillPaths }: Pick<Awaited<ReturnType<typeof createExampleHome>>, 'kith' | 'fillPaths'>,
  line: string,
): Promise<Readonly<Record<string, string>>> {
  if (line.startsWith('meetings export ')) await kith(splitWords(await fillPaths(exportCommand)));
  if (line.includes('people.report.csv'))
    await kith(splitWords(await fillPaths('contacts import people.csv')));
  if (line.includes('readers.report.csv')) {
    await kith(splitWords(await fillPaths('entries import Newsletter readers.csv --map E-mail=email')));
  }
  if (/^workspace (verify|diff|copy kith-backup) /.test(line))
    await kith(splitWords(await fillPaths('workspace backup kith-backup --archive kith.tar.gz')));
  if (/^workspace (status|push) /.test(line))
    await kith(splitWords(await fillPaths('workspace checkout crm --only contacts')));
  if (line.includes('calls.report.csv')) await kith(splitWords(await fillPaths('notes import calls.csv')));
  const isRevert = /^(undo|redo)\b/.test(line);
  const env: Readonly<Record<string, string>> = isRevert ? { KITH_UNDO: 'on' } : {};
  if (isRevert) await kith('contacts update 0rlnky --last-name Kim', { env });
  if (line.startsWith('redo')) await kith('undo --yes');
  return env;
}
