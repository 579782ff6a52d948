import {
  type Command as CommanderCommand,
  Option as CommanderOption,
  type Command as Program,
} from 'commander';
import { Failure } from '../contract/errors.ts';
import type { AnyCommand, Group } from './command.ts';
import type { Context, Globals } from './context.ts';
import { type Format, recordFormats } from './formats.ts';
import { globalOptions } from './globals.ts';
import { flagName, type Option, type Options } from './options.ts';

/** What to run, once the command line is read: every value checked, nothing done yet. */
export interface Parsed {
  readonly command: AnyCommand;
  readonly input: Readonly<Record<string, unknown>>;
  readonly globals: Globals;
}

/** A command of the tree was typed. */
export type OnCommand = (parsed: Parsed) => Promise<void>;

/** Adds a noun, without its verbs. */
export function mountGroup(program: Program, { name, alias, summary }: Group): CommanderCommand {
  const noun = program.command(name).summary(summary).description(summary).helpCommand(false);
  if (alias !== undefined) noun.alias(alias);
  return noun;
}

/** Adds a verb: its arguments, flags, examples, and what happens when it is typed. */
export function mountCommand(
  parent: CommanderCommand,
  command: AnyCommand,
  context: Context,
  onCommand: OnCommand,
): void {
  const verb = parent
    .command(command.name)
    .summary(command.summary)
    .description(command.description ?? command.summary);
  const names = Object.keys(command.args ?? {});
  for (const [name, what] of Object.entries(command.args ?? {})) verb.argument(`<${name}>`, what);
  addOptions(verb, command.options ?? {});
  verb.addHelpText('after', `\nExamples:\n${command.examples.map((line) => `  $ kith ${line}`).join('\n')}`);
  verb.action(async (...values: unknown[]) => {
    const given = verb.opts<Record<string, unknown>>();
    const now = context.now();
    const globals = valuesOf(
      globalOptions,
      parent.parent?.opts() ?? parent.opts(),
      now,
    ) as unknown as Globals; // made from globalOptions
    checkFormat(command, globals);
    for (const rule of command.rules ?? []) rule(new Set(Object.keys(given)));
    const args = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    await onCommand({ command, globals, input: { ...args, ...valuesOf(command.options ?? {}, given, now) } });
  });
}

/** Adds flags to a command, or the global ones to the program. */
export function addOptions(command: CommanderCommand, options: Options): void {
  for (const [name, option] of Object.entries(options)) command.addOption(commanderOption(name, option));
}

function commanderOption(
  name: string,
  { summary, value, choices, short, required }: Option<unknown>,
): CommanderOption {
  const long = name === 'color' ? '--no-color' : flagName(name);
  const flags = `${short ? `${short}, ` : ''}${long}${value ? ` <${value}>` : ''}`;
  const text = choices ? `${summary}: ${choices.join(', ')}` : summary;
  return new CommanderOption(flags, text).makeOptionMandatory(required ?? false);
}

function valuesOf(
  options: Options,
  given: Readonly<Record<string, unknown>>,
  now: Date,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([name, option]) => {
      const value = given[name];
      if (typeof value !== 'string') return [name, value ?? option.fallback];
      return [name, named(name, () => option.read(value, { now }))];
    }),
  );
}

/** A complaint about a value, with the flag that it was given to. */
function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.code, `${flagName(name)}: ${error.message}`, error.detail);
  }
}

function checkFormat(command: AnyCommand, { format, json }: Globals): void {
  const formats: readonly Format[] = command.formats ?? recordFormats;
  if (format !== undefined && !formats.some((known) => known === format)) {
    throw new Failure('usage', `--format: "${format}" is not one of ${formats.join(', ')}.`);
  }
  if (json && format !== undefined && format !== 'json') {
    throw new Failure('usage', `Give --json or --format ${format}, not both.`);
  }
}
