import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ExportFolder } from '../../src/export/folder.ts';
import { writeFileAtomically } from '../../src/files/atomic-write.ts';
import { createTemporaryFolder } from '../support/kith.ts';

test('moves files between folders at the same time, even if each leaves its folder empty', async () => {
  const root = createTemporaryFolder();
  const folder = new ExportFolder(root);
  const months = ['05', '06', '07'];
  for (const month of months) await writeFileAtomically(join(root, month, month), ['text']);
  for (let repetition = 0; repetition < 300; repetition += 1) {
    await Promise.all(
      months.map(async (name, index) => {
        for (let turns = repetition % (index + 2); turns > 0; turns -= 1) await turn();
        const [from = '', to = ''] = [months[(index + repetition) % 3], months[(index + repetition + 1) % 3]];
        folder.move(join(from, name), join(to, name));
      }),
    );
  }
  expect(readdirSync(root).sort()).toEqual(months);
});
