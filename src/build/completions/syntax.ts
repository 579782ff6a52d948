import {
  type AnyCommand,
  type Argument,
  type Noun,
  normalizeArgument,
  type StandaloneCommand,
} from '../../cli/command.ts';
import { getFormats, globalGroups } from '../../cli/flags/globals.ts';
import {
  type CompletionSource,
  describeChoices,
  flagName,
  type Option,
  type Options,
} from '../../cli/flags/options.ts';
import { topics } from '../../cli/help.ts';
import { commandTree } from '../../cli/tree.ts';

/** What is offered as a value: these words, or what the shell or the program knows. Undefined: nothing. */
export type Offer = readonly string[] | CompletionSource | undefined;

/** A noun or a verb. */
interface Word {
  readonly name: string;
  readonly summary: string;
}

/** A place of the command line without a flag. */
export interface Place {
  readonly name: string;
  readonly offer: Offer;
  readonly several: boolean;
}

/** A flag as it is typed. */
export interface Flag {
  readonly long: string;
  readonly short: string | undefined;
  readonly summary: string;
  /** The placeholder of its value; undefined where it takes none. */
  readonly value: string | undefined;
  readonly offer: Offer;
  readonly several: boolean;
}

/** What may follow some words: one more word, or the arguments of the command that they are; and flags. */
export interface Step {
  /** The words, in each way to type them; an empty text before any noun. */
  readonly paths: readonly string[];
  readonly words: readonly Word[];
  readonly places: readonly Place[];
  readonly flags: readonly Flag[];
  /** Groups of shared flags, by name. */
  readonly groups: readonly string[];
}

/** All that can be typed, as plain data: the same for every shell. */
export interface Syntax {
  readonly steps: readonly Step[];
  /** The flags that commands share. `--format` is not among them: each command has its own choices. */
  readonly groups: Readonly<Record<string, readonly Flag[]>>;
}

const helpOption = { summary: 'Print help', short: '-h' };
const versionOption = { summary: 'Print the version', short: '-V' };

/** The command tree as the completion scripts need it, without what is hidden. */
export async function readSyntax(): Promise<Syntax> {
  const entries = commandTree.flatMap((chapter) => chapter.entries).filter((entry) => !('isHidden' in entry));
  const steps = (await Promise.all(entries.map(stepsOf))).flat();
  const help = { name: 'help', summary: 'Help for a command or a topic' };
  const topicWords = Object.entries(topics).map(([name, { summary }]) => ({ name, summary }));
  return {
    steps: [
      stepBeforeCommand([''], [...entries, help], [flagOf('version', versionOption)]),
      ...steps,
      helpStep([''], [...entries, ...topicWords]),
      ...steps.filter(({ words }) => words.length > 0).map(({ paths, words }) => helpStep(paths, words)),
    ],
    groups: Object.fromEntries(
      globalGroups.map(({ name, options: { format: _, ...shared } }) => [name, flagsOf(shared)]),
    ),
  };
}

async function stepsOf(entry: Noun | StandaloneCommand): Promise<readonly Step[]> {
  const names = 'alias' in entry && entry.alias !== undefined ? [entry.name, entry.alias] : [entry.name];
  if ('command' in entry) return [commandStep(names, await entry.command())];
  const commands = await entry.commands();
  const verbSteps = commands.map((command) =>
    commandStep(
      names.map((name) => `${name} ${command.name}`),
      command,
      wordsAfter(command.name, commands),
    ),
  );
  return [stepBeforeCommand(names, wordsAfter('', commands)), ...verbSteps];
}

/** The words that may follow one word of a verb: `status` after `export`; without it, its first words. */
function wordsAfter(first: string, commands: readonly AnyCommand[]): Word[] {
  const words = (name: string) => name.split(' ').length;
  return commands
    .filter(
      ({ name }) => words(name) === (first === '' ? 1 : words(first) + 1) && `${name} `.startsWith(first),
    )
    .map(({ name, summary }) => ({ name: name.slice(first.length).trim(), summary }));
}

/** A word is still missing: any shared flag may turn out to be one of the command. */
function stepBeforeCommand(
  paths: readonly string[],
  words: readonly Word[],
  flags: readonly Flag[] = [],
): Step {
  const formats = globalGroups.flatMap(({ options: { format } }) => (format ? [format] : []));
  return {
    paths,
    words: words.map(({ name, summary }) => ({ name, summary })),
    places: [],
    flags: [...formats.map((option) => flagOf('format', option)), flagOf('help', helpOption), ...flags],
    groups: globalGroups.map(({ name }) => name),
  };
}

function commandStep(paths: readonly string[], command: AnyCommand, words: readonly Word[] = []): Step {
  const groups = globalGroups.filter(({ isFor }) => isFor(command));
  const formats = groups.flatMap(({ options: { format } }) =>
    format ? [{ ...format, choices: getFormats(command) }] : [],
  );
  return {
    paths,
    words,
    places: Object.entries(command.args ?? {}).map(([name, argument]) =>
      placeOf(name, normalizeArgument(argument)),
    ),
    flags: [
      ...flagsOf(command.options ?? {}),
      ...formats.map((option) => flagOf('format', option)),
      flagOf('help', helpOption),
    ],
    groups: groups.map(({ name }) => name),
  };
}

function helpStep(paths: readonly string[], words: readonly Word[]): Step {
  const after = paths.map((path) => `help ${path}`.trim());
  const named = words.map(({ name, summary }) => ({ name, summary }));
  return { paths: after, words: named, places: [], flags: [], groups: [] };
}

function placeOf(name: string, { choices, completion, isRepeatable }: Argument): Place {
  return { name, offer: unquoted(choices) ?? completion, several: isRepeatable ?? false };
}

function flagsOf(options: Options): Flag[] {
  return Object.entries(options).map(([name, option]) => flagOf(name, option));
}

function flagOf(name: string, option: Omit<Option<unknown>, 'parse'>): Flag {
  const { short, placeholder, choices, completion, isRepeatable = false } = option;
  const offer = unquoted(choices) ?? completion;
  return {
    long: flagName(name),
    short,
    summary: describeChoices(option),
    value: placeholder,
    offer,
    several: isRepeatable,
  };
}

/** Choices stand unquoted in the scripts. Throws where that would not do. */
function unquoted(choices: readonly string[] | undefined): readonly string[] | undefined {
  const odd = choices?.find((choice) => !/^[\w-]+$/.test(choice));
  if (odd !== undefined) throw new Error(`The choice "${odd}" cannot stand in a completion script.`);
  return choices;
}

/** What is offered, as one word of a script: `json,csv`, or `@lists` for what is not known yet. */
export function offerText(offer: Offer): string {
  if (offer === undefined) return '';
  return typeof offer === 'string' ? `@${offer}` : offer.join(',');
}
