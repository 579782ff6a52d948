import type { ParsedCommand } from '../command.ts';
import { type Configuration, openEffectiveSettings } from '../connect/connection.ts';
import { type Globals, printsRecords, recordFormats } from './globals.ts';
import { choice } from './options.ts';
import { readSetting } from './preferences.ts';

/** The default of --format for commands that print records. */
export const defaultFormat = choice('Output format of records:', recordFormats, 'FORMAT');

/**
 * Returns the flags of a command with the default format, if they set none. Texts keep their format: a shell reads
 * `kith completion bash`. @throws {Failure} usage if the variable is invalid, failed if the stored default is invalid
 */
export async function applyDefaultFormat(
  { command, globals }: Pick<ParsedCommand, 'command' | 'globals'>,
  configuration: Configuration,
): Promise<Globals> {
  if (globals.json || globals.format !== undefined || !printsRecords(command)) return globals;
  const format = await readSetting('format', defaultFormat, configuration.env, () =>
    openEffectiveSettings(configuration),
  );
  // --jq prints JSON.
  const isOverridden = globals.jq !== undefined && format !== 'ndjson';
  return format === undefined || isOverridden ? globals : { ...globals, format };
}
