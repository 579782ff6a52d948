import { expect, test } from 'vitest';
import { findPasswords, redactMistypedKeys } from '../../../src/cli/connect/secrets.ts';
import { Failure } from '../../../src/contract/errors.ts';

test('finds the passwords of PostgreSQL URLs on a command line', () => {
  const words = [
    'serve',
    '--database=postgres://a:one1@h/',
    '--database',
    'postgres://a:two2@h',
    'postgres://a@h',
    'postgres://a:postgres@h', // a word that the URL contains too
  ];
  expect(findPasswords(words)).toEqual(['one1', 'two2']);
});

test.each([
  ['Unknown command: postgres://a:pw@h/db', 'Unknown command: postgres://a@h/db'],
  ['"postgres://a:p@w@h/db" is unknown.', '"postgres://... is unknown.'],
  ['See postgres://h/db?password=pw', 'See postgres://h/db'],
  ['--database: "postgres://h/db".', '--database: "postgres://h/db".'],
])('redacts even a short password in the usage error %s', (message, expected) => {
  expect(redactMistypedKeys(new Failure('usage', message)).message).toBe(expected);
});

test('redacts a key in the commands that a failure suggests, and in the path of a record that does not exist', () => {
  const key = 'kith_Kl4Tg2nzOkW21cS35bXw-j4QTXcSsqsaOHM0VcViXtA';
  const usage = new Failure('usage', 'x', { commands: [`kith contacts update a --first-name ${key}`] });
  expect(redactMistypedKeys(usage).detail.commands).toEqual(['kith contacts update a --first-name [key]']);
  const path = `/v1/contacts/${key}`;
  const { message, detail } = redactMistypedKeys(new Failure('not_found', `No contact "${key}".`, { path }));
  expect([message, detail.path]).toEqual(['No contact "[key]".', '/v1/contacts/[key]']);
});
