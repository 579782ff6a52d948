import { resolve } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { checkBaseUrl } from '../../settings/connection.ts';
import { type AnyCommand, type InteractionDescriber, normalizeArgument } from '../command.ts';
import type { Session } from '../context.ts';
import { type Globals, globalGroups } from '../flags/globals.ts';
import { flagName, type Option, type Options } from '../flags/options.ts';
import { findEntry } from '../tree.ts';

/** A valid command line of kith that a scheduler will run in another folder. */
export interface Job {
  /** A name made from the words of the command: `kith-events-export`. */
  readonly name: string;
  readonly command: AnyCommand;
  readonly globals: Globals;
  /** The parsed arguments and flags. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The words without `kith`, with absolute paths. */
  readonly words: readonly string[];
  /** Maps each relative path to its absolute path. */
  readonly resolvedPaths: ReadonlyMap<string, string>;
}

/** The argument of a command that takes another command. */
export const jobArgument = {
  summary: 'Command, without kith',
  isRepeatable: true,
  isCommandLine: true,
} as const;

/** Why a schedule command cannot be scheduled itself: the paths of its job would be resolved in another folder. */
export const nestedJobReason: InteractionDescriber = () =>
  'takes another command; schedule that command instead';

/**
 * Parses a command line of kith whose paths are relative to `folder`.
 *
 * @throws {Failure} usage if it is invalid or needs a person or a terminal
 */
export async function parseJob(typed: readonly string[], session: Session, folder: string): Promise<Job> {
  const words = typed[0] === 'kith' ? typed.slice(1) : typed;
  const parsed = await parseLine(words, session);
  const { command, globals, input } = parsed;
  // The job is printed, and an invalid URL may be a key pasted by mistake.
  if (globals.baseUrl) checkBaseUrl(globals.baseUrl, 'The job: --base-url');
  const reason = command.describeInteraction?.(input, globals);
  if (reason !== undefined) throw new Failure('usage', `The job: "${command.name}" ${reason}.`);
  const resolvedPaths = new Map<string, string>();
  const absolute = (path: string) => {
    const resolved = resolve(folder, path);
    if (resolved !== path) resolvedPaths.set(path, resolved);
    return resolved;
  };
  return { ...resolvePaths(words, command, absolute), command, globals, input, resolvedPaths };
}

async function parseLine(words: readonly string[], session: Session) {
  const { parseCommandLine } = await import('../run.ts');
  const example = { hint: 'Type a command after --, such as: -- events export --out meetings' };
  const parsed = await parseCommandLine(words, session).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `The job: ${error.message}`, error.detail);
  });
  if (!parsed) throw new Failure('usage', `The job "${words.join(' ')}" only prints help.`, example);
  return parsed;
}

/** Whether an argument or flag takes a path. */
type PathPlace = Pick<Option<unknown>, 'valueSource' | 'completion'>;

/** Makes the paths in a valid command line absolute. */
function resolvePaths(typed: readonly string[], command: AnyCommand, absolute: (path: string) => string) {
  const flags = listFlags(command);
  const args: PathPlace[] = Object.values(command.args ?? {}).map(normalizeArgument);
  const words: string[] = [];
  const names: string[] = [];
  let namesLeft = 1;
  let count = 0;
  const operand = (word: string) => {
    if (namesLeft === 0) return resolvePath(word, args[Math.min(count++, args.length - 1)], absolute);
    const entry = names.length === 0 ? findEntry(word) : undefined;
    namesLeft = entry && 'commands' in entry ? command.name.split(' ').length : namesLeft - 1;
    names.push(entry?.name ?? word);
    return word;
  };
  let open: Option<unknown> | undefined;
  let flagsEnded = false;
  for (const word of typed) {
    if (open) {
      words.push(resolvePath(word, open, absolute));
      open = undefined;
    } else if (flagsEnded || word === '-' || !word.startsWith('-')) words.push(operand(word));
    else if (word === '--') {
      words.push(word);
      flagsEnded = true;
    } else {
      const { head, flag, value } = splitFlag(word, flags);
      words.push(value === undefined ? word : head + resolvePath(value, flag, absolute));
      if (value === undefined && flag?.placeholder !== undefined) open = flag;
    }
  }
  return { name: ['kith', ...names].join('-'), words };
}

/** Returns the flags of a command by their long and short names. */
function listFlags({ options = {} }: AnyCommand): ReadonlyMap<string, Option<unknown>> {
  const all: Options = Object.assign({}, ...globalGroups.map((group) => group.options), options);
  return new Map(
    Object.entries(all).flatMap(([name, option]) => [
      [flagName(name), option],
      ...(option.short ? [[option.short, option] as const] : []),
    ]),
  );
}

/** Splits `--out=x`, `-Xx` and `-qXx` into the last flag, the text before its value, and the value. */
function splitFlag(word: string, flags: ReadonlyMap<string, Option<unknown>>) {
  if (word.startsWith('--')) {
    const [, name = word, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    return { head: `${name}=`, flag: flags.get(name), value };
  }
  for (let at = 1; at < word.length; at++) {
    const flag = flags.get(`-${word.charAt(at)}`);
    if (flag?.placeholder !== undefined)
      return { head: word.slice(0, at + 1), flag, value: word.slice(at + 1) || undefined };
  }
  return { head: word, flag: undefined, value: undefined };
}

/**
 * Makes the path in a word absolute: the word itself, `@FILE` or `NAME=@FILE`.
 *
 * @throws {Failure} usage if the word reads stdin
 */
function resolvePath(word: string, place: PathPlace | undefined, absolute: (path: string) => string): string {
  const isPath = place?.completion === 'files' || place?.completion === 'folders';
  const takesFile = place?.valueSource === 'file';
  if (word === '-' && (isPath || takesFile)) {
    throw new Failure('usage', 'The job: "-" reads stdin, which a scheduled command does not have.', {
      hint: 'Pass the name of a file instead.',
    });
  }
  if (isPath) return absolute(word);
  if (takesFile && word.startsWith('@')) return `@${absolute(word.slice(1))}`;
  const [, name, file] = (place?.valueSource === 'field' && /^([^=]+=@)(.*)$/s.exec(word)) || [];
  return name === undefined ? word : `${name}${absolute(file ?? '')}`;
}
