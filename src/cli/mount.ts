import {
  Argument as CommanderArgument,
  type Command as CommanderCommand,
  Option as CommanderOption,
} from 'commander';
import { Failure } from '../contract/errors.ts';
import {
  type AnyCommand,
  type Argument,
  type Noun,
  normalizeArgument,
  type StandaloneCommand,
} from './command.ts';
import { type GlobalGroup, type Globals, getFormats, globalGroups } from './flags/globals.ts';
import { describeChoices, describeOption, flagName, type Option, type Options } from './flags/options.ts';

/** What to run, once the command line is read: every value checked, nothing done yet. */
export interface ParsedCommand {
  readonly command: AnyCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly globals: Globals;
}

/** A command of the tree was typed. */
export type CommandHandler = (parsed: ParsedCommand) => Promise<void>;

/** Adds a noun without its verbs, or a command without a noun, not yet filled. */
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

/** Adds the verbs of a noun, each to be filled when it is typed: a list of them needs no flags. */
export function mountVerbs(
  noun: CommanderCommand,
  commands: readonly AnyCommand[],
  onCommand: CommandHandler,
): void {
  for (const command of commands) {
    const { parent, last } = placeOf(command, noun);
    const verb = parent.command(last).helpCommand(false).summary(command.summary);
    const first = parent === noun ? undefined : parent;
    parent.hook('preSubcommand', (_, typed) => {
      if (typed === verb) mountCommand(verb, command, onCommand, first);
    });
  }
}

/** Where a verb stands: one of two words, such as `export status`, below the verb of the first. */
function placeOf({ name }: AnyCommand, noun: CommanderCommand): { parent: CommanderCommand; last: string } {
  const words = name.split(' ');
  const last = words.pop() ?? '';
  const under = (above: CommanderCommand, word: string) =>
    above.commands.find((one) => one.name() === word) ?? above;
  return { parent: words.reduce(under, noun), last };
}

/**
 * Fills a command: its arguments, flags, examples, and what happens when it is typed. `first` is the verb that its
 * first word is too: Commander gives that the flags which both of them have.
 */
export function mountCommand(
  verb: CommanderCommand,
  command: AnyCommand,
  onCommand: CommandHandler,
  first?: CommanderCommand,
): void {
  const { options = {}, rules = [], summary, description = summary, examples } = command;
  const args = Object.entries(command.args ?? {}).map(([name, argument]) => ({
    name,
    ...normalizeArgument(argument),
  }));
  verb.summary(summary).description(description);
  for (const { name, ...argument } of args) verb.addArgument(commanderArgument(name, argument));
  addOptions(verb, options);
  const last = args.at(-1);
  if (last?.isCommandLine) passOn(verb, last.name);
  mountGlobals(verb);
  const isOwn = ({ helpGroupHeading }: CommanderOption) => helpGroupHeading === undefined;
  verb.configureHelp({
    ...verb.configureHelp(),
    visibleOptions: (shown) => [...shown.options.filter(isOwn), helpOption, ...globalsFor(command)],
  });
  verb.addHelpText('after', `\nExamples:\n${examples.map((line) => `  $ kith ${line}`).join('\n')}`);
  verb.action(async (...words: unknown[]) => {
    const globals = globalsOf(command, lineTo(verb));
    const given = givenTo(verb, options);
    for (const [name, word] of first ? takenBy(first, options) : []) given.set(name, word);
    for (const rule of rules) rule(new Set(given.keys()));
    const values = args.map(({ name, choices }, index) => [name, checkedWord(name, words[index], choices)]);
    const input = { ...Object.fromEntries(values), ...valuesOf(options, given) };
    await onCommand({ command, globals, input });
  });
}

/** What begins with the last argument is a command line of its own, also where `--` was not typed. */
function passOn(verb: CommanderCommand, name: string): void {
  verb.usage(`[options] -- <${name}...>`).passThroughOptions();
}

/** Adds every global flag, whichever command it is for. */
export function mountGlobals(command: CommanderCommand): void {
  for (const option of globalFlags()) command.addOption(option);
}

let madeGlobals: readonly CommanderOption[] | undefined;

/** Every global flag, made once for all that have them: to make them takes as long as to read the command line. */
function globalFlags(): readonly CommanderOption[] {
  madeGlobals ??= globalGroups.flatMap(({ title, options }) =>
    Object.entries(options).map(([name, option]) => commanderOption(name, option).helpGroup(title)),
  );
  return madeGlobals;
}

/** Commander's own, as it stands in every help. */
export const helpOption = new CommanderOption('-h, --help', 'Print help');

/** The global flags that a command takes, for its help. */
function globalsFor(command: AnyCommand): CommanderOption[] {
  return globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ title, options }) =>
      Object.entries(options).map(([name, option]) =>
        commanderOption(
          name,
          name === 'format' ? { ...option, choices: getFormats(command) } : option,
        ).helpGroup(title),
      ),
    );
}

/** The program, the noun and the verb. */
function lineTo(command: CommanderCommand): CommanderCommand[] {
  return [...(command.parent ? lineTo(command.parent) : []), command];
}

/** A word that was given to a repeated flag, with its place among all of them. */
interface Word {
  readonly word: string;
  readonly at: number;
}

function addOptions(command: CommanderCommand, options: Options): void {
  let count = 0;
  for (const [name, option] of Object.entries(options)) {
    const added = commanderOption(name, option);
    if (option.isRepeatable) {
      added.argParser((word: string, before: readonly Word[] = []) => [...before, { word, at: count++ }]);
    }
    command.addOption(added);
  }
}

function commanderArgument(name: string, { summary, choices, isRepeatable }: Argument): CommanderArgument {
  return new CommanderArgument(
    `<${name}${isRepeatable ? '...' : ''}>`,
    describeChoices({ summary, choices }),
  );
}

function commanderOption(name: string, option: Option<unknown>): CommanderOption {
  const made = new CommanderOption(flagTerm(name, option), describeOption(option));
  return made.makeOptionMandatory(option.isRequired ?? false);
}

function flagTerm(name: string, { placeholder, short }: Option<unknown>): string {
  return `${short ? `${short}, ` : ''}${flagName(name)}${placeholder ? ` <${placeholder}>` : ''}`;
}

/** What Commander keeps a flag under: it takes `--no-header` for the absence of a `header`. */
const keyOf = (name: string) => name.replace(/^no([A-Z])/, (_, letter: string) => letter.toLowerCase());

/** The flags that were typed, with their words; a flag without a value has true. */
function givenTo(command: CommanderCommand, options: Options): Map<string, unknown> {
  const given = new Map<string, unknown>();
  for (const [name, option] of Object.entries(options)) {
    const key = keyOf(name);
    if (command.getOptionValueSource(key) !== 'cli') continue;
    given.set(name, option.placeholder === undefined ? true : command.getOptionValue(key));
  }
  return given;
}

/** The flags that the first word of a verb took from the second. Throws `usage` for one that is not the second's. */
function takenBy(first: CommanderCommand, options: Options): Map<string, unknown> {
  for (const option of first.options) {
    const isTyped = first.getOptionValueSource(option.attributeName()) === 'cli';
    if (isTyped && !Object.keys(options).some((name) => flagName(name) === option.long)) {
      throw noMeaning(option.long ?? option.flags);
    }
  }
  return givenTo(first, options);
}

function valuesOf(options: Options, given: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      given.has(name) ? readValue(name, option, given.get(name)) : option.defaultValue,
    ]),
  );
}

function readValue(name: string, option: Option<unknown>, given: unknown): unknown {
  const read = (word: string, at?: number) => named(flagName(name), () => option.parse(word, at));
  if (Array.isArray(given)) return given.map(({ word, at }: Word) => read(word, at));
  return typeof given === 'string' ? read(given) : given;
}

function checkedWord(name: string, word: unknown, choices: readonly string[] | undefined): unknown {
  if (choices && !choices.some((known) => known === word)) {
    throw new Failure('usage', `${name.toUpperCase()}: "${word}" is not one of ${choices.join(', ')}.`);
  }
  return word;
}

/** A complaint about a value, with the flag that it was given to. */
function named<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${flag}: ${error.message}`, error.detail);
  }
}

/** The global flags that were typed. One that the command has no use for is a mistake that must not pass unseen. */
function globalsOf(command: AnyCommand, line: readonly CommanderCommand[]): Globals {
  const values = globalGroups.map((group) => {
    const given = new Map(line.flatMap((word) => [...givenTo(word, group.options)]));
    if (!group.isFor(command)) refuse(group, given);
    return valuesOf(group.options, given);
  });
  const globals: Globals = Object.assign({}, ...values); // made from the groups that the type is made from
  checkFormat(command, globals);
  return globals;
}

function refuse({ options }: GlobalGroup, given: ReadonlyMap<string, unknown>): void {
  const stray = Object.keys(options).find((name) => given.has(name));
  if (stray !== undefined) throw noMeaning(flagName(stray));
}

function noMeaning(flag: string): Failure {
  return new Failure('usage', `${flag} has no meaning here.`, {
    hint: 'Leave it out; the flags of a command stand in its --help.',
  });
}

function checkFormat(command: AnyCommand, { format, json, jq, all, limit, bom, noHeader }: Globals): void {
  const formats = getFormats(command);
  if (format !== undefined && !formats.some((known) => known === format)) {
    throw new Failure('usage', `--format: "${format}" is not one of ${formats.join(', ')}.`);
  }
  if (json && format !== undefined && format !== 'json') {
    throw new Failure('usage', `Give --json or --format ${format}, not both.`);
  }
  if (jq !== undefined && format !== undefined && format !== 'json' && format !== 'ndjson') {
    throw new Failure('usage', `--jq makes JSON: it does not go with --format ${format}.`);
  }
  if (noHeader && (json || jq !== undefined || format === 'json' || format === 'ndjson'))
    throw new Failure('usage', '--no-header applies to tables, CSV and TSV, not to JSON.');
  if (bom && format !== 'csv') throw new Failure('usage', '--bom goes with --format csv.');
  if (all && limit !== undefined) throw new Failure('usage', 'Give --all or --limit, not both.');
}

/** A noun or a command in the list of the program: with its alias, without its flags. */
export function formatEntryTerm(command: CommanderCommand): string {
  return [command.name(), ...command.aliases()].join(', ');
}
