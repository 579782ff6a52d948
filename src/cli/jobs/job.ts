import { resolve } from 'node:path';
import { Failure } from '../../contract/errors.ts';
import { checkBaseUrl } from '../../settings/connection.ts';
import { type AnyCommand, type InteractionDescriber, normalizeArgument } from '../command.ts';
import type { Session } from '../context.ts';
import { type Globals, globalGroups } from '../flags/globals.ts';
import { flagName, type Option, type Options } from '../flags/options.ts';
import { findEntry } from '../tree.ts';

/** A command line of kith that somebody else will run: read and found right, and the same in any folder. */
export interface Job {
  /** `kith-events-export` */
  readonly name: string;
  readonly command: AnyCommand;
  readonly globals: Globals;
  /** Its parsed arguments and flags. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Without `kith`; the paths in it are absolute. */
  readonly words: readonly string[];
  /** The relative paths that were typed, with what they are now. */
  readonly resolvedPaths: ReadonlyMap<string, string>;
}

/** A command line of kith as an argument of another. */
export const jobArgument = {
  summary: 'A command, without kith',
  isRepeatable: true,
  isCommandLine: true,
} as const;

/** Why a command that is about a job is none itself: the paths in that one would be read in another folder. */
export const nestedJobReason: InteractionDescriber = () => 'is about another job: type that one';

/** Reads a command line of kith as it is typed in `folder`. Throws `usage` for one that cannot be run, or not alone. */
export async function parseJob(typed: readonly string[], session: Session, folder: string): Promise<Job> {
  const words = typed[0] === 'kith' ? typed.slice(1) : typed;
  const parsed = await parseLine(words, session);
  const { command, globals, input } = parsed;
  // The job is printed, and a value that is not a URL may be a key.
  if (globals.baseUrl) checkBaseUrl(globals.baseUrl, 'The job: --base-url');
  const waits = command.describeInteraction?.(input, globals);
  if (waits !== undefined) throw new Failure('usage', `The job: "${command.name}" ${waits}.`);
  const moved = new Map<string, string>();
  const absolute = (path: string) => {
    const whole = resolve(folder, path);
    if (whole !== path) moved.set(path, whole);
    return whole;
  };
  return { ...resolvePaths(words, command, absolute), command, globals, input, resolvedPaths: moved };
}

async function parseLine(words: readonly string[], session: Session) {
  const { parseCommandLine } = await import('../run.ts');
  const example = { hint: 'Type it after --, as in: -- events export --out meetings' };
  const parsed = await parseCommandLine(words, session).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `The job: ${error.message}`, error.detail);
  });
  if (!parsed) throw new Failure('usage', `The job "${words.join(' ')}" only prints help.`, example);
  return parsed;
}

/** What may be said of a place in a command line. */
type PathPlace = Pick<Option<unknown>, 'valueSource' | 'completion'>;

/** Goes through the words of a command line that is known to be right, and makes the paths among them absolute. */
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

/** Every flag that the command takes, as it is typed. */
function listFlags({ options = {} }: AnyCommand): ReadonlyMap<string, Option<unknown>> {
  const all: Options = Object.assign({}, ...globalGroups.map((group) => group.options), options);
  return new Map(
    Object.entries(all).flatMap(([name, option]) => [
      [flagName(name), option],
      ...(option.short ? [[option.short, option] as const] : []),
    ]),
  );
}

/** `--out=x`, `-Xx`, `-qy`: the flag that a word ends with, what stands before its value, and the value. */
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

/** A word with its path made absolute, should it hold one: itself, `@FILE`, or `NAME=@FILE`. Throws `usage` for stdin. */
function resolvePath(word: string, place: PathPlace | undefined, absolute: (path: string) => string): string {
  const isPath = place?.completion === 'files' || place?.completion === 'folders';
  const takesFile = place?.valueSource === 'file';
  if (word === '-' && (isPath || takesFile)) {
    throw new Failure('usage', 'The job: "-" reads stdin, and a schedule has none.', {
      hint: 'Name a file instead.',
    });
  }
  if (isPath) return absolute(word);
  if (takesFile && word.startsWith('@')) return `@${absolute(word.slice(1))}`;
  const [, name, file] = (place?.valueSource === 'field' && /^([^=]+=@)(.*)$/s.exec(word)) || [];
  return name === undefined ? word : `${name}${absolute(file ?? '')}`;
}
