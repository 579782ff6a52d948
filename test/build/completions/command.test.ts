import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shells } from '../../../src/commands/completion.ts';
import { createEnv, runKith } from '../../support/binary.ts';
import { createTemporaryFolder } from '../../support/kith.ts';

test.each(Object.entries(shells))('completion %s prints %s, without a profile', async (shell, file) => {
  const out = readFileSync(`completions/${file}`, 'utf8');
  const env = createEnv(createTemporaryFolder());
  expect(await runKith(['completion', shell], { env })).toEqual({ code: 0, out, err: '' });
});
