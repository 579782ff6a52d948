import { Failure } from '../../contract/errors.ts';
import { isObject } from '../../values/json-object.ts';
import type { AnyCommand, Argument } from '../command/command.ts';
import { isWrite } from '../command/effects.ts';
import { globalGroups } from '../command/globals.ts';
import { type Option, toFlagName } from '../command/options.ts';
import { stdinWord } from './bulk.ts';
import { isEntryKey } from './references.ts';

/** An argument or a flag of a command, as a parameter of a call in JSON. */
export interface Parameter {
  readonly option: Omit<Option<unknown>, 'parse'> & Pick<Argument, 'names' | 'takesMany'>;
  /** The flag, such as `--limit`; undefined for an argument. */
  readonly flag?: string;
  /** Whether only the caller reads it, so that it is not part of the command line. */
  readonly isForCaller?: true;
}

/** Returns the arguments and flags of a command by their names in JSON. `sharedFlags`: the global flags to include. */
export function listCommandParameters(
  command: AnyCommand,
  sharedFlags: readonly string[],
): Map<string, Parameter> {
  const globals = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap(({ options }) => Object.entries(options).filter(([name]) => sharedFlags.includes(name)));
  const flags = [...Object.entries(command.options ?? {}), ...globals].filter(
    ([, { completion, isForMany }]) => completion !== 'files' && completion !== 'folders' && !isForMany,
  );
  return new Map<string, Parameter>([
    ...Object.entries(command.args ?? {})
      .filter(([, { flag, completion }]) => !flag && completion !== 'files')
      .map(([name, argument]): [string, Parameter] => [
        toJsonName(name),
        {
          option: {
            ...argument,
            placeholder: name,
            isRequired: !argument.isKeyImplied && !argument.isOptional,
          },
        },
      ]),
    ...flags.map(([name, option]): [string, Parameter] => [
      toJsonName(name),
      { option, flag: toFlagName(name) },
    ]),
  ]);
}

/** `firstName` -> `first_name`, as the specification names its fields. */
const toJsonName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A command to call with values in JSON. */
interface Call {
  /** The name of the command in errors. */
  readonly name: string;
  /** The words of the command line: `contacts`, `find`. */
  readonly words: readonly string[];
  readonly command: AnyCommand;
}

interface CallRules {
  readonly parameters: ReadonlyMap<string, Parameter>;
  /** The callers, as the subject of errors: `MCP tools`. */
  readonly callers: string;
  /** Whether the command itself asks for confirmation. If omitted, the caller has asked. */
  readonly isUnconfirmed?: boolean;
}

/** Returns the command line for the values of a call. @throws {Failure} usage if a name or a type is wrong */
export function buildCallLine(
  { name: called, words, command }: Call,
  values: Readonly<Record<string, unknown>>,
  rules: CallRules,
): string[] {
  const { parameters } = rules;
  const unknownName = Object.keys(values).find((name) => !parameters.has(name));
  if (unknownName !== undefined) {
    const names = [...parameters.keys()].join(', ');
    throw new Failure('usage', `Unknown parameter "${unknownName}". ${called} accepts: ${names}.`);
  }
  const hasOnlyKeys = [values.id].flat().every((id) => typeof id === 'string' && isEntryKey(id));
  for (const [name, { isKeyImplied }] of Object.entries(command.args ?? {}))
    if (isKeyImplied && values[name] === undefined && !hasOnlyKeys)
      throw new Failure('usage', `${name} is required, unless id is the key of an entry, such as DEAL-1.`);
  const flags = isWrite(command) && !rules.isUnconfirmed ? ['--yes'] : [];
  const args: string[] = [];
  for (const [name, parameter] of parameters) {
    const list = parameter.flag === undefined ? args : flags;
    if (!parameter.isForCaller) list.push(...formatWords(name, parameter, values[name], rules));
  }
  return [...words, ...flags, '--', ...args];
}

function formatWords(
  name: string,
  { option, flag }: Parameter,
  value: unknown,
  { callers }: CallRules,
): string[] {
  if (value === undefined || value === null) return [];
  const values: readonly unknown[] = option.isRepeatable && Array.isArray(value) ? value : [value];
  return values.flatMap((item) => {
    if (flag !== undefined && option.placeholder === undefined) {
      if (typeof item !== 'boolean') throw new Failure('usage', `${name}: expected true or false.`);
      return item ? [flag] : [];
    }
    const text = formatValue(name, item);
    if (text === stdinWord && (option.takesMany || option.reference?.literal === stdinWord))
      throw new Failure('usage', `${name}: ${callers} cannot read stdin.`);
    if (option.valueSource === 'file' && /^(@|-$)/.test(text)) {
      throw new Failure('usage', `${name}: ${callers} cannot read local files.`, {
        hint: 'To send a text that begins with @, use the data parameter.',
      });
    }
    return flag === undefined ? text : `${flag}=${text}`;
  });
}

function formatValue(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (isObject(value)) return JSON.stringify(value);
  throw new Failure('usage', `${name}: unexpected value ${JSON.stringify(value)}.`);
}
