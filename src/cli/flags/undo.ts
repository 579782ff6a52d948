import { openSettingsIfStored } from '../../settings/connection.ts';
import type { Session } from '../context.ts';
import { choice, type Option } from './options.ts';
import { readSetting } from './preferences.ts';

/** Whether writes are recorded for `kith undo`. */
export const undoSetting: Option<'on' | 'off' | undefined> = {
  ...choice('Record changes for kith undo:', ['on', 'off'], 'on|off'),
  defaultValue: 'on',
};

type UndoSession = Pick<Session, 'env' | 'settings'>;

/** Whether writes are recorded. @throws {Failure} usage */
export const isUndoOn = async (session: UndoSession) => (await readUndoSetting(session)) !== 'off';

/** Returns what the environment, else the settings say; undefined if they say nothing. @throws {Failure} usage */
export const readUndoSetting = ({ env, settings }: UndoSession) =>
  readSetting('undo', undoSetting, env, () => openSettingsIfStored(env, settings));
