import { type CommandTree, findEntry } from '../command/command.ts';
import { globalOptions } from '../command/globals.ts';
import { type Option, toFlagName } from '../command/options.ts';

/** The flags of a help command that `kith commands` gets too. */
const outputFlags: readonly (keyof typeof globalOptions)[] = ['json', 'jq', 'format', 'output', 'quiet'];

/**
 * Converts a command line that prints help, such as `contacts list --help --json`, to the one that prints the same as
 * JSON; undefined if its flags do not ask for JSON.
 */
export async function toCommandsLine(
  tree: CommandTree,
  words: readonly string[],
): Promise<readonly string[] | undefined> {
  const { names, flags } = splitWords(words);
  const asksForJson = [...flags].some(
    ([name, value]) => name === 'json' || name === 'jq' || (name === 'format' && value.includes('json')),
  );
  if (!asksForJson || words.includes('--version') || words.includes('-V')) return undefined;
  const [noun, ...verbs] = names;
  const entry = findEntry(tree, noun);
  const known = (await entry?.commands())?.map(({ name }) => name) ?? [];
  const verb = [verbs.slice(0, 2).join(' '), verbs[0] ?? ''].find((name) => known.includes(name));
  const path = entry ? [entry.name, ...(verb === undefined || verb === entry.name ? [] : [verb])] : [];
  const passedFlags = [...flags].flatMap(([name, value]) => [toFlagName(name), ...(value ? [value] : [])]);
  return ['commands', ...path, ...passedFlags];
}

/** Separates the output flags, with their values by name, from the other words. */
function splitWords(words: readonly string[]) {
  const names: string[] = [];
  const flags = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, flag = word, ownValue] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const known = Object.entries<Option<unknown>>(globalOptions).find(
      ([name, { short }]) => flag === toFlagName(name) || flag === short,
    );
    if (!known) {
      if (!word.startsWith('-')) names.push(word);
      continue;
    }
    const [name, { placeholder }] = known;
    const value = placeholder === undefined ? '' : (ownValue ?? words[++index] ?? '');
    if (outputFlags.some((output) => output === name)) flags.set(name, value);
  }
  return { names, flags };
}
