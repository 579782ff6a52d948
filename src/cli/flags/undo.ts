import { prefixError } from '../../contract/errors.ts';
import { openSettingsIfStored } from '../../settings/connection.ts';
import type { Session } from '../context.ts';
import { choice } from './options.ts';
import { parseStored } from './preferences.ts';

/** Whether writes are recorded for `kith undo`. */
export const undoSetting = {
  ...choice('Record changes for kith undo:', ['on', 'off'], 'on|off'),
  defaultValue: 'on' as const,
};

const variable = 'KITH_UNDO';

/** Whether writes are recorded, by the environment, the settings, or the default. @throws {Failure} usage */
export async function isUndoOn({ env, settings }: Pick<Session, 'env' | 'settings'>): Promise<boolean> {
  const { [variable]: value } = env;
  if (value) {
    try {
      return undoSetting.parse(value) === 'on';
    } catch (error) {
      throw prefixError(variable, error);
    }
  }
  const { path, read } = await openSettingsIfStored(env, settings);
  const stored = readStored(read);
  return stored === undefined || parseStored('undo', undoSetting, stored, path) === 'on';
}

function readStored(
  read: () => { readonly defaults?: Readonly<Record<string, string>> },
): string | undefined {
  try {
    return read().defaults?.undo;
  } catch {
    return undefined; // a command that needs the settings reports that they are damaged
  }
}
