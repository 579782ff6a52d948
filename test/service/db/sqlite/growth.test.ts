import { expect, onTestFinished, test, vi } from 'vitest';
import { loadSqlite } from '../../../../src/sqlite/engine.ts';
import { fillWorkspace, listReads } from '../filled-workspace.ts';

/** Records the statements that are prepared until the test ends. */
function recordPreparedStatements(): Set<string> {
  const preparedSql = new Set<string>();
  // Other tests may have loaded the service: it is loaded again, with the real engine.
  vi.resetModules();
  vi.doMock('../../../../src/sqlite/engine.ts', () => ({
    loadSqlite: () =>
      class extends loadSqlite() {
        override prepare(sql: string) {
          preparedSql.add(sql);
          return super.prepare(sql);
        }
      },
  }));
  onTestFinished(() => {
    vi.doUnmock('../../../../src/sqlite/engine.ts');
    vi.resetModules();
  });
  return preparedSql;
}

/** Matches a full table scan or a sort. Custom fields are few; recordings, `events` and `attended` are limited to a page. */
const growthPattern =
  /^SCAN (?!CONSTANT|json_each|page\b|part\b|items\b|field\b|events\b|attended\b|\(subquery|workspace|sqlite_schema)|^USE TEMP B-TREE.* from "?(contact|organization|note|entry|calendar_event)\b/;

test('no read scans a whole table, or sorts records without an index', async () => {
  const preparedSql = recordPreparedStatements();
  const { openTestWorkspace } = await import('../../service.ts');
  const { location, ...workspace } = await openTestWorkspace();
  const lines = listReads(await fillWorkspace(workspace));
  for (const line of lines) await workspace.sendOk(`GET /v1${line}`);
  const queries = [...preparedSql].filter((text) => /^\s*(select|with) /.test(text));
  expect(queries.length).toBeGreaterThan(20);
  const database = new (loadSqlite())(location);
  const plans = queries.flatMap((query) =>
    database
      .prepare(`explain query plan ${query}`)
      .all()
      .map((step) => `${(step as { detail: string }).detail}: ${query}`),
  );
  database.close();
  expect(plans.length).toBeGreaterThan(queries.length);
  expect(plans.filter((plan) => growthPattern.test(plan))).toEqual([]);
});
