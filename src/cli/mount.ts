import {
  Argument as CommanderArgument,
  type Command as CommanderCommand,
  Option as CommanderOption,
} from 'commander';
import { Failure } from '../contract/errors.ts';
import { type AnyCommand, type Noun, normalizeArgument, type StandaloneCommand } from './command.ts';
import { checkFormat, type Globals, getFormats, globalGroups } from './flags/globals.ts';
import {
  describeChoices,
  describeOption,
  flagName,
  formatFlag,
  type Option,
  type Options,
} from './flags/options.ts';

/** A parsed command line: every value is checked, nothing is done yet. */
export interface ParsedCommand {
  readonly command: AnyCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly globals: Globals;
}

/** Receives a parsed command. */
export type CommandHandler = (parsed: ParsedCommand) => Promise<void>;

/** Adds a noun without its verbs, or a standalone command without its flags. */
export function mountEntry(
  program: CommanderCommand,
  entry: Noun | StandaloneCommand,
  title: string,
): CommanderCommand {
  const { name, summary } = entry;
  const isHidden = 'isHidden' in entry && entry.isHidden === true;
  const mounted = program
    .command(name, { hidden: isHidden })
    .summary(summary)
    .description(summary)
    .helpCommand(false);
  mounted.helpGroup(title);
  if ('alias' in entry && entry.alias !== undefined) mounted.alias(entry.alias);
  return mounted;
}

/** Adds the verbs of a noun. The flags of a verb are added when it is typed: a list of verbs needs none. */
export function mountVerbs(
  noun: CommanderCommand,
  commands: readonly AnyCommand[],
  onCommand: CommandHandler,
): void {
  for (const command of commands) {
    const { parent, last } = findParent(command, noun);
    const verb = parent.command(last).helpCommand(false).summary(command.summary);
    const first = parent === noun ? undefined : parent;
    parent.hook('preSubcommand', (_, typed) => {
      if (typed === verb) mountCommand(verb, command, onCommand, first);
    });
  }
}

/** Finds the parent of a verb; that of `export status` is `export`. */
function findParent(
  { name }: AnyCommand,
  noun: CommanderCommand,
): { parent: CommanderCommand; last: string } {
  const words = name.split(' ');
  const last = words.pop() ?? '';
  const under = (above: CommanderCommand, word: string) =>
    above.commands.find((one) => one.name() === word) ?? above;
  return { parent: words.reduce(under, noun), last };
}

/**
 * Adds the arguments, flags, examples and action of a command. `parentVerb` is the command of its first word, such
 * as `export` for `export status`: Commander gives it the flags that both commands have.
 */
export function mountCommand(
  verb: CommanderCommand,
  command: AnyCommand,
  onCommand: CommandHandler,
  parentVerb?: CommanderCommand,
): void {
  const { options = {}, rules = [], summary, description = summary, examples } = command;
  const args = Object.entries(command.args ?? {}).map(([name, argument]) => ({
    name,
    ...normalizeArgument(argument),
  }));
  verb.summary(summary).description(description);
  for (const { name, summary, choices, isRepeatable } of args) {
    const term = `<${name}${isRepeatable ? '...' : ''}>`;
    verb.addArgument(new CommanderArgument(term, describeChoices({ summary, choices })));
  }
  addOptions(verb, options);
  const last = args.at(-1);
  // All words from the last argument on belong to the command line that they are, with or without `--`.
  if (last?.isCommandLine) verb.usage(`[options] -- <${last.name}...>`).passThroughOptions();
  mountGlobals(verb);
  const isLocalOption = ({ helpGroupHeading }: CommanderOption) => helpGroupHeading === undefined;
  verb.configureHelp({
    ...verb.configureHelp(),
    visibleOptions: (help) => [
      ...help.options.filter(isLocalOption),
      helpOption,
      ...listGlobalOptions(command),
    ],
  });
  verb.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ kith ${line}`).join('\n')}`);
  verb.action(async (...words: unknown[]) => {
    const path = findPath(verb);
    const globals = parseGlobals(command, path);
    const flags = readFlags(verb, options);
    for (const [name, word] of parentVerb ? readParentFlags(parentVerb, options, path) : [])
      flags.set(name, word);
    const names = new Set(flags.keys());
    for (const rule of rules)
      rule(names, (name) => formatFlag(name, { placeholder: options[name]?.placeholder }));
    const values = args.map(({ name, choices }, index) => [name, checkChoice(name, words[index], choices)]);
    const input = { ...Object.fromEntries(values), ...parseValues(options, flags) };
    await onCommand({ command, globals, input });
  });
}

/** Adds every global flag, also those that the command does not support. */
export function mountGlobals(command: CommanderCommand): void {
  for (const { title, options } of globalGroups)
    for (const [name, option] of Object.entries(options))
      command.addOption(toCommanderOption(name, option).helpGroup(title));
}

/** The help flag, as every help lists it. */
export const helpOption = new CommanderOption('-h, --help', 'Print help');

/** Lists the global flags that a command supports, for its help. */
function listGlobalOptions(command: AnyCommand): CommanderOption[] {
  return globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ title, options }) =>
      Object.entries(options).map(([name, option]) =>
        toCommanderOption(
          name,
          name === 'format' ? { ...option, choices: getFormats(command) } : option,
        ).helpGroup(title),
      ),
    );
}

/** Returns the program, the noun and the verb. */
function findPath(command: CommanderCommand): CommanderCommand[] {
  return [...(command.parent ? findPath(command.parent) : []), command];
}

/** A value of a repeatable flag and its position among the values of all repeatable flags. */
interface RepeatedValue {
  readonly word: string;
  readonly position: number;
}

function addOptions(command: CommanderCommand, options: Options): void {
  let count = 0;
  for (const [name, option] of Object.entries(options)) {
    const added = toCommanderOption(name, option);
    if (option.isRepeatable) {
      added.argParser((word: string, values: readonly RepeatedValue[] = []) => [
        ...values,
        { word, position: count++ },
      ]);
    }
    command.addOption(added);
  }
}

function toCommanderOption(name: string, option: Option<unknown>): CommanderOption {
  const term = formatFlag(name, { ...option, placeholder: option.placeholder && `<${option.placeholder}>` });
  return new CommanderOption(term, describeOption(option)).makeOptionMandatory(option.isRequired ?? false);
}

/** Returns Commander's key of a flag: it reads `--no-header` as the absence of `header`. */
const toCommanderKey = (name: string) =>
  name.replace(/^no([A-Z])/, (_, letter: string) => letter.toLowerCase());

/** Reads the flags that were typed, with their unparsed values; a flag without a value has true. */
function readFlags(command: CommanderCommand, options: Options): Map<string, unknown> {
  const flags = new Map<string, unknown>();
  for (const [name, option] of Object.entries(options)) {
    const key = toCommanderKey(name);
    if (command.getOptionValueSource(key) !== 'cli') continue;
    flags.set(name, option.placeholder === undefined ? true : command.getOptionValue(key));
  }
  return flags;
}

/**
 * Reads the flags of a command that Commander gave to its parent verb.
 * @throws {Failure} usage if one of them belongs only to the parent
 */
function readParentFlags(
  parentVerb: CommanderCommand,
  options: Options,
  path: readonly CommanderCommand[],
): Map<string, unknown> {
  for (const option of parentVerb.options) {
    const isTyped = parentVerb.getOptionValueSource(option.attributeName()) === 'cli';
    if (isTyped && !Object.keys(options).some((name) => flagName(name) === option.long)) {
      throw createUnsupportedFlagFailure(option.long ?? option.flags, path);
    }
  }
  return readFlags(parentVerb, options);
}

function parseValues(options: Options, flags: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      flags.has(name) ? parseValue(name, option, flags.get(name)) : option.defaultValue,
    ]),
  );
}

/** Parses the value of a flag; the error names the flag. */
function parseValue(name: string, option: Option<unknown>, value: unknown): unknown {
  try {
    if (Array.isArray(value))
      return value.map(({ word, position }: RepeatedValue) => option.parse(word, position));
    return typeof value === 'string' ? option.parse(value) : value;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${flagName(name)}: ${error.message}`, error.detail);
  }
}

function checkChoice(name: string, word: unknown, choices: readonly string[] | undefined): unknown {
  if (choices && !choices.some((choice) => choice === word)) {
    throw new Failure('usage', `${name.toUpperCase()}: "${word}" is not one of ${choices.join(', ')}.`);
  }
  return word;
}

/** @throws {Failure} usage if a global flag was typed that the command does not support */
function parseGlobals(command: AnyCommand, path: readonly CommanderCommand[]): Globals {
  const values = globalGroups.map(({ options, isFor }) => {
    const flags = new Map(path.flatMap((part) => [...readFlags(part, options)]));
    const unsupported = isFor(command) ? undefined : Object.keys(options).find((name) => flags.has(name));
    if (unsupported !== undefined) throw createUnsupportedFlagFailure(flagName(unsupported), path);
    return parseValues(options, flags);
  });
  const globals: Globals = Object.assign({}, ...values); // the type is derived from the same groups
  checkFormat(command, globals);
  return globals;
}

function createUnsupportedFlagFailure(flag: string, path: readonly CommanderCommand[]): Failure {
  const line = path.map((part) => part.name()).join(' ');
  return new Failure('usage', `${flag} is not supported by \`${line}\`.`, {
    hint: `See \`${line} --help\`.`,
  });
}

/** Formats a noun or command for the list of the program: with its alias, without its flags. */
export function formatEntryTerm(command: CommanderCommand): string {
  return [command.name(), ...command.aliases()].join(', ');
}
