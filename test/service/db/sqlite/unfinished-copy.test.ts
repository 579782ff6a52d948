import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createUnfinishedCopy } from '../../../../src/service/db/sqlite/unfinished-copy.ts';
import { createTemporaryFolder } from '../../../support/kith.ts';

test('keeps the copy of a running process at any age, and a copy without a lock for an hour', () => {
  const folder = createTemporaryFolder();
  for (const [name, minutes] of Object.entries({ '.kith-copy-old': 61, '.kith-copy-new': 1 })) {
    mkdirSync(join(folder, name));
    const copy = join(folder, name, 'copy.sqlite');
    writeFileSync(copy, 'half');
    const time = Date.now() / 1000 - minutes * 60;
    utimesSync(copy, time, time);
  }
  const [first, second] = ['first', 'second'].map((name) => {
    const copy = createUnfinishedCopy(join(folder, name));
    writeFileSync(copy.file, 'half');
    utimesSync(copy.file, 0, 0);
    return copy;
  });
  expect(readdirSync(folder)).toHaveLength(3);
  for (const copy of [second, first]) {
    copy?.finish();
    copy?.remove();
  }
  expect(readdirSync(folder).sort()).toEqual(['.kith-copy-new', 'first', 'second']);
});
