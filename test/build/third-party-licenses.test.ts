import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { expect, test } from 'vitest';
import { createLicensePlugin } from '../../src/build/third-party-licenses.ts';
import { createTemporaryFolder } from '../support/kith.ts';

interface Package {
  readonly license?: unknown;
  readonly text?: string;
  readonly readme?: string;
}

/** Bundles a program with one used and one unused package. Returns the licenses. */
async function collectLicenses({ license, text = 'Do as you like.', readme = '' }: Package): Promise<string> {
  const folder = createTemporaryFolder();
  const add = (name: string, manifest: object, code: string) => {
    const packageFolder = join(folder, 'node_modules', name);
    mkdirSync(packageFolder, { recursive: true });
    writeFileSync(
      join(packageFolder, 'package.json'),
      JSON.stringify({ name, version: '1.2.3', ...manifest }),
    );
    writeFileSync(join(packageFolder, 'index.js'), code);
    return packageFolder;
  };
  const used = add('@scope/used', { license, type: 'module' }, 'export const used = Math.random();');
  if (text !== '') writeFileSync(join(used, 'LICENCE.md'), text);
  writeFileSync(join(used, 'README.md'), readme);
  add('unused', { license: 'GPL-3.0', type: 'module', sideEffects: false }, 'export const unused = 1;');
  const input = join(folder, 'main.js');
  writeFileSync(
    input,
    "import { used } from '@scope/used'; import { unused } from 'unused'; console.log(used);",
  );
  const file = join(folder, 'LICENSES');
  await build({
    input,
    logLevel: 'silent',
    plugins: [createLicensePlugin(file)],
    output: { dir: join(folder, 'dist') },
  });
  return readFileSync(file, 'utf8');
}

test('has the license of each package in the bundle and of no other', async () => {
  const text = await collectLicenses({ license: 'MIT' });
  expect(text).toContain('@scope/used 1.2.3\nLicense: MIT\n');
  expect(text).toContain('Source: https://www.npmjs.com/package/@scope/used/v/1.2.3\n\nDo as you like.\n');
  expect(text).not.toContain('unused');
});

test('takes the license from the README of a package without a file for it', async () => {
  const section = 'Copyright (c) 2014 Ada\n\nPermission is hereby granted.';
  const readme = `# used\n\n## License\n\n${section}\n\n## Links\n`;
  const text = await collectLicenses({ license: 'MIT', text: '', readme });
  expect(text).toContain(`/v/1.2.3\n\n${section}\n`);
  expect(text).not.toContain('Links');
});

test.each(['ISC', '(MIT OR GPL-3.0)', 'MIT AND BSD-3-Clause'])(
  'a package under %s may be bundled',
  async (license) => {
    expect(await collectLicenses({ license })).toContain(`License: ${license}\n`);
  },
);

test.each<[string, Package, string]>([
  ['a license that is not allowed', { license: 'GPL-3.0' }, 'the license "GPL-3.0" is not allowed'],
  ['one of two that is not', { license: 'MIT AND GPL-3.0' }, 'the license "MIT AND GPL-3.0" is not allowed'],
  [
    'a choice together with a license that is not allowed',
    { license: '(GPL-3.0 OR MIT OR ISC) AND GPL-2.0' },
    'the license "(GPL-3.0 OR MIT OR ISC) AND GPL-2.0" is not allowed',
  ],
  ['no license', {}, 'the license "none" is not allowed'],
  ['no license text', { license: 'MIT', text: '' }, 'the package has no license text'],
  [
    'only the name of its license in its README',
    { license: 'MIT', text: '', readme: '## License\n\nMIT, see LICENSE.\n' },
    'the package has no license text',
  ],
])('the build fails for a package with %s', async (_, manifest, message) => {
  await expect(collectLicenses(manifest)).rejects.toThrow(`@scope/used 1.2.3: ${message}`);
});
