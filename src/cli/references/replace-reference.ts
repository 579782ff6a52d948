import { quoteShellWord } from '../../values/text.ts';
import type { ParsedCommand } from '../command/command.ts';
import { globalOptions } from '../command/globals.ts';
import { type Option, toFlagName } from '../command/options.ts';

/** A command line as it was typed. */
export type CommandLine = Pick<ParsedCommand, 'words' | 'path' | 'command'>;

/**
 * Returns a command line with other words instead of a reference, for a shell; undefined if the reference is not a word
 * of its own, such as in an expression.
 */
export function replaceReference(
  commandLine: CommandLine,
  text: string,
  replacement: readonly string[],
): string | undefined {
  const [first = '', ...others] = replacement;
  const parts = splitCommandLine(commandLine);
  if (!parts.some(({ isReference, value }) => isReference && value === text)) return undefined;
  const words = parts.flatMap(({ prefix, value, isReference }) =>
    isReference && value === text ? [prefix + first, ...others] : [prefix + value],
  );
  return ['kith', ...words].map(quoteShellWord).join(' ');
}

/** A word of a command line: an argument, the value of a flag after a prefix such as `--contact=`, or another word. */
interface WordPart {
  readonly prefix: string;
  readonly value: string;
  /** Whether the value may be a reference. */
  readonly isReference: boolean;
}

function splitCommandLine({ words, path, command }: CommandLine): readonly WordPart[] {
  const options = new Map(
    Object.entries<Option<unknown>>({ ...globalOptions, ...command.options }).flatMap(([name, option]) =>
      [toFlagName(name), option.short ?? ''].map((flagWord) => [flagWord, option] as const),
    ),
  );
  let flag: Option<unknown> | undefined;
  let position = -path.length;
  let isEnd = false;
  return words.map((word): WordPart => {
    const option = flag;
    flag = undefined;
    if (option) return splitFlagValue(option, '', word);
    if (isEnd || !/^-./.test(word)) {
      position += 1;
      return { prefix: '', value: word, isReference: position > 0 };
    }
    isEnd = word === '--';
    const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const namedOption = options.get(name);
    if (namedOption && value !== undefined) return splitFlagValue(namedOption, `${name}=`, value);
    flag = namedOption?.placeholder === undefined ? undefined : namedOption;
    return { prefix: '', value: word, isReference: false };
  });
}

/** Splits the value of a flag. The reference in `NAME=REFERENCE` follows the name of a field. */
function splitFlagValue({ reference, completion }: Option<unknown>, prefix: string, text: string): WordPart {
  const [name = ''] = completion === 'fields' ? (/^(?:\\.|[^=\\])+=/s.exec(text) ?? []) : [];
  const isReference = reference !== undefined || completion === 'lists' || name !== '';
  return { prefix: prefix + name, value: text.slice(name.length), isReference };
}
