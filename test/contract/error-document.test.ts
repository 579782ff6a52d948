import { expect, test } from 'vitest';
import { toErrorDocument } from '../../src/contract/documents/error.ts';
import { Failure, type FailureCode, failures } from '../../src/contract/errors.ts';

const now = new Date('2026-11-23T09:30:00Z');

const readCommand = (hint: string) => toErrorDocument(new Failure('failed', 'No.', { hint }), now).command;

test('always has the code, the message, the details, the exit code and whether to retry', () => {
  expect(toErrorDocument(new Failure('usage', 'No.'), now)).toEqual({
    code: 'usage',
    message: 'No.',
    details: [],
    exit_code: 2,
    retryable: false,
  });
});

test('is retryable only if the exit code is 75', () => {
  const codes = (Object.keys(failures) as FailureCode[]).filter(
    (code) => toErrorDocument(new Failure(code, ''), now).retryable,
  );
  expect(codes).toEqual(['rate_limited', 'unavailable', 'network', 'busy', 'offline']);
});

test.each([
  ['seconds', { 'retry-after': '90' }, 90],
  [
    'a date and the clock of the service',
    { 'retry-after': 'Mon, 23 Nov 2026 10:00:00 GMT', date: 'Mon, 23 Nov 2026 09:59:00 GMT' },
    60,
  ],
  ['a date without a clock', { 'retry-after': 'Mon, 23 Nov 2026 09:30:10 GMT' }, 10],
  ['an invalid text', { 'retry-after': 'soon' }, undefined],
])('reads retry_after from %s', (_, headers, seconds) => {
  expect(toErrorDocument(new Failure('rate_limited', 'Slow.', { headers }), now).retry_after).toBe(seconds);
});

test.each([
  ['kith events list', 'kith events list'],
  ['Check the base URL: kith auth status', 'kith auth status'],
  ['See `kith contacts --help`.', 'kith contacts --help'],
  ['Did you mean `kith notes list` or `kith lists list`?', 'kith notes list'],
  ["Update it: kith entries list 'St. PAUL; team'", "kith entries list 'St. PAUL; team'"],
])('finds the command in the hint "%s"', (hint, command) => {
  expect(readCommand(hint)).toBe(command);
});

test.each([
  ['kith config set user ADDRESS'],
  ['Create a new workspace: kith auth login --local --database FILE'],
  ['Add the organization: --organization ID|DOMAIN|NAME'],
  ['Name a new file: kith creates it. The first line of an action ledger is empty.'],
  ["kith prints NDJSON with --format ndjson; jq converts with: jq -c '.[]'"],
  ['Did you mean `--json`?'],
  ['Update kith.'],
  ['Type: kith lists report [LIST] [flags]'],
  ['Type: kith undo [flags]'],
  ['Create one: kith workspace backup --archive FILE.tar.gz'],
])('finds no complete command in the hint "%s"', (hint) => {
  expect(readCommand(hint)).toBeUndefined();
});
