import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { globalGroups } from '../../src/cli/command/globals.ts';
import { environment } from '../../src/cli/help/help.ts';
import { commandTree } from '../../src/commands/tree.ts';
import { exitCodes } from '../../src/contract/errors.ts';

/** Phrases that are not plain technical English, with their replacements. */
const rejected: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bparted by\b/, 'separated by'],
  [/\bstands? between\b/, 'separates, delimiter'],
  [/\bha(?:s|ve) no meaning\b/, 'is not supported'],
  [/\bat the most\b/, 'at most'],
  [/\bwithout doubles\b|\bmade twice\b/, 'duplicate'],
  [/\bagain and again\b/, 'repeatedly'],
  [/\bleft alone\b|\b(?:set|put|puts|leaves?) aside\b/, 'skipped'],
  [/\btak(?:es?|en|ing) (?:it |them |this )?back\b/, 'undo, revert'],
  [/\bmend(?:s|ed|ing)?\b/, 'fix'],
  [/\bwhose it is\b/, 'assignee, owner'],
  [/\bwhere (?:there (?:is|are)|nobody|none (?:is|has)|nothing (?:is|has)|it is not)\b/, 'if'],
  [/\bfrom now on\b/, 'name the new state'],
  [/\b(?:is|are|was|were|be) told\b/, 'reported'],
  [/\bwhat became of\b/, 'result'],
  [/\bwhat (?:was|were) (?:said|written|done|sent|made)\b|\bwhoever\b/, 'name the thing or the person'],
  [/\bfor ever\b/, 'forever'],
  [/\bfor itself\b|\bfor themselves\b/, 'independently'],
  [/\bbring(?:s|ing)? in\b|\bbrought in\b/, 'import'],
  [/\brehears\w*/, 'preview, dry run'],
  [/\bwish(?:es)?\b/, 'row plan'],
  [/\bshel(?:f|ves|ved)\b/, 'store'],
  [/\bunfit\b|\bunmet\b/, 'invalid'],
  [/\bso many\b/, 'N'],
  [/\bat set times\b/, 'on a schedule'],
  [/\bthat which\b/, 'name the thing'],
  [/\b(?:is|are|was|were) not there\b/, 'does not exist'],
  [/\bturnstile\b/, 'semaphore'],
  [/\bpatience\b/, 'timeout, retry policy'],
  [/\bheld back\b/, 'buffered'],
  [/\bstands? in\b/, 'is in'],
  [/\blies? (?:in|on|beside)\b/, 'is in'],

  [
    /colour|licence|organis(?!m)|behaviour|honour|neighbour|\bcentre\b|recognis|normalis|serialis|optimis|\bgrey\b/,
    'American spelling',
  ],
];

/** Returns the rejected phrases in a text, each with its line and the replacement. */
function findRejected(text: string): string[] {
  return text.split('\n').flatMap((line) =>
    rejected.flatMap(([phrase, instead]) => {
      const [match] = line.match(new RegExp(phrase, 'i')) ?? [];
      return match === undefined ? [] : [`"${match}" (write: ${instead}) in: ${line.trim()}`];
    }),
  );
}

/** Returns every string in a value, including those in arrays and objects. */
function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : [];
}

describe('the command tree', async () => {
  for (const { title, name, summary, commands } of commandTree) {
    const loaded = await commands();
    test(`${name}: help is in plain English`, () => {
      const texts = listStrings([title, name, summary, loaded]);
      expect(texts.length).toBeGreaterThan(3);
      expect(texts.flatMap(findRejected)).toEqual([]);
    });
  }
});

test('environment variables and global flags are described in plain English', () => {
  expect(listStrings([environment, globalGroups]).flatMap(findRejected)).toEqual([]);
});

test('exit codes are described in plain English', () => {
  expect(listStrings(exitCodes).flatMap(findRejected)).toEqual([]);
});

const sources = readdirSync('src', { recursive: true, withFileTypes: true });
const folders = [...new Set(sources.filter((entry) => entry.isFile()).map(({ parentPath }) => parentPath))];
const documents = ['docs', 'docs/decisions'].flatMap((folder) => listFiles(folder, /\.md$/));
const texts = [...folders, ...documents, 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'];

/** Returns a file, or the files of a folder whose names match. */
function listFiles(path: string, name: RegExp): string[] {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((file) => name.test(file))
    .map((file) => join(path, file));
}

test.each(texts)('%s is written in plain English', (path) => {
  const strays = listFiles(path, /\.(ts|md)$/).flatMap((file) =>
    findRejected(readFileSync(file, 'utf8')).map((problem) => `${file}: ${problem}`),
  );
  expect(strays).toEqual([]);
});
