import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import server from '../.ci/server.json';
import { allowScripts, mcpName, repository, scripts } from '../package.json';
import lock from '../package-lock.json';

/** The files that `npm pack` would put into the package. */
function packed(): { size: number; paths: string[] } {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ size, files }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }));
  return { size, paths: files.map(({ path }: { path: string }) => path) };
}

test('npm runs no install scripts: kith has none, and the checkout denies those of its dependencies', () => {
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|prepare/.test(name))).toEqual([]);
  const asking = Object.entries(lock.packages).filter(([, found]) => 'hasInstallScript' in found);
  const names = asking.map(([path]) => path.replace('node_modules/', '')).sort();
  expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
});

// 45% is jq, and 170 KB is the client for programs, which shares no file with the commands.
test('the package contains the files that its README shows, and is under 3 MB', () => {
  const { size, paths } = packed();
  const expected = readFileSync('README.md', 'utf8').matchAll(/(?:src|srcset)="([^":]+)"/g);
  const pictures = Array.from(expected, ([, path]) => path);
  expect(pictures).toHaveLength(2);
  expect(paths).toEqual(
    expect.arrayContaining([...pictures, 'README.md', 'CHANGELOG.md', 'THIRD_PARTY_LICENSES', 'bin/kith.js']),
  );
  expect(size).toBeLessThan(3e6);
});

test('the entry for the MCP registry belongs to the package', () => {
  expect([server.name, `git+${server.repository.url}.git`]).toEqual([mcpName, repository.url]);
  expect(server.description.length).toBeLessThanOrEqual(100); // the limit of the registry
});

test('THIRD_PARTY_LICENSES has the licenses of the code in the bundle', () => {
  const text = readFileSync('THIRD_PARTY_LICENSES', 'utf8');
  const licenses = Object.fromEntries(
    Array.from(text.matchAll(/^-{80}\n(\S+)(?: \d\S*| \(in .*\))\nLicense: (.*)$/gm), ([, name, license]) => [
      name,
      license,
    ]),
  );
  expect(licenses).toMatchObject({
    commander: 'MIT',
    undici: 'MIT',
    llhttp: 'MIT',
    'fast-uri': 'BSD-3-Clause',
    'ical.js': 'MPL-2.0',
    'jq-web': 'ISC',
    jq: 'MIT AND ICU AND BSD-2-Clause AND dtoa',
    oniguruma: 'BSD-2-Clause',
  });
  for (const name of ['commander', 'ical.js', 'libphonenumber-js', 'yaml']) {
    expect(text).toContain(readFileSync(join('node_modules', name, 'LICENSE'), 'utf8').trim());
  }
  expect(text).toContain('jq is copyright (C) 2012 Stephen Dolan');
  expect(text).toContain('K.Kosako');
});
