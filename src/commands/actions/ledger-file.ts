import { join } from 'node:path';
import { type ActionLedger, describeDamagedLines, readActionLedger } from '../../actions/ledger.ts';
import type { Session } from '../../cli/command/context.ts';
import { findConnection } from '../../cli/connect/connection.ts';
import { toWorkspaceName } from '../../files/workspace-identity.ts';
import { identifyConnection } from '../../settings/connection.ts';
import { resolveDataFolder } from '../../settings/paths.ts';

/**
 * Returns the path of the action ledger: from --ledger, from KITH_LEDGER, or for the workspace in use. The base URL, not
 * the key, identifies a hosted workspace, so that a new key does not lose the states.
 */
export async function resolveLedgerFile(session: Session, file: string | undefined): Promise<string> {
  const { env } = session.runtime;
  const shared = file ?? env.KITH_LEDGER;
  if (shared) return shared;
  const { place } = identifyConnection(await findConnection(session));
  const name = toWorkspaceName({ place, id: '' });
  return join(resolveDataFolder(env), 'actions', `${name}.jsonl`);
}

/** Reads the states of action items, and warns about damaged lines. */
export async function loadActionLedger(session: Session, path: string): Promise<ActionLedger> {
  const ledger = readActionLedger(path);
  const warning = describeDamagedLines(path, ledger);
  if (warning !== undefined) await session.messages.warn(warning);
  return ledger;
}
