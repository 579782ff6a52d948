import { join } from 'node:path';
import { createTemporaryFolder } from '../../support/kith.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { isOnPostgres } from '../engines.ts';

/** Returns the location of a workspace of the test's engine that does not exist, or has no tables. */
export const createTarget = async (): Promise<string> =>
  isOnPostgres() ? createTestDatabase() : join(createTemporaryFolder(), 'restored.sqlite');
