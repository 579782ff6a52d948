import sql from 'sql-template-tag';
import { Failure } from '../../contract/errors.ts';
import { isRegion } from '../../values/phone.ts';
import { quoteShellWord } from '../../values/text.ts';
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
  if (region !== undefined) await db.run(sql`update workspace set region = ${region}, region_chosen = true`);
}

/**
 * Stores the region of a server, if it is set, unless another region was chosen, which other servers use.
 * `location`: of the workspace, without a password.
 * @throws {Failure} `usage` if another region was chosen
 */
export async function claimRegion(db: Database, region: string | undefined, location: string): Promise<void> {
  if (region === undefined) return;
  const claimed = await db.run(sql`update workspace set region = ${region}, region_chosen = true
    where region = ${region} or not region_chosen`);
  if (claimed > 0) return;
  const message = `The region of ${location} is ${await readRegion(db)}, not ${region}. All servers of a workspace use the same region.`;
  throw new Failure('usage', message, {
    hint: `Omit --region. To change the region: kith auth login --local --database ${quoteShellWord(location)} --region ${region}`,
  });
}

/** Reads the region in which phone numbers are read. */
export async function readRegion(db: Database): Promise<string> {
  return getOnly(await db.all<{ region: string }>(sql`select region from workspace`)).region;
}
