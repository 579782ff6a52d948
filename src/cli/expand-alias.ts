import { Failure } from '../contract/errors.ts';
import { nounWords } from '../contract/noun-words.ts';
import { openSettingsIfStored } from '../settings/connection.ts';
import { findClosest } from '../values/names.ts';
import { splitShellWords } from '../values/shell-words.ts';
import { type CommandTree, findEntry } from './command/command.ts';
import type { Context } from './command/context.ts';
import { isEntryKey } from './flags/references.ts';

/** A placeholder in the command of an alias: `$1` is the first argument. */
const placeholder = /\$([1-9]\d*)/g;

/**
 * Replaces an alias with its command. The result is not expanded again. `name`: a word that is not a command, or a command
 * that an alias may replace. With `help` as the first word, shows the help of the alias.
 * @throws {Failure} usage if the alias needs more arguments or was damaged by hand, or a similar alias exists
 */
export async function expandAlias(
  argv: readonly string[],
  name: string,
  { runtime, services }: Context,
): Promise<readonly string[]> {
  const { aliases = {} } = (await openSettingsIfStored(runtime.env, services.settings)).read();
  const line = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
  if (line === undefined) {
    checkSpelling(name, services.tree, Object.keys(aliases));
    return argv;
  }
  const words = splitShellWords(line) ?? [];
  if (words.length === 0) {
    const message = `The alias ${name} (${line}) has no command or an unclosed quote.`;
    throw new Failure('usage', message, { hint: `kith alias delete ${name}` });
  }
  const args = argv.slice(1);
  const asksForHelp = argv[0] === 'help' || (args.length === 1 && /^(-h|--help)$/.test(args.join()));
  if (asksForHelp) return [...words.slice(0, 2).filter((word) => /^[a-z-]+$/.test(word)), '--help'];
  return insertArguments(words, args, `The alias ${name} (${line})`);
}

/** Replaces placeholders with arguments, and appends the other arguments. @throws {Failure} usage if one is missing */
function insertArguments(words: readonly string[], args: readonly string[], described: string): string[] {
  const used = new Set<number>();
  const inserted = words.map((word) =>
    word.replace(placeholder, (_, digits) => {
      used.add(Number(digits));
      return args[Number(digits) - 1] ?? '';
    }),
  );
  const count = Math.max(0, ...used);
  if (count > args.length) {
    throw new Failure(
      'usage',
      `${described} requires ${count} argument${count === 1 ? '' : 's'}, not ${args.length}.`,
    );
  }
  return [...inserted, ...args.filter((_, index) => !used.has(index + 1))];
}

/** Leaves a misspelled command to the parser, which does not know the aliases. @throws {Failure} usage */
function checkSpelling(name: string, tree: CommandTree, aliases: readonly string[]): void {
  if (findEntry(tree, name) || nounWords.has(name) || isEntryKey(name)) return;
  const names = findClosest(name, [...tree.map((entry) => entry.name), ...aliases]);
  if (!names.some((name) => aliases.includes(name))) return;
  throw new Failure('usage', `Unknown command: ${name}`, {
    hint: `Did you mean ${names.map((name) => `\`kith ${name}\``).join(' or ')}?`,
  });
}
