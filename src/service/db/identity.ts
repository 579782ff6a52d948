import type { Database } from './database.ts';
import { reading } from './reading.ts';
import { only } from './rows.ts';

const workspaceRows = reading('workspace', ['identity'], '', () => []);

/** Returns the id of the workspace: random, and as old as its file. */
export async function readIdentity(db: Database): Promise<string> {
  return only(await workspaceRows(db)).identity;
}
