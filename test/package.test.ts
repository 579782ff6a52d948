import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { allowScripts, scripts } from '../package.json';
import lock from '../package-lock.json';

/** What `npm pack` would put into the package. */
function packed(): { size: number; paths: string[] } {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [{ size, files }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }));
  return { size, paths: files.map(({ path }: { path: string }) => path) };
}

test('npm asks nobody about install scripts: kith has none, and the checkout denies those of others', () => {
  expect(Object.keys(scripts).filter((name) => /^(pre|post)?install$|prepare/.test(name))).toEqual([]);
  const asking = Object.entries(lock.packages).filter(([, found]) => 'hasInstallScript' in found);
  const names = asking.map(([path]) => path.replace('node_modules/', '')).sort();
  expect(allowScripts).toEqual(Object.fromEntries(names.map((name) => [name, false])));
});

test('what the page of the package shows is in the package, which is under 2 MB', () => {
  const { size, paths } = packed();
  const shown = readFileSync('README.md', 'utf8').matchAll(/(?:src|srcset)="([^":]+)"/g);
  const pictures = Array.from(shown, ([, path]) => path);
  expect(pictures).toHaveLength(2);
  expect(paths).toEqual(expect.arrayContaining([...pictures, 'README.md', 'CHANGELOG.md', 'bin/kith.js']));
  expect(size).toBeLessThan(2e6);
});
