import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReport } from '../commands/import/import-machine.ts';
import { serveLocation } from '../service/serve.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createKey } from '../support/binary.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { createPeopleFile } from './people.ts';
import { readState } from './state.ts';

test('an import through kith serve has the same results with concurrency 1 and 16', async () => {
  const { text, counts } = createPeopleFile(130, 5);
  const results = await Promise.all(
    ['1', '16'].map(async (concurrency) => {
      const folder = createTemporaryFolder();
      const database = join(folder, 'work.sqlite');
      const { sendOk } = await openTestWorkspace(database);
      const KITH_API_KEY = await createKey(database);
      await sendOk('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
      const { url } = await serveLocation(database, KITH_API_KEY);
      const csv = join(folder, 'people.csv');
      writeFileSync(csv, text);
      const { code, out, err } = await createMachine(folder)(
        ['contacts', 'import', csv, '--json', '--concurrency', concurrency],
        { env: { KITH_BASE_URL: url, KITH_API_KEY } },
      );
      const report = join(folder, 'people.report.csv');
      expect(JSON.parse(err)).toMatchObject({ error: { code: 'partial' } });
      expect([code, JSON.parse(out)]).toEqual([6, { ...counts, report }]);
      return {
        state: await readState(sendOk),
        rows: readReport(report).map(({ row, action, error }) => [row, action, error]),
      };
    }),
  );
  expect(results[1]?.state).toEqual(results[0]?.state);
  expect(results[1]?.rows.map(([row, action]) => [row, action])).toEqual(
    results[0]?.rows.map(([row, action]) => [row, action]),
  );
});
