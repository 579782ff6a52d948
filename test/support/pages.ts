import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The pages of the documentation. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

export const readPage = (page: string) => readFileSync(page, 'utf8');

/** The shell blocks of all pages. */
export const blocks = pages.flatMap((page) =>
  Array.from(readPage(page).matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => ({ page, block })),
);

/** Returns the commands of a block, without their comments. */
export const listCommands = (block: string) => block.split('\n').map((line) => line.replace(/ +#.*/, ''));

/** Lines that need programs that may be missing on a test machine, with the test that runs them. */
export const linesTestedElsewhere: Readonly<Record<string, string>> = {
  '--keychain': 'test/reliability/keychain.test.ts',
  'kith completion powershell': 'test/build/completions/command.test.ts',
};
