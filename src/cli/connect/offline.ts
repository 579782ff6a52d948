import { addErrorPrefix, Failure } from '../../contract/errors.ts';
import type { Environment } from '../../settings/paths.ts';
import type { Globals } from '../command/globals.ts';
import { parseSwitch } from '../command/guards.ts';

const offlineVariable = 'KITH_OFFLINE';

/** Whether no request may leave this machine. @throws {Failure} usage if the variable is invalid */
export function isOffline({ offline }: Pick<Globals, 'offline'>, env: Environment): boolean {
  const text = env[offlineVariable];
  if (offline || !text) return offline;
  try {
    return parseSwitch(text);
  } catch (error) {
    throw addErrorPrefix(offlineVariable, error);
  }
}

/** Creates the failure of work that needs the service. */
export const createOfflineFailure = (reason: string, { offline }: Pick<Globals, 'offline'>): Failure =>
  new Failure('offline', reason, {
    hint: offline ? 'Run the command again without --offline.' : `Unset ${offlineVariable}, or set it to 0.`,
  });
