import { expect, test } from 'vitest';
import { createMachine } from '../support/kith.ts';

test('version prints the version, Node.js and the platform, without a commit if run from source', async () => {
  expect(await createMachine()('version')).toEqual({
    code: 0,
    out: `kith 0.0.0\nNode.js ${process.versions.node} on ${process.platform} ${process.arch}\n`,
    err: '',
  });
});

test('version --json prints each value, and null for an unknown commit', async () => {
  const { code, out } = await createMachine()('version --json');
  expect({ code, ...JSON.parse(out) }).toEqual({
    code: 0,
    version: '0.0.0',
    commit: null,
    node: process.versions.node,
    platform: process.platform,
    architecture: process.arch,
  });
});
