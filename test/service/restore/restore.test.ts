import { expect } from 'vitest';
import { createEngineSample, test } from '../engines.ts';
import { createTarget } from './locations.ts';
import { createSource, readTexts, restore, workspaces } from './records.ts';

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
