import { Failure } from '../../contract/errors.ts';
import { isRegion } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { reading } from '../db/reading.ts';
import { only } from '../db/rows.ts';

/** Throws `usage` for a region that phone numbers cannot be read in; undefined stands for the one that is stored. */
export async function checkRegion(region: string | undefined): Promise<void> {
  if (region === undefined || (await isRegion(region))) return;
  throw new Failure('usage', `"${region}" is not a country.`, { hint: 'Two letters, such as US, KR or DE.' });
}

/** Stores the region in which phone numbers are read; undefined leaves it as it is. */
export async function storeRegion(db: Database, region: string | undefined): Promise<void> {
  if (region !== undefined) await db.updateTable('workspace').set({ region }).execute();
}

const workspaceRows = reading('workspace', ['region'], '', () => []);

/** The region that is stored. */
export async function storedRegion(db: Database): Promise<string> {
  return only(await workspaceRows(db)).region;
}
