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
  for (let round = 0; round < 300; round += 1) {
    await Promise.all(
      months.map(async (name, index) => {
        for (let turns = round % (index + 2); turns > 0; turns -= 1) await turn();
        const [from = '', to = ''] = [months[(index + round) % 3], months[(index + round + 1) % 3]];
        folder.move(join(from, name), join(to, name));
      }),
    );
  }
  expect(readdirSync(root).sort()).toEqual(months);
});
