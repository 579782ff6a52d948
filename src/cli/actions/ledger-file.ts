import { join } from 'node:path';
import { type ActionLedger, describeDamagedLines, readActionLedger } from '../../actions/ledger.ts';
import { toWorkspaceName } from '../../files/workspace-identity.ts';
import { identifyConnection } from '../../settings/connection.ts';
import { resolveDataFolder } from '../../settings/paths.ts';
import type { Session } from '../command/context.ts';
import { findConnection } from '../connect/connection.ts';

/**
 * Returns the file with the states of action items: that of the flag, of the environment, or of the workspace in use. The
 * states of a hosted workspace must survive a new key, so its base URL identifies it.
 */
export async function resolveLedgerFile(session: Session, file: string | undefined): Promise<string> {
  const { env, globals } = session;
  const shared = file ?? env.KITH_LEDGER;
  if (shared) return shared;
  const { place } = identifyConnection(await findConnection(session, globals));
  const name = toWorkspaceName({ place, id: '' });
  return join(resolveDataFolder(env), 'actions', `${name}.jsonl`);
}

/** Reads the states of action items, and warns about damaged lines. */
export async function loadActionLedger(session: Session, path: string): Promise<ActionLedger> {
  const ledger = readActionLedger(path);
  const warning = describeDamagedLines(path, ledger);
  if (warning !== undefined) await session.warn(warning);
  return ledger;
}
