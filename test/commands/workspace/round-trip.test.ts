import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { toRecordFile } from '../../../src/archive/archive-nouns.ts';
import { orderedNouns } from '../../../src/contract/singular-nouns.ts';
import { fillWorkspace } from '../../support/full-workspace.ts';
import { createLocalMachine, createTemporaryFolder } from '../../support/kith.ts';
import { createTestDatabase, requirePostgres } from '../../support/test-database.ts';

beforeEach(requirePostgres);

test('keeps every byte from a profile to an archive, a file, PostgreSQL and an archive', async () => {
  const folder = createTemporaryFolder();
  const kith = createLocalMachine(folder, 'source.sqlite');
  await fillWorkspace(kith, folder);
  const [first, file, last] = ['first', 'restored.sqlite', 'last'].map((name) => join(folder, name));
  const database = await createTestDatabase();
  const run = async (...words: (string | undefined)[]) => {
    const result = await kith(['workspace', ...words.map(String)]);
    expect.soft(result).toMatchObject({ code: 0 });
    return result;
  };
  await run('backup', first);
  await run('copy', first, file);
  await run('copy', file, database);
  const env = { KITH_DATABASE_URL: database };
  expect.soft(await kith(['workspace', 'backup', String(last)], { env })).toMatchObject({ code: 0 });
  for (const archive of [first, last]) await run('verify', archive);
  expect((await run('diff', first, last)).err).toBe('kith: No differences.\n');
  for (const noun of orderedNouns) {
    const [before, after] = [first, last].map((name) =>
      readFileSync(join(String(name), toRecordFile(noun)), 'utf8'),
    );
    expect.soft(after).toBe(before);
    expect.soft(before).not.toBe('');
  }
});
