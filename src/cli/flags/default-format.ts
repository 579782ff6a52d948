import { prefixError } from '../../contract/errors.ts';
import type { ParsedCommand } from '../command.ts';
import { type Configuration, openEffectiveSettings } from '../connect/connection.ts';
import { type Format, type Globals, printsRecords, recordFormats } from './globals.ts';
import { choice } from './options.ts';
import { parseStored } from './preferences.ts';

/** The default of --format for commands that print records. */
export const defaultFormat = choice('Output format of records:', recordFormats, 'FORMAT');

/** The variable that overrides the stored default. */
const variable = 'KITH_FORMAT';

/**
 * Returns the flags of a command with the default format, if they set none. Texts keep their format: a shell reads
 * `kith completion bash`. @throws {Failure} usage if the variable is invalid, failed if the stored default is invalid
 */
export async function applyDefaultFormat(
  { command, globals }: Pick<ParsedCommand, 'command' | 'globals'>,
  source: Configuration,
): Promise<Globals> {
  if (globals.json || globals.format !== undefined || !printsRecords(command)) return globals;
  const format = readVariable(source) ?? (await readStoredFormat(source));
  // --jq prints JSON.
  const isOverridden = globals.jq !== undefined && format !== 'ndjson';
  return format === undefined || isOverridden ? globals : { ...globals, format };
}

function readVariable({ env }: Configuration): Format | undefined {
  const { [variable]: value } = env;
  if (!value) return undefined;
  try {
    return defaultFormat.parse(value) as Format; // it is one of the choices
  } catch (error) {
    throw prefixError(variable, error);
  }
}

async function readStoredFormat(source: Configuration): Promise<Format | undefined> {
  const { path, read } = await openEffectiveSettings(source);
  let stored: string | undefined;
  try {
    stored = read().defaults?.format;
  } catch {
    return undefined; // a command that needs the settings reports that they are damaged
  }
  if (stored === undefined) return undefined;
  return parseStored('format', defaultFormat, stored, path) as Format; // it is one of the choices
}
