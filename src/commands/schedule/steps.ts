import { dirname } from 'node:path';
import type { Session } from '../../cli/command/context.ts';
import { Failure, getErrorMessage, toFailure } from '../../contract/errors.ts';
import { syncFolder, writeFileAtomically } from '../../files/atomic-write.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { defaultPermissions, type Permissions } from '../../files/permissions.ts';
import { readFileIfExists } from '../../files/read-file.ts';
import { quoteShellWord } from '../../values/text.ts';
import { type CrontabChange, changeCrontab } from './crontab.ts';
import { removeFile } from './stored-schedules.ts';

/** A change of this machine, which is shown before it is made. */
export type Step =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly text: string;
      readonly permissions?: Permissions;
      /** Runs if a later step fails, after the file is restored. */
      readonly revert?: readonly string[] | undefined;
    }
  | { readonly kind: 'remove'; readonly path: string }
  /** Replaces the lines of a schedule in the crontab; '' removes them. */
  | { readonly kind: 'crontab'; readonly name: string; readonly block: string }
  | {
      readonly kind: 'run';
      readonly command: readonly string[];
      /** Whether it does not matter if the command fails. */
      readonly mayFail?: true;
      /** Runs if this step or a later step fails. */
      readonly revert?: readonly string[] | undefined;
    };

/** The part of a session that runs programs. */
type Tools = Pick<Session, 'terminal' | 'signal'>;

/** Runs a program of the system. Returns its exit code and output. @throws {Failure} failed if it is not installed */
export async function runTool(
  { terminal, signal }: Tools,
  command: readonly string[],
  stdin?: string,
): Promise<{ exit: number; out: string; err: string }> {
  const [program = ''] = command;
  const programs = await terminal.programs();
  if (!programs.hasProgram(program)) {
    throw new Failure('failed', `The program ${program} is not installed.`, {
      hint:
        program === 'crontab'
          ? 'Install cron, or choose another scheduler with --for.'
          : 'Choose another scheduler with --for.',
    });
  }
  const output = { out: '', err: '' };
  const exit = await programs.runUnattended({
    command,
    env: { ...programs.safeEnv, LC_ALL: 'C' },
    folder: '/',
    encoding: 'latin1',
    ...(stdin !== undefined && { stdin }),
    stdout: async (text) => {
      output.out += text;
    },
    stderr: async (text) => {
      output.err += text;
    },
    signal,
  });
  signal.throwIfAborted();
  return { exit, ...output };
}

const createToolFailure = (command: readonly string[], { exit, err }: { exit: number; err: string }) =>
  new Failure('failed', `${command.join(' ')} failed with exit code ${exit}: ${err.trim() || 'no message'}`);

/** Returns the crontab of this user, one character per byte; '' if there is none. @throws {Failure} failed */
export async function readCrontab(tools: Tools): Promise<string> {
  const command = ['crontab', '-l'];
  const result = await runTool(tools, command);
  if (result.exit === 0) return result.out;
  // Any other failure must not be taken for an empty crontab, which would then replace the full one.
  if (result.exit === 1 && /\bno crontab for\b|can't open .*: No such file/i.test(result.err)) return '';
  throw createToolFailure(command, result);
}

/** Returns the UTF-8 of a text as a text with one character per byte, as in a crontab. */
const toBytes = (text: string) => Buffer.from(text).toString('latin1');

/** @throws {Failure} failed if the crontab cannot be changed; it is then as before */
async function writeCrontab(
  tools: Tools,
  { before, after }: Pick<CrontabChange, 'before' | 'after'>,
): Promise<void> {
  if (after === before) return;
  const command = after === '' ? ['crontab', '-r'] : ['crontab', '-'];
  const result = await runTool(tools, command, after);
  if (result.exit !== 0) throw createToolFailure(command, result);
  const stored = await readCrontab(tools);
  if (stored === after) return;
  throw new Failure(
    'failed',
    'The crontab differs from the one that kith wrote: another program may have changed it.',
    {
      hint: 'Compare with: crontab -l',
    },
  );
}

/** Reverts a change, also one that failed or was interrupted. Keeps lines that another program has added since. */
async function revertCrontab(
  tools: Tools,
  name: string,
  { before, after, removed }: CrontabChange,
): Promise<void> {
  const current = await readCrontab(tools);
  const reverted = current === after ? before : changeCrontab(current, name, removed).after;
  await writeCrontab(tools, { before: current, after: reverted });
}

/** Plans a change until the crontab stays the same: a person or another program may change it meanwhile. */
async function planCurrentChange(tools: Tools, name: string, block: string): Promise<CrontabChange> {
  const change = changeCrontab(await readCrontab(tools), name, toBytes(block));
  return (await readCrontab(tools)) === change.before ? change : planCurrentChange(tools, name, block);
}

/** Describes the steps with the texts of all files and the lines of the crontab. */
export async function describeSteps(tools: Tools, steps: readonly Step[]): Promise<string> {
  const parts: string[] = [];
  for (const step of steps) {
    if (step.kind === 'write') parts.push(`Write ${step.path}:\n${indent(step.text, '  ')}`);
    else if (step.kind === 'remove') parts.push(`Remove ${step.path}\n`);
    else if (step.kind === 'run') parts.push(`Run ${step.command.map(quoteShellWord).join(' ')}\n`);
    else {
      const { hasProgram } = await tools.terminal.programs();
      const crontab = hasProgram('crontab') ? await readCrontab(tools) : '';
      const { removed, added } = changeCrontab(crontab, step.name, toBytes(step.block));
      const lines = removed === added ? indent(added, '  ') : indent(removed, '- ') + indent(added, '+ ');
      const text = Buffer.from(lines, 'latin1').toString();
      if (text !== '') parts.push(`${removed === added ? 'Keep' : 'Change'} in the crontab:\n${text}`);
    }
  }
  return parts.join('');
}

const indent = (text: string, prefix: string) => text.replace(/^.+$/gm, (line) => prefix + line);

/** Makes the changes. If one of them fails, reverts those before it. */
export async function applySteps(tools: Tools, steps: readonly Step[]): Promise<void> {
  const reverts: (() => Promise<unknown>)[] = [];
  try {
    for (const step of steps) await applyStep(tools, step, reverts);
  } catch (error) {
    const failure = error instanceof Failure ? error : toFailure(error);
    const problems: string[] = [];
    for (const revert of reverts.reverse())
      await revert().catch((problem) => problems.push(getErrorMessage(problem)));
    if (problems.length === 0) throw failure;
    const message = `${failure.message} Not all changes were reverted: ${problems.join(' ')}`;
    throw new Failure(failure.code, message, failure.detail);
  }
}

/** Makes a change, and adds the function that reverts it. */
async function applyStep(tools: Tools, step: Step, reverts: (() => Promise<unknown>)[]): Promise<void> {
  const withoutSignal = { ...tools, signal: new AbortController().signal }; // reverts also after Ctrl-C
  if (step.kind === 'crontab') {
    const change = await planCurrentChange(tools, step.name, step.block);
    reverts.push(() => revertCrontab(withoutSignal, step.name, change));
    await writeCrontab(tools, change);
    return;
  }
  if (step.kind === 'run') {
    const { command, mayFail, revert } = step;
    if (revert) reverts.push(() => runTool(withoutSignal, revert));
    try {
      const result = await runTool(tools, command);
      if (result.exit !== 0) throw createToolFailure(command, result);
    } catch (error) {
      tools.signal.throwIfAborted();
      if (!mayFail) throw error;
    }
    return;
  }
  const { path } = step;
  const earlier = accessFile('read', path, () => readFileIfExists(path));
  const permissions = (step.kind === 'write' && step.permissions) || defaultPermissions;
  const write = async (text: string) => {
    await writeFileAtomically(path, [text], permissions.file, permissions.folder);
    await syncFolder(dirname(path));
  };
  const { revert = undefined } = step.kind === 'write' ? step : {};
  reverts.push(async () => {
    if (earlier === undefined) removeFile(path);
    else await write(earlier.toString());
    if (revert) await runTool(withoutSignal, revert);
  });
  if (step.kind === 'write') await write(step.text);
  else removeFile(path);
}
