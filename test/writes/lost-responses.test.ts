import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Failure } from '../../src/contract/errors.ts';
import { findLostRecords } from '../../src/writes/created.ts';
import type { Write } from '../../src/writes/nouns.ts';
import { WriteRun } from '../../src/writes/run.ts';
import { createTestClient } from '../client/loopback.ts';
import {
  funnel,
  restoreConnection,
  startControlledMachine,
  startControlledService,
} from '../import/controlled-service.ts';

type Stored = { id: string; emails: string[] };

/** Starts a service, and a run whose next write loses its response. `isDone`: after the service has carried it out. */
async function createLosingRun(knownIds: readonly string[] = []) {
  const { url, clock, control, sendOk } = await startControlledService();
  const run = new WriteRun({
    client: async () => createTestClient(url, 0).client,
    signal: new AbortController().signal,
    concurrency: 1,
    startedAt: clock.time,
    readCreatedIds: async () => knownIds,
  });
  const create = (path: string, body: object) => sendOk<Stored>(`POST /v1/${path}`, body);
  const writeTagged = (write: Write, ifMatch: string) => run.write(write, { ifMatch });
  const loseNext = (isDone: boolean, onLoss: () => Promise<unknown> = async () => {}) => {
    control[isDone ? 'after' : 'before'] = async ({ method }, response) => {
      if (method === 'GET') return false;
      control.before = () => false;
      control.after = () => false;
      await onLoss();
      response.destroy();
      return true;
    };
  };
  /** Returns the status of a write, or the code of its failure. */
  const write = async (write: Write, before?: object) => {
    try {
      return (await run.write(write, before && { before: { ...before } })).status;
    } catch (error) {
      return error instanceof Failure ? error.code : error;
    }
  };
  return { sendOk, create, control, loseNext, write, writeTagged };
}

test.each([
  [true, 'done'],
  [false, 'unknown'],
])('knows whether an entry was created if its response was lost (created: %s)', async (isDone, status) => {
  const { create, loseNext, write } = await createLosingRun();
  const list = await create('lists', funnel);
  const contact = await create('contacts', { first_name: 'Ada' });
  loseNext(isDone);
  const body = { entryable_id: contact.id, entryable_type: 'Contact', status: 'Lead' };
  expect(await write({ noun: 'entry', action: 'create', list_id: list.id, body })).toBe(status);
});

test.each([
  [true, 'done'],
  [false, 'unknown'],
])('knows whether addresses were removed if the response was lost (removed: %s)', async (isDone, status) => {
  const { create, loseNext, write } = await createLosingRun();
  const contact = await create('contacts', { first_name: 'Ada', emails: ['a@b.example', 'c@b.example'] });
  loseNext(isDone);
  const body = { emails: ['c@b.example'] };
  expect(await write({ noun: 'contact', action: 'remove', id: contact.id, body }, contact)).toBe(status);
});

test('does not count an address as removed if it is stored in another case', async () => {
  const { create, loseNext, write } = await createLosingRun();
  const { id } = await create('contacts', { first_name: 'Ada', emails: ['a@b.example'] });
  loseNext(false);
  const body = { emails: ['A@B.example'] };
  expect(await write({ noun: 'contact', action: 'remove', id, body })).toBe('unknown');
});

test.each([
  ['another field', { last_name: 'Kim' }],
  ['another address', { emails: ['new@b.example'] }],
])('does not count a write with a lost response as done if %s has changed too', async (_, change) => {
  const { create, loseNext, write, sendOk } = await createLosingRun();
  const contact = await create('contacts', { first_name: 'Ada', emails: ['a@b.example'] });
  loseNext(true, () => sendOk(`PATCH /v1/contacts/${contact.id}`, change));
  const body = { first_name: 'Grace', emails: ['c@b.example'] };
  expect(await write({ noun: 'contact', action: 'update', id: contact.id, body }, contact)).toBe('unknown');
});

test.each([
  [1, [1, 0]],
  [2, [1, 1]],
  [3, [3, 3]],
])('finds the records of two equal lost creates among %i records', async (count, found) => {
  const { url, clock, sendOk } = await startControlledService();
  for (let created = 0; created < count; created += 1)
    await sendOk('POST /v1/contacts', { first_name: 'Ada' });
  const writes = [1, 2].map(
    (n) => ({ n, noun: 'contact', action: 'create', body: { first_name: 'Ada' } }) as const,
  );
  const records = await findLostRecords(
    createTestClient(url, 0).client,
    { writes, at: clock.time },
    new Set(),
  );
  expect(Array.from(records.values(), (candidates) => candidates.length)).toEqual(found);
  expect(new Set([...records.values()].flat().map(({ id }) => id)).size).toBe(count);
});

test('matches a lost create with the record that has no other values', async () => {
  const { create, loseNext, write } = await createLosingRun();
  loseNext(true, () => create('contacts', { first_name: 'Ada', last_name: 'Lovelace' }));
  expect(await write({ noun: 'contact', action: 'create', body: { first_name: 'Ada' } })).toBe('done');
});

test('does not match a lost create with a record that an earlier command created', async () => {
  const ids: string[] = [];
  const { create, loseNext, write } = await createLosingRun(ids);
  ids.push((await create('contacts', { first_name: 'Ada' })).id);
  loseNext(false);
  expect(await write({ noun: 'contact', action: 'create', body: { first_name: 'Ada' } })).toBe('unknown');
});

test('changes only the version with the entity tag of the write', async () => {
  const { create, control, sendOk, writeTagged } = await createLosingRun();
  control.hasTags = true;
  const { id } = await create('contacts', { first_name: 'Ada' });
  const update: Write = { noun: 'contact', action: 'update', id, body: { last_name: 'Kim' } };
  await expect(writeTagged(update, '"another-version"')).rejects.toMatchObject({ code: 'changed' });
  expect(await sendOk(`GET /v1/contacts/${id}`)).toMatchObject({ last_name: null });
});

test('a continued import does not match a lost create with the record of another row', async () => {
  const { kith, folder, control, sendOk } = await startControlledMachine();
  writeFileSync(`${folder}/people.csv`, 'first_name,last_name\nAda,Lovelace\nAda,\n');
  const importFile = () => kith(`contacts import ${folder}/people.csv --allow-unmatched --retries 0`);
  let creates = 0;
  control.before = ({ method }, response) => {
    if (method === 'POST') creates += 1;
    if (creates > 1) response.destroy();
    return creates > 1;
  };
  expect((await importFile()).code).toBe(6);
  restoreConnection(control);
  expect((await importFile()).code).toBe(0);
  const { data } = await sendOk<{ data: { last_name: string | null }[] }>('GET /v1/contacts');
  expect(data.map(({ last_name }) => last_name)).toEqual(['Lovelace', null]);
});
