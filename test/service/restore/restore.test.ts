import { join } from 'node:path';
import { expect } from 'vitest';
import { createTemporaryFolder } from '../../support/kith.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { createEngineSample, isOnPostgres, test } from '../engines.ts';
import { createSource, readTexts, restore, workspaces } from './records.ts';

/** Returns the location of a workspace of the engine that does not exist, or has no tables. */
const createTarget = async () =>
  isOnPostgres() ? createTestDatabase() : join(createTemporaryFolder(), 'restored.sqlite');

test('restores the records of the sample byte for byte, with the identity of its workspace', async () => {
  const sample = await createEngineSample();
  const identity = await workspaces.identity(sample);
  const texts = await readTexts(sample);
  const target = await createTarget();
  const { rows, dropped } = await restore(target, createSource(texts, identity));
  expect(dropped).toEqual([]);
  expect(rows).toContainEqual({ noun: 'contacts', rows: 150 });
  expect(await readTexts(target)).toEqual(texts);
  expect(await workspaces.identity(target)).toBe(identity);
});
