import { readFileSync, writeFileSync } from 'node:fs';
import { readmeRegions, withRegions } from './readme.ts';

// npm run generate writes what is made from the command tree and the contract; --check only compares.
const before = readFileSync('README.md', 'utf8');
const after = withRegions(before, await readmeRegions());
if (before === after) process.stdout.write('README.md is fresh.\n');
else if (process.argv.includes('--check')) {
  process.stderr.write('README.md is stale: npm run generate\n');
  process.exitCode = 1;
} else {
  writeFileSync('README.md', after);
  process.stdout.write('README.md is written.\n');
}
