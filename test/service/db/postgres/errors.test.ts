import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import {
  hasConnectionEnded,
  toOpenFailure,
  toRequestFailure,
} from '../../../../src/service/db/postgres/errors.ts';

const createError = (code: string, message = '') => Object.assign(new Error(message), { code });

test.each([
  ['a reset connection', createError('ECONNRESET')],
  ['a server that stops', createError('57P01')],
  ['a connection that ended without a code', new Error('Connection terminated unexpectedly')],
  ['no free connection', new Error('timeout exceeded when trying to connect')],
  ['a statement that timed out', createError('57014')],
  ['a standby server', createError('25006')],
  ['a user that may only read', createError('42501')],
])('returns 503 with Retry-After for %s', (_, error) => {
  const failure = toRequestFailure(error);
  expect([failure?.status, failure?.detail.headers]).toEqual([503, { 'retry-after': '1' }]);
});

test('returns 503 for a host with several addresses that all refuse', async () => {
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = connect({
    host: 'db.example',
    port: 1,
    autoSelectFamily: true,
    lookup: (_, __, done) => done(null, addresses),
  });
  const error = await once(socket, 'connect').catch((reason) => reason);
  expect(error).toBeInstanceOf(AggregateError);
  expect(toRequestFailure(error)?.status).toBe(503);
  expect(toOpenFailure(error, 'DB').message).toBe('Cannot reach DB: connection refused (127.0.0.1:1).');
});

test('returns 507 for a full disk of the server', () => {
  expect(toRequestFailure(createError('53100'))).toMatchObject({
    status: 507,
    message: 'Cannot use the database: no space left on the disk of the database server.',
  });
});

test.each([
  ['of the program', createError('ERR_INVALID_ARG_TYPE')],
  ['in a statement', createError('42601')],
])('returns no failure for an error %s, which is internal', (_, error) => {
  expect(toRequestFailure(error)).toBeUndefined();
});

test.each([
  ['a reset connection', createError('ECONNRESET'), true],
  ['a server that stops', createError('57P01'), true],
  ['a connection that ended without a code', new Error('Connection terminated unexpectedly'), true],
  ['a statement without an answer', new Error('Query read timeout'), false],
  ['a connection that timed out', createError('ETIMEDOUT'), false],
  [
    'a server that did not accept the connection in time',
    new Error('Connection terminated due to connection timeout'),
    false,
  ],
])('retries after %s only if the retry cannot take as long again', (_, error, expected) => {
  expect(hasConnectionEnded(error)).toBe(expected);
});
