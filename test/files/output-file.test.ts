import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openOutputFile } from '../../src/files/output-file.ts';
import { createTemporaryFolder } from '../support/kith.ts';

test('never writes through a link with the name of its temporary file', () => {
  const folder = createTemporaryFolder();
  const [path, mine] = [join(folder, 'report.csv'), join(folder, 'mine.txt')];
  writeFileSync(mine, 'precious');
  symlinkSync(mine, join(folder, '.report.csv.4242.kith-tmp'));
  const { write, commit } = openOutputFile(path, 4242);
  write('id,name\n');
  commit();
  expect(readFileSync(mine, 'utf8')).toBe('precious');
  expect(readFileSync(path, 'utf8')).toBe('id,name\n');
  expect(existsSync(join(folder, '.report.csv.4242.kith-tmp'))).toBe(false);
});
