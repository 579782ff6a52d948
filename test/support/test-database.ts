import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { requireInstalled } from '../process/programs.ts';
import { findPostgres } from './postgres.ts';

/** Skips the tests if PostgreSQL is not installed, and fails in CI. For `beforeEach`. */
export const requirePostgres = requireInstalled('PostgreSQL', findPostgres() !== undefined);

let adminStart: Promise<{ client: pg.Client; url: string }> | undefined;

/** Connects to the shared server, once in each worker. */
async function connectAdmin() {
  const url = await text(connect(inject('postgres'), '127.0.0.1'));
  const client = new pg.Client(url);
  client.on('error', () => {}); // the server stops before the worker
  await client.connect();
  return { client, url };
}

/** Returns the URL of a new database on the shared server, by default empty and until the test ends. */
export async function createTestDatabase(
  onEnd: (remove: () => Promise<void>) => void = onTestFinished,
  template = 'template0',
): Promise<string> {
  adminStart ??= connectAdmin();
  const { client, url } = await adminStart;
  // Not counted: a worker evaluates this module again for another file, while databases of the last one may remain.
  const name = `kith_${randomBytes(6).toString('hex')}`;
  await client.query(`create database ${name} template ${template} strategy file_copy`);
  onEnd(async () => void (await client.query(`drop database if exists ${name} with (force)`)));
  return url.replace(/[^/]*$/, name);
}
