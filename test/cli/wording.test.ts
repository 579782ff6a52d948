import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environment } from '../../src/cli/environment.ts';
import { globalGroups } from '../../src/cli/flags/globals.ts';
import { commandTree } from '../../src/cli/tree.ts';
import { exitCodes } from '../../src/contract/errors.ts';

/** Wording that nobody writes in plain technical English, each with what to write instead. */
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
      const [found] = line.match(new RegExp(phrase, 'i')) ?? [];
      return found === undefined ? [] : [`"${found}" (write: ${instead}) in: ${line.trim()}`];
    }),
  );
}

/** Returns every string in a value, including those in arrays and objects. */
function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : [];
}

describe('the command tree', async () => {
  for (const { title, entries } of commandTree) {
    for (const entry of entries) {
      const commands = 'commands' in entry ? await entry.commands() : [await entry.command()];
      test(`${entry.name}: help is in plain English`, () => {
        const texts = listStrings([title, entry.name, entry.summary, commands]);
        expect(texts.length).toBeGreaterThan(3);
        expect(texts.flatMap(findRejected)).toEqual([]);
      });
    }
  }
});

// Enable it when the texts of src/cli/flags and src/cli/environment.ts are finished.
test.skip('environment variables and global flags are described in plain English', () => {
  expect(listStrings([environment, globalGroups]).flatMap(findRejected)).toEqual([]);
});

test('exit codes are described in plain English', () => {
  expect(listStrings(exitCodes).flatMap(findRejected)).toEqual([]);
});

/** Folders and files whose comments, names and strings are in plain English. */
const cleanPaths = [
  'src/build/man',
  'src/cli/commands',
  'src/cli/doctor',
  'src/cli/jobs',
  'src/cli/mcp',
  'src/search',
  'src/service/calendar',
  'src/service/demo',
  'src/service/http',
  'src/service/recordings',
  'src/service/records',
  'src/transcripts',
];

/** Returns a file, or the TypeScript and Markdown files of a folder. */
function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(ts|md)$/.test(name)).map((name) => join(path, name));
}

test.each(cleanPaths)('%s is written in plain English', (path) => {
  const strays = listFiles(path).flatMap((file) =>
    findRejected(readFileSync(file, 'utf8')).map((found) => `${file}: ${found}`),
  );
  expect(strays).toEqual([]);
});
