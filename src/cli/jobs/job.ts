import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure, prefixError } from '../../contract/errors.ts';
import { parseBaseUrl } from '../../settings/connection.ts';
import { type AnyCommand, type InteractionDescriber, normalizeArgument } from '../command.ts';
import type { Session } from '../context.ts';
import { globalGroups } from '../flags/globals.ts';
import { flagName, type Option, type Options } from '../flags/options.ts';
import type { ParsedCommand } from '../mount.ts';
import { findEntry } from '../tree.ts';

/** A valid command line of kith that a scheduler will run in another folder. */
export interface Job extends ParsedCommand {
  /** A name made from the words of the command: `kith-events-export`. */
  readonly name: string;
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

/** Parses a command line of kith. @throws {Failure} usage if it is invalid or needs a person or a terminal */
export async function parseJob(typed: readonly string[], session: Session): Promise<Job> {
  const words = typed[0] === 'kith' ? typed.slice(1) : typed;
  const { parseCommandLine } = await import('../run.ts');
  const parsed = await parseCommandLine(words, session).catch((error: unknown) => {
    throw prefixError('The job', error);
  });
  if (!parsed) {
    throw new Failure('usage', `The job "${words.join(' ')}" only prints help.`, {
      hint: 'Type a command after --, such as: -- events export --out meetings',
    });
  }
  const { command, globals, input } = parsed;
  // The job is printed, and an invalid URL may be a key pasted by mistake.
  if (globals.baseUrl) parseBaseUrl(globals.baseUrl, 'The job: --base-url');
  const reason = command.describeInteraction?.(input, globals);
  if (reason !== undefined) throw new Failure('usage', `The job: "${command.name}" ${reason}.`);
  return { ...parsed, ...resolvePaths(words, command, session.getInvocation().folder) };
}

/** Makes the paths in a valid command line absolute. */
function resolvePaths(typed: readonly string[], command: AnyCommand, folder: string) {
  const options: Options = Object.assign({}, ...globalGroups.map(({ options }) => options), command.options);
  const flags = new Map(Object.entries(options).map(([name, option]) => [flagName(name).slice(2), option]));
  const { tokens } = parseArgs({
    args: [...typed],
    options: Object.fromEntries(
      Array.from(flags, ([name, { placeholder, short }]) => [
        name,
        { type: placeholder === undefined ? 'boolean' : 'string', ...(short && { short: short.slice(1) }) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const entry = findEntry(tokens.find((token) => token.kind === 'positional')?.value);
  const names = [...(entry && 'commands' in entry ? [entry.name] : []), ...command.name.split(' ')];
  const args = Object.values(command.args ?? {}).map(normalizeArgument);
  const resolvedPaths = new Map<string, string>();
  const absolute = (path: string) => {
    const resolved = resolve(folder, path);
    if (resolved !== path) resolvedPaths.set(path, resolved);
    return resolved;
  };
  const words = [...typed];
  /** Replaces the value at the end of a word. */
  const replace = (index: number, value: string, place: PathPlace | undefined) => {
    const word = words[index] ?? '';
    words[index] = word.slice(0, word.length - value.length) + resolvePath(value, place, absolute);
  };
  let position = -names.length;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (position >= 0) replace(token.index, token.value, args[Math.min(position, args.length - 1)]);
      position += 1;
    } else if (token.kind === 'option' && token.value !== undefined) {
      replace(token.inlineValue ? token.index : token.index + 1, token.value, flags.get(token.name));
    }
  }
  return { name: ['kith', ...names].join('-'), words, resolvedPaths };
}

/** Whether an argument or flag takes a path. */
type PathPlace = Pick<Option<unknown>, 'valueSource' | 'completion'>;

/** Makes the path in a word absolute: the word itself, `@FILE` or `NAME=@FILE`. */
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
