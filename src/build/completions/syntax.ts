import type { AnyCommand, CommandEntry } from '../../cli/command/command.ts';
import { getFormats, globalGroups } from '../../cli/command/globals.ts';
import {
  type CompletionSource,
  describeChoices,
  type Option,
  type Options,
  toFlagName,
} from '../../cli/command/options.ts';
import { topics } from '../../cli/help/help.ts';
import { commandTree } from '../../commands/tree.ts';
import { otherNouns, verbWords } from '../../contract/noun-words.ts';

/** The values to offer: these words, or values that the shell or the program knows; undefined: none. */
export type Candidates = readonly string[] | CompletionSource | undefined;

/** A noun or a verb. */
type Word = Pick<AnyCommand, 'name' | 'summary'>;

/** A positional argument. */
export interface Place {
  readonly name: string;
  readonly candidates: Candidates;
  readonly isRepeatable: boolean;
}

export interface Flag {
  /** `-q` and `--quiet`, or only the long name. */
  readonly names: readonly string[];
  readonly summary: string;
  /** The placeholder of its value; undefined if it takes none. */
  readonly placeholder: string | undefined;
  readonly candidates: Candidates;
  readonly isRepeatable: boolean;
}

/** The possible next words after some words: another word, or the arguments of a command; and flags. */
export interface Step {
  /** The words with each alias; an empty text before any noun. */
  readonly paths: readonly string[];
  readonly words: readonly Word[];
  readonly places: readonly Place[];
  readonly flags: readonly Flag[];
  /** The names of groups of shared flags. */
  readonly groups: readonly string[];
}

/** The syntax of the command line as plain data, the same for every shell. */
export interface Syntax {
  readonly steps: readonly Step[];
  /** The shared flags except `--format`, whose choices depend on the command. */
  readonly groups: Readonly<Record<string, readonly Flag[]>>;
}

const helpFlag = buildFlag('help', { summary: 'Print help', short: '-h' });
const versionFlag = buildFlag('version', { summary: 'Print the version', short: '-V' });

export async function readSyntax(): Promise<Syntax> {
  const steps = (await Promise.all(commandTree.map(buildSteps))).flat();
  const help = { name: 'help', summary: 'Help for a command or a topic' };
  const everydayWords = Object.entries(otherNouns)
    .filter(([noun, [word = '']]) => !noun.startsWith(word.slice(0, 3)))
    .map(([noun, [name = '']]) => ({ name, summary: `${name}: same as ${noun}` }));
  const topicWords = Object.entries(topics)
    .filter(([name]) => commandTree.every((entry) => entry.name !== name))
    .map(([name, { summary }]) => ({ name, summary }));
  return {
    steps: [
      buildWordStep([''], [...commandTree, ...everydayWords, help], [versionFlag]),
      ...steps,
      buildHelpStep([''], [...commandTree, ...everydayWords, ...topicWords]),
      ...steps.filter(({ words }) => words.length > 0).map(({ paths, words }) => buildHelpStep(paths, words)),
    ],
    groups: Object.fromEntries(
      globalGroups.map(({ name, options: { format: _, ...shared } }) => [name, buildFlags(shared)]),
    ),
  };
}

async function buildSteps(entry: CommandEntry): Promise<readonly Step[]> {
  const names = [entry.name, entry.alias ?? [], otherNouns[entry.name] ?? []].flat();
  const commands = await entry.commands();
  const [only] = commands;
  if (only?.name === entry.name) return [buildCommandStep(names, only)];
  const verbs = commands.map(({ name }) => name);
  const otherVerbs = Array.from(verbWords).flatMap(([name, meanings]) => {
    const verb = verbs.includes(name) ? undefined : meanings.find((meaning) => verbs.includes(meaning));
    return verb === undefined ? [] : [{ name, summary: `${name}: same as ${verb}`, verb }];
  });
  const verbSteps = commands.map((command) => {
    const others = otherVerbs.flatMap(({ name, verb }) => (verb === command.name ? [name] : []));
    const paths = names.flatMap((name) => [command.name, ...others].map((verb) => `${name} ${verb}`));
    return buildCommandStep(paths, command, listNextWords(command.name, commands));
  });
  return [buildWordStep(names, [...listNextWords('', commands), ...otherVerbs]), ...verbSteps];
}

/** Lists the words that may follow the first word of a verb: `status` after `export`; after an empty text, all verbs. */
function listNextWords(first: string, commands: readonly AnyCommand[]): Word[] {
  const length = first === '' ? 1 : first.split(' ').length + 1;
  return commands
    .filter(({ name }) => name.split(' ').length === length && `${name} `.startsWith(first))
    .map(({ name, summary }) => ({ name: name.slice(first.length).trim(), summary }));
}

/** Builds a step that needs another word. It has all shared flags, because the command is not known yet. */
function buildWordStep(paths: readonly string[], words: readonly Word[], flags: readonly Flag[] = []): Step {
  const formats = globalGroups.flatMap(({ options: { format } }) =>
    format ? [buildFlag('format', format)] : [],
  );
  const groups = globalGroups.map(({ name }) => name);
  return { paths, words, places: [], flags: [...formats, helpFlag, ...flags], groups };
}

function buildCommandStep(paths: readonly string[], command: AnyCommand, words: readonly Word[] = []): Step {
  const groups = globalGroups.filter(({ isFor }) => isFor(command));
  const formats = groups.flatMap(({ options: { format } }) =>
    format ? [buildFlag('format', { ...format, choices: getFormats(command) })] : [],
  );
  return {
    paths,
    words,
    places: Object.entries(command.args ?? {}).map(
      ([name, { choices, completion, isRepeatable = false }]) => ({
        name,
        candidates: checkChoices(choices) ?? completion,
        isRepeatable,
      }),
    ),
    flags: [...buildFlags(command.options ?? {}), ...formats, helpFlag],
    groups: groups.map(({ name }) => name),
  };
}

function buildHelpStep(paths: readonly string[], words: readonly Word[]): Step {
  return { paths: paths.map((path) => `help ${path}`.trim()), words, places: [], flags: [], groups: [] };
}

function buildFlags(options: Options): Flag[] {
  return Object.entries(options).map(([name, option]) => buildFlag(name, option));
}

function buildFlag(name: string, option: Omit<Option<unknown>, 'parse'>): Flag {
  const { short, placeholder, choices, completion, isRepeatable = false } = option;
  const names = [...(short ? [short] : []), toFlagName(name)];
  const candidates = checkChoices(choices) ?? completion;
  return { names, summary: describeChoices(option), placeholder, candidates, isRepeatable };
}

/** Returns the choices. Throws if one would need quotes, because the scripts have them without. */
function checkChoices(choices: readonly string[] | undefined): readonly string[] | undefined {
  const invalid = choices?.find((choice) => !/^[\w-]+$/.test(choice));
  if (invalid !== undefined) throw new Error(`The choice "${invalid}" needs quotes in a completion script.`);
  return choices;
}
