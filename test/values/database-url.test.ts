import { expect, test } from 'vitest';
import {
  findDatabasePassword,
  findUrlProblem,
  formatDatabase,
  isDatabaseUrl,
} from '../../src/values/database-url.ts';

test.each([
  ['postgres://db.example/kith', true],
  ['PostgreSQL://db.example', true],
  ['postgres:/db.example', true],
  ['postgres:secret@db.example', true],
  ['postgres//db.example', true],
  ['postgres.sqlite', false],
  ['postgres/kith.sqlite', false],
  ['/data/postgres://x', false],
  ['C:\\data\\kith.sqlite', false],
  ['mysql://db.example/kith', false],
])('whether %s is a PostgreSQL URL: %s', (text, expected) => {
  expect(isDatabaseUrl(text)).toBe(expected);
});

test.each([
  'postgres://ada@db.example:5433/kith',
  'postgresql:///kith?host=/run/pg',
  'postgres://%2Frun%2Fpg/kith',
  'postgres://[::1]:5432',
  'postgres://a%40b:p%3A%2F@h/d%20b',
  'postgres://u:a:b@/?sslmode=verify-full',
  'postgres://h?options=-c%20x%3D1&user=u',
  'postgres://',
])('accepts %s', (url) => {
  expect(findUrlProblem(url)).toBeUndefined();
});

test.each([
  ['postgres://u@h/db?schema=x', 'the URL parameter "schema" is not supported; use host, port, user, pass'],
  ['postgres://u@h/db?__proto__=x', 'the URL parameter "__proto__" is not supported'],
  ['postgres://u@h/db?a-1=x', 'the URL has an unknown parameter'],
  ['postgres://a,b/db', 'a URL with several hosts is not supported'],
  ['postgres://h:port/db', 'not a valid PostgreSQL URL'],
  ['postgres://h/db name', 'not a valid PostgreSQL URL'],
  ['postgres://h/db%00', 'not a valid PostgreSQL URL'],
  ['postgres://h/%zz', 'not a valid PostgreSQL URL'],
  ['postgres:/h/db', 'not a valid PostgreSQL URL'],
])('reports the problem of %s', (url, problem) => {
  expect(findUrlProblem(url)).toContain(problem);
});

test.each([
  ['/data/kith.sqlite', '/data/kith.sqlite'],
  [
    'postgres://ada@db.example:5433/kith?sslmode=require',
    'postgres://ada@db.example:5433/kith?sslmode=require',
  ],
  ['Postgres://ada:secret@db.example/kith', 'postgres://ada@db.example/kith'],
  ['postgres://ada:@h', 'postgres://ada@h'],
  ['postgres://h/db?password=secret&user=a%40b', 'postgres://h/db?user=a%40b'],
  ['postgres://h/db?password=secret', 'postgres://h/db'],
  ['postgres://[::1]/db', 'postgres://[::1]/db'],
])('formats %s without a password', (text, expected) => {
  expect(formatDatabase(text)).toBe(expected);
});

test.each([
  'postgres://ada:se@cret@h/db',
  'postgres://ada:se/cret@h/db',
  'postgres://ada:12/cret@h/db',
  'postgres://ada:12?cret@h/db',
  'postgres://ada:12?host=cret@h/db',
  'postgres://ada:se#cret@h/db',
  'postgres://ada:se cret@h/db',
  'postgres://ada:se%cret@h/db',
  'postgres://ada:cret@h:port/db',
  'postgres://ada:cret@[h/db',
  'postgres://h/db?password=cret&password',
  'postgres://h/db?passwort=cret',
  'postgres://h/db?password=cr@cret',
  'postgres:/ada:cret@h/db',
  'postgres:///ada:cret@h/db',
])('shows nothing of the invalid URL %s', (url) => {
  expect(findUrlProblem(url)).toEqual(expect.not.stringContaining('cret'));
  expect(formatDatabase(url)).toBe('postgres://...');
});

test.each([
  ['postgres://ada:s%40cret@h', 's@cret'],
  ['postgres://h?password=one', 'one'],
  ['postgres://a:b@h?sslmode=require&password=o%26e+', 'o&e+'],
  ['postgres://h', undefined],
  ['postgres:secret', undefined],
  ['/data/kith.sqlite', undefined],
])('the password of %s is %s', (text, expected) => {
  expect(findDatabasePassword(text)).toBe(expected);
});
