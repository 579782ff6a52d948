import {
  Argument as CommanderArgument,
  Command as CommanderCommand,
  Option as CommanderOption,
} from 'commander';
import { addErrorPrefix, Failure } from '../contract/errors.ts';
import { formatTerm, wrapParagraph } from '../render/text/paragraph.ts';
import {
  type AnyCommand,
  type Arguments,
  type CommandEntry,
  type CommandTree,
  findEntry,
  type ParsedCommand,
} from './command/command.ts';
import { isWrite } from './command/effects.ts';
import {
  applyOutputFormat,
  checkFormat,
  type Globals,
  getFormats,
  globalGroups,
  globalOptions,
  toleratedOptions,
} from './command/globals.ts';
import { describeOption, formatFlag, type Option, type Options, toFlagName } from './command/options.ts';
import { stdinWord } from './flags/bulk.ts';
import { describeArgument, isEntryKey } from './flags/references.ts';
import { formatList, formatMainHelp, homeLine } from './help/help.ts';

/** The width of help in a pipe. */
export const defaultHelpWidth = 80;

/** The state of parsing a command line. The result is a command, or the text of help. */
export interface Parsing {
  readonly words: readonly string[];
  /** Whether a prompt can ask for missing input: an argument that names a record, or the content of a form. */
  readonly canAsk: boolean;
  help: string;
  /** The definitions of the mounted commands. */
  readonly commands: Map<CommanderCommand, AnyCommand>;
  parsed?: ParsedCommand | undefined;
}

/** Creates the program with the global flags and the typed command; with all commands if none matches. */
export function createProgram(
  tree: CommandTree,
  parsing: Parsing,
  version: string,
  width = defaultHelpWidth,
): CommanderCommand {
  const [noun, verb] = parsing.words;
  const addHelp = (text: string) => {
    parsing.help += text;
  };
  const program = new CommanderCommand('kith')
    .version(version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .helpCommand(false)
    // Only the verb knows which of the words after it are values.
    .enablePositionalOptions()
    .configureHelp({
      helpWidth: width,
      boxWrap: wrapDescription,
      formatItem: (term, termWidth, description) => formatTerm(term, termWidth, description, width),
      styleUsage: (usage) => wrapParagraph(usage, width, 'Usage: '.length),
      subcommandTerm: (command) => [command.name(), ...command.aliases()].join(', '),
      // The options of a noun come after its commands.
      visibleOptions: (command) => (hasCommands(command) ? [] : listVisibleOptions(command)),
    })
    .configureOutput({ writeOut: addHelp, writeErr: addHelp, outputError: () => {} })
    .exitOverride();
  program.helpInformation = () => formatMainHelp(width);
  const typed = findEntry(tree, noun);
  if (!typed) mountGlobals(program);
  // If a flag comes first, the second word may be its value.
  for (const entry of typed ? [typed] : tree) mountEntry(program, entry, typed && verb, parsing, width);
  return program;
}

/** Adds a noun or a standalone command, which is loaded when it is reached, with only the verb that is typed. */
function mountEntry(
  program: CommanderCommand,
  { name, alias, title, summary, featured, commands: load }: CommandEntry,
  verb: string | undefined,
  parsing: Parsing,
  width: number,
): void {
  const mounted = program
    .command(name)
    .summary(summary)
    .description(summary)
    .helpGroup(title)
    .helpCommand(false);
  if (alias !== undefined) mounted.alias(alias);
  program.hook('preSubcommand', async (_, reached) => {
    if (reached !== mounted) return;
    const commands = await load();
    const [only] = commands;
    if (only?.name === name) return mountCommand(mounted, only, parsing);
    const examples = commands
      .filter((command, index) => featured?.includes(command.name) ?? index < 3)
      .flatMap((command) => command.examples.slice(0, 1));
    mounted
      .description(`${summary}\n${formatExamples(examples)}`)
      .addHelpText(
        'after',
        `\n${formatList('Options:', [[helpOption.flags, helpOption.description]], width)}${endLines}`,
      );
    const matching = commands.filter((command) => command.name.split(' ', 1)[0] === verb);
    if (matching.length === 0) mountGlobals(mounted);
    for (const command of matching.length > 0 ? matching : commands)
      mountCommand(createVerb(mounted, command.name), command, parsing);
  });
}

/** Adds a verb to a noun; the parent of `export status` is `export`. */
function createVerb(noun: CommanderCommand, name: string): CommanderCommand {
  const [first = '', second] = name.split(' ');
  const parent = noun.commands.find((command) => command.name() === first);
  return second !== undefined && parent ? parent.command(second) : noun.command(first);
}

function mountCommand(verb: CommanderCommand, command: AnyCommand, parsing: Parsing): void {
  const { canAsk } = parsing;
  const { args = {}, options = {}, summary, description = summary, examples, form } = command;
  const [, sentence = description, details = ''] = /^(.*?[.!?]) (?=[A-Z`-])(.*)$/s.exec(description) ?? [];
  verb.summary(summary).description(`${sentence}\n${formatExamples(examples)}${details && `\n\n${details}`}`);
  parsing.commands.set(verb, command);
  const isListImplied = Object.values(args).some(({ isKeyImplied }) => isKeyImplied);
  const terms: string[] = [];
  for (const [name, argument] of Object.entries(args)) {
    const { placeholder = name, isRepeatable, isCommandLine, isOptional, record, takesMany } = argument;
    const word = `${placeholder}${isRepeatable ? '...' : ''}`;
    // `parseCommand` checks the arguments of a command if one may be omitted.
    const mayBeOmitted =
      isOptional || isListImplied || (takesMany && options.where) || (canAsk && (form || record));
    const term = mayBeOmitted ? `[${word}]` : `<${word}>`;
    verb.addArgument(new CommanderArgument(term, describeArgument(args, argument)));
    terms.push(...(isCommandLine ? ['--'] : []), term);
    if (isCommandLine) verb.usage(['[options]', ...terms].join(' '));
  }
  if (isListImplied) verb.usage(formatKeyUsage(args));
  let position = 0;
  for (const [name, option] of Object.entries(options)) {
    const isRequired = option.isRequired === true && !(canAsk && form);
    const commanderOption = toCommanderOption(name, option).makeOptionMandatory(isRequired);
    if (option.isRepeatable)
      commanderOption.argParser((word: string, values: readonly RepeatedValue[] = []) => [
        ...values,
        { word, position: position++ },
      ]);
    verb.addOption(commanderOption);
  }
  mountGlobals(verb, command);
  verb.addHelpText('after', endLines);
  verb.action((...values: unknown[]) => {
    parsing.parsed = parseCommand(command, values, findPath(verb), parsing);
  });
}

/** Formats the usage of a command whose first argument may be omitted: `[options] [list] <id>`. */
function formatKeyUsage(args: Arguments): string {
  const terms = Object.entries(args).map(([name, { isKeyImplied, isRepeatable }]) => {
    const word = isRepeatable ? `${name}...` : name;
    return isKeyImplied ? `[${word}]` : `<${word}>`;
  });
  return ['[options]', ...terms].join(' ');
}

/** Formats examples for the help, after an empty line. */
function formatExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((line) => `${examplePrompt}kith ${line}`).join('\n')}`;
}

const examplePrompt = '  $ ';

/** Wraps each line of a description, except for examples, so that they can be copied. */
function wrapDescription(text: string, width: number): string {
  const lines = text.split('\n');
  return lines.map((line) => (line.startsWith(examplePrompt) ? line : wrapParagraph(line, width))).join('\n');
}

/** The groups of global flags that the help of a command lists: the flags that only some commands have. */
const specificTitles = ['Writing:', 'Lists:'];

/** The end of the help of a noun or a command. */
const endLines = `\nShared flags: kith help flags\n${homeLine}`;

/** Whether a command is a noun with verbs. */
const hasCommands = ({ commands, parent }: CommanderCommand) => commands.length > 0 && !parent?.parent;

/**
 * Adds every global flag. The help of a command lists the flags that only some commands support, and --format if the
 * command has formats of its own; other help lists none.
 */
function mountGlobals(mounted: CommanderCommand, command?: AnyCommand): void {
  for (const { title, isFor, options } of globalGroups)
    for (const [name, option] of Object.entries(options)) {
      const described = command ? describeFor(command, name, option) : option;
      const isSpecific = name === 'format' ? command?.formats : specificTitles.includes(title);
      const isShown = command && isFor(command) && isSpecific;
      const commanderOption = toCommanderOption(name, described).helpGroup(title);
      mounted.addOption(commanderOption.hideHelp(!isShown));
    }
}

/** Returns a global flag as the help of a command describes it. */
function describeFor(command: AnyCommand, name: string, option: Option<unknown>): Option<unknown> {
  if (name === 'format') return { ...option, choices: getFormats(command) };
  if (name === 'dryRun' && !isWrite(command))
    return { ...option, summary: 'Show the changes without making them' };
  return option;
}

const helpOption = new CommanderOption('-h, --help', 'Print help');

/** Lists the flags of a command for its help: its own flags first, then the help flag and the global flags. */
function listVisibleOptions({ options }: CommanderCommand): CommanderOption[] {
  const isGlobal = ({ helpGroupHeading }: CommanderOption) => helpGroupHeading !== undefined;
  const visible = options.filter(({ hidden }) => !hidden);
  return [...visible.filter((option) => !isGlobal(option)), helpOption, ...visible.filter(isGlobal)];
}

function toCommanderOption(name: string, option: Option<unknown>): CommanderOption {
  const { placeholder, presetValue } = option;
  const value = presetValue === undefined ? placeholder && `<${placeholder}>` : placeholder;
  const commanderOption = new CommanderOption(
    formatFlag(name, { ...option, placeholder: value }),
    describeOption(option),
  );
  return presetValue === undefined ? commanderOption : commanderOption.preset(presetValue);
}

function findPath(command: CommanderCommand): CommanderCommand[] {
  return [...(command.parent ? findPath(command.parent) : []), command];
}

/** Parses a command; undefined if input is missing that a prompt cannot ask for. @throws {Failure} usage */
function parseCommand(
  command: AnyCommand,
  values: readonly unknown[],
  path: readonly CommanderCommand[],
  { words, canAsk }: Parsing,
): ParsedCommand | undefined {
  const { args = {}, options = {} } = command;
  const argumentWords = omitImpliedList(args, values);
  const groups = globalGroups.filter(({ isFor }) => isFor(command));
  const takesCommandLine = Object.values(args).some(({ isCommandLine }) => isCommandLine);
  // A flag before `--` may be meant for the command line after it.
  const extraOptions = takesCommandLine ? {} : toleratedOptions;
  const flags = readFlags(
    path,
    Object.assign({}, extraOptions, options, ...groups.map(({ options }) => options)),
  );
  setArgumentFlags(args, argumentWords, flags);
  const globals = applyOutputFormat(command, parseValues(globalOptions, flags) as Globals); // the type is derived from the same flags
  checkFormat(command, globals);
  const names = new Set(Object.keys(options).filter((name) => flags.has(name)));
  const isFormOpen = canAsk && command.form && names.size === 0;
  if (!canAsk) checkArguments(command, argumentWords, path, flags.has('where'));
  if (!isFormOpen) {
    checkRules(command, names);
    if (!isComplete(command, argumentWords, names)) return undefined;
  }
  const argumentValues = Object.entries(args).flatMap(([name, { choices, flag, isOptional }], index) => {
    if (flag) return [];
    const value = argumentWords[index];
    if (choices && !(isOptional && value === undefined) && !choices.some((choice) => choice === value))
      throw new Failure('usage', `${name.toUpperCase()}: "${value}" is not one of ${choices.join(', ')}.`);
    return [[name, value]];
  });
  return {
    words,
    path: path.slice(1).map((part) => part.name()),
    command,
    globals,
    input: { ...Object.fromEntries(argumentValues), ...parseValues(options, flags) },
  };
}

/** Sets the flags whose values are typed as arguments. @throws {Failure} usage if such a flag is typed too */
function setArgumentFlags(args: Arguments, words: readonly unknown[], flags: Map<string, unknown>): void {
  for (const [index, { flag }] of Object.values(args).entries()) {
    const word = words[index];
    if (!flag || typeof word !== 'string') continue;
    const name = flag(word);
    if (flags.has(name))
      throw new Failure('usage', `${toFlagName(name)}: The argument "${word}" sets the same value.`);
    flags.set(name, word);
  }
}

/** Returns the arguments of a command. Inserts undefined for a list that the keys of entries imply. */
function omitImpliedList(args: Arguments, values: readonly unknown[]): readonly unknown[] {
  const [list, last] = Object.values(args);
  const [first, ...others] = values.slice(0, Object.keys(args).length);
  const words = [first, ...others.flat()].filter((word) => word !== undefined);
  const isKey = (word: unknown) => typeof word === 'string' && (word === stdinWord || isEntryKey(word));
  const areKeys = words.length > 0 && words.every(isKey);
  if (!list?.isKeyImplied || !areKeys || (words.length > 1 && !last?.isRepeatable)) return values;
  return [undefined, last?.isRepeatable ? words : first];
}

/**
 * `hasSelection`: whether --where selects the records.
 * @throws {Failure} usage if an argument is missing, and no prompt asks for it
 */
function checkArguments(
  { args = {} }: AnyCommand,
  words: readonly unknown[],
  path: readonly CommanderCommand[],
  hasSelection: boolean,
): void {
  const hasKey = words[0] === undefined && words[1] !== undefined;
  for (const [index, [name, { isKeyImplied, isOptional, takesMany, placeholder = name }]] of Object.entries(
    args,
  ).entries()) {
    if (isOptional) continue;
    const word = words[index];
    const isMissing = word === undefined || (Array.isArray(word) && word.length === 0);
    if (isMissing && !(isKeyImplied && hasKey) && !(takesMany && hasSelection))
      path.at(-1)?.error(`'${placeholder}'`, { code: 'commander.missingArgument' });
  }
}

/** @throws {Failure} usage if the flags break a rule of the command */
function checkRules({ rules = [], options = {} }: AnyCommand, flags: ReadonlySet<string>): void {
  for (const rule of rules) {
    const problem = rule(flags, (name) => formatFlag(name, { placeholder: options[name]?.placeholder }));
    if (problem) throw new Failure('usage', problem);
  }
}

/** Whether the only missing input is arguments that name a record. */
function isComplete(
  { args = {}, options = {} }: AnyCommand,
  words: readonly unknown[],
  flags: ReadonlySet<string>,
): boolean {
  return (
    Object.values(args).every(
      ({ record, isOptional }, index) => words[index] !== undefined || record || isOptional,
    ) && Object.entries(options).every(([name, { isRequired }]) => !isRequired || flags.has(name))
  );
}

/** Reads the typed flags, with true for one without a value. @throws {Failure} usage if one is not supported */
function readFlags(path: readonly CommanderCommand[], supported: Options): Map<string, unknown> {
  const names = new Map(Object.keys(supported).map((name) => [toFlagName(name), name]));
  const flags = new Map<string, unknown>();
  for (const part of path)
    for (const option of part.options) {
      const key = option.attributeName();
      // `--input FILE` and `--no-input` set the same value of Commander.
      const isSet = option.negate === (part.getOptionValue(key) === false);
      if (part.getOptionValueSource(key) !== 'cli' || !isSet) continue;
      const name = names.get(option.long ?? '');
      if (name === undefined) part.error(`'${option.long}'`, { code: 'commander.unsupportedOption' });
      flags.set(name, option.negate || part.getOptionValue(key));
    }
  return flags;
}

function parseValues(options: Options, flags: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      flags.has(name) ? parseValue(name, option, flags.get(name)) : option.defaultValue,
    ]),
  );
}

/** A value of a repeatable flag and its position among the values of all repeatable flags. */
interface RepeatedValue {
  readonly word: string;
  readonly position: number;
}

function parseValue(name: string, option: Option<unknown>, value: unknown): unknown {
  try {
    if (Array.isArray(value))
      return value.flatMap(({ word, position }: RepeatedValue) =>
        (option.split?.(word) ?? [word]).map((text) => option.parse(text, position)),
      );
    return typeof value === 'string' ? option.parse(value) : value;
  } catch (error) {
    throw addErrorPrefix(toFlagName(name), error);
  }
}
