import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { binary, freshEnv, keyFor, serving } from '../binary.ts';
import { reportAt } from '../cli/importing.ts';
import { temporaryFolder } from '../kith.ts';
import { workspace } from '../service/service.ts';
import { people } from '../sync/people.ts';
import { stateOf } from '../sync/state.ts';

test('against kith serve the same comes of it by 1 and by 16, and nothing else is said', async () => {
  const { text, counts } = people(130, 5);
  const ends = await Promise.all(
    ['1', '16'].map(async (concurrency) => {
      const folder = temporaryFolder();
      const database = join(folder, 'work.sqlite');
      const { give } = workspace(database);
      const KITH_API_KEY = await keyFor(database);
      await give('POST /v1/custom_fields', { model: 'contact', name: 'Rooms', data_type: 'number' });
      const { url } = await serving(database, freshEnv(folder));
      const sheet = join(folder, 'people.csv');
      writeFileSync(sheet, text);
      const { code, out, err } = await binary(
        ['contacts', 'import', sheet, '--json', '--concurrency', concurrency],
        {
          env: freshEnv(folder, { KITH_BASE_URL: url, KITH_API_KEY }),
        },
      );
      const report = join(folder, 'people.report.csv');
      expect(JSON.parse(err)).toMatchObject({ error: { code: 'partial' } });
      expect([code, JSON.parse(out)]).toEqual([6, { ...counts, report }]);
      return {
        state: await stateOf(give),
        rows: reportAt(report).map(({ row, action, error }) => [row, action, error]),
      };
    }),
  );
  expect(ends[1]?.state).toEqual(ends[0]?.state);
  expect(ends[1]?.rows.map(([row, action]) => [row, action])).toEqual(
    ends[0]?.rows.map(([row, action]) => [row, action]),
  );
});
