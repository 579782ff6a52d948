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

type UndoSession = Pick<Session, 'env' | 'settings'>;

/** Whether writes are recorded. @throws {Failure} usage */
export const isUndoOn = async (session: UndoSession) => (await readUndoSetting(session)) !== 'off';

/** Returns what the environment, else the settings say; undefined if they say nothing. @throws {Failure} usage */
export async function readUndoSetting({ env, settings }: UndoSession): Promise<'on' | 'off' | undefined> {
  const { [variable]: value } = env;
  if (value) {
    try {
      return toSwitch(undoSetting.parse(value));
    } catch (error) {
      throw prefixError(variable, error);
    }
  }
  const { path, read } = await openSettingsIfStored(env, settings);
  const stored = readStored(read);
  return stored === undefined ? undefined : toSwitch(parseStored('undo', undoSetting, stored, path));
}

const toSwitch = (value: unknown) => (value === 'on' ? 'on' : 'off');

function readStored(
  read: () => { readonly defaults?: Readonly<Record<string, string>> },
): string | undefined {
  try {
    return read().defaults?.undo;
  } catch {
    return undefined; // a command that needs the settings reports that they are damaged
  }
}
