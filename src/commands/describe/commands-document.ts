import {
  type AnyCommand,
  type Argument,
  type Arguments,
  type CommandEntry,
  type CommandTree,
  findEntry,
  formatCommandName,
} from '../../cli/command/command.ts';
import { isWrite, mayDelete, sendsRequests } from '../../cli/command/effects.ts';
import { listExitCodes } from '../../cli/command/exit-codes.ts';
import { getFormats, globalGroups } from '../../cli/command/globals.ts';
import { type Option, toFlagName } from '../../cli/command/options.ts';
import { storedSettings } from '../../cli/connect/settings.ts';
import { describeArgument } from '../../cli/flags/references.ts';
import type {
  ArgumentDocument,
  CommandDocument,
  CommandsDocument,
  FlagDocument,
} from '../../contract/documents/schemas.ts';
import { exitCodeList, exitCodes } from '../../contract/errors.ts';

/** A selection of commands: all commands, a noun's commands, or one command with its subcommands. */
export interface CommandSelection {
  readonly noun: string | undefined;
  readonly verb: string | undefined;
}

/** Describes commands for programs. The selection may match no command. */
export async function buildCommandsDocument(
  tree: CommandTree,
  version: string,
  { noun, verb }: CommandSelection,
): Promise<CommandsDocument> {
  const only = findEntry(tree, noun);
  const entries = noun === undefined ? tree : only ? [only] : [];
  const commands = await Promise.all(
    entries.map(async (entry) =>
      (await entry.commands())
        .filter(({ name }) => verb === undefined || name === verb || name.startsWith(`${verb} `))
        .map((command) => buildCommand(entry, command)),
    ),
  );
  return {
    schema_version: 1,
    version,
    global_flags: globalGroups.flatMap(({ options }) =>
      Object.entries(options).map(([name, option]) => buildFlag(name, withStoredDefault(name, option))),
    ),
    exit_codes: exitCodeList.map((code) => ({ code, meaning: exitCodes[code] })),
    commands: commands.flat(),
  };
}

/** Adds the built-in default of a flag whose default `kith config` can replace. */
function withStoredDefault(name: string, option: Option<unknown>): Option<unknown> {
  const { defaultValue } = storedSettings[toFlagName(name).slice(2)] ?? option;
  return { ...option, defaultValue: option.defaultValue ?? defaultValue };
}

function buildCommand(entry: CommandEntry, command: AnyCommand): CommandDocument {
  const { summary, description = summary, args = {}, options = {}, paging } = command;
  const groups = globalGroups.filter(({ isFor }) => isFor(command));
  const interaction = command.describeInteraction?.({}, { yes: false, dryRun: false });
  const { name, alias, documentName = name } = entry;
  return {
    path: formatCommandName({ ...entry, name: documentName }, command).split(' '),
    aliases: [name, alias].flatMap((word) => (word === documentName ? [] : (word ?? []))),
    summary,
    description,
    arguments: Object.entries(args).map(([name, argument]) => buildArgument(args, name, argument)),
    flags: Object.entries(options).map(([name, option]) => buildFlag(name, option)),
    global_flags: groups.flatMap((group) => Object.keys(group.options).map(toFlagName)),
    formats: [...getFormats(command)],
    results: Object.values(command.output).flat(),
    exit_codes: listExitCodes(command),
    writes: isWrite(command),
    deletes: mayDelete(command),
    creates_only: command.effects === 'creates',
    local: !sendsRequests(command),
    uses_files: command.isFileBased === true,
    needs_terminal: command.describeInteraction?.({}, { yes: true, dryRun: false }) !== undefined,
    ...(interaction !== undefined && { interaction }),
    ...(paging && { paging }),
    examples: command.examples.map((example) => `kith ${example}`),
  };
}

/** The nouns of the kinds that pickers offer only a part of. */
const narrowedKinds: Readonly<Record<string, string>> = {
  processes: 'lists',
  finishedRecordings: 'recordings',
};

function buildArgument(args: Arguments, name: string, argument: Argument): ArgumentDocument {
  const { placeholder, choices, record, names, isKeyImplied, isOptional, isRepeatable } = argument;
  return {
    name: name.toUpperCase(),
    ...(placeholder !== undefined && { placeholder }),
    summary: describeArgument(args, argument),
    required: !isKeyImplied && !isOptional,
    repeatable: isRepeatable === true,
    ...(choices && { choices: [...choices] }),
    ...(record && { record: narrowedKinds[record] ?? record }),
    ...(names && { references: formatReference(names) }),
  };
}

function buildFlag(name: string, option: Option<unknown>): FlagDocument {
  const { short, placeholder, choices, defaultValue, presetValue, range, valueSource, reference } = option;
  const isPlain = ['string', 'number', 'boolean'].includes(typeof defaultValue);
  return {
    name: toFlagName(name),
    ...(short !== undefined && { short }),
    type: findFlagType(option),
    ...(placeholder !== undefined && { placeholder }),
    ...(choices && { choices: [...choices] }),
    ...(isPlain && { default: defaultValue as string | number | boolean }), // checked above
    ...(presetValue !== undefined && { preset: presetValue }),
    required: option.isRequired === true,
    repeatable: option.isRepeatable === true,
    ...(range && {
      range: {
        minimum: range.min,
        ...(range.max < Number.MAX_SAFE_INTEGER && { maximum: range.max }),
      },
    }),
    ...(valueSource && { value_source: valueSource }),
    ...(reference && { references: formatReference(reference.kind) }),
    summary: option.summary,
  };
}

/** Returns the published name of a kind of reference. */
const formatReference = (kind: string) => (kind === 'custom_field' ? 'customField' : kind);

function findFlagType({ placeholder, range, isObject }: Option<unknown>): FlagDocument['type'] {
  if (placeholder === undefined) return 'boolean';
  if (range) return 'integer';
  return isObject ? 'json' : 'string';
}
