import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { isRegion } from '../../values/phone.ts';
import type { Database } from '../db/database.ts';
import { getOnly } from '../db/statements.ts';

/** Checks that phone numbers can be read in a region. @throws {Failure} `usage` if they cannot */
export async function checkRegion(region: string | undefined): Promise<void> {
  if (region === undefined || (await isRegion(region))) return;
  throw new Failure('usage', `"${region}" is not a country code.`, {
    hint: 'Use two letters, such as US, KR or DE.',
  });
}

/** Stores the region in which phone numbers are read, if one is named. */
export async function storeRegion(db: Database, region: string | undefined): Promise<void> {
  if (region !== undefined) await db.run(sql`update workspace set region = ${region}`);
}

/** Reads the region in which phone numbers are read. */
export async function readRegion(db: Database): Promise<string> {
  return getOnly(await db.all<{ region: string }>(sql`select region from workspace`)).region;
}
