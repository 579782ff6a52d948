import { expect, test } from 'vitest';
import type { Outcome } from '../../src/import/outcome.ts';
import { recoverOutcome } from '../../src/import/record-writer.ts';
import type { JsonRecord } from '../cli/jobs/import-machine.ts';
import { createTestClient } from '../client/loopback.ts';
import { funnel, startControlledService } from './controlled-service.ts';

/** Starts a service with a contact named New, and returns the outcomes and steps of a row about it. */
async function createRecoveryClient() {
  const { sendOk, url } = await startControlledService();
  const { client } = createTestClient(url);
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', { first_name: 'New' });
  const sameOutcome: Outcome = { action: 'same', id, steps: [], completed: [] };
  const renameStep = {
    what: 'contact',
    id,
    body: { first_name: 'New' },
    before: { first_name: 'Old' },
  } as const;
  return { sendOk, client, id, sameOutcome, renameStep };
}

test('recovers a value that the interrupted run was about to write and the service now has', async () => {
  const { client, id, sameOutcome, renameStep } = await createRecoveryClient();
  expect(await recoverOutcome(client, 'contact', sameOutcome, [renameStep])).toEqual({
    action: 'update',
    id,
    steps: [],
    completed: [{ what: 'contact', id, before: { first_name: 'Old' }, after: { first_name: 'New' } }],
  });
});

test('does not recover a value that has not changed', async () => {
  const { client, sameOutcome, renameStep } = await createRecoveryClient();
  const unsentStep = { ...renameStep, before: { first_name: 'New' } };
  expect(await recoverOutcome(client, 'contact', sameOutcome, [unsentStep])).toBe(sameOutcome);
});

test('reports a write of this run once', async () => {
  const { client, id, sameOutcome, renameStep } = await createRecoveryClient();
  const ownStep = {
    what: 'contact',
    id,
    before: { first_name: 'Older' },
    after: { first_name: 'New' },
  } as const;
  const outcome: Outcome = { ...sameOutcome, action: 'update', completed: [ownStep] };
  expect(await recoverOutcome(client, 'contact', outcome, [renameStep])).toBe(outcome);
});

test('does not recover a deleted record', async () => {
  const { sendOk, client, id, sameOutcome, renameStep } = await createRecoveryClient();
  await sendOk(`DELETE /v1/contacts/${id}`);
  expect(await recoverOutcome(client, 'contact', sameOutcome, [renameStep])).toBe(sameOutcome);
});

test.each([
  ['is the only one of its contact', 1, 'update'],
  ['is one of two of its contact', 2, 'same'],
])('recovers an entry only if it can be identified: it %s', async (_, count, action) => {
  const { sendOk, client, id, sameOutcome } = await createRecoveryClient();
  const list = await sendOk<JsonRecord>('POST /v1/lists', funnel);
  const list_id = String(list.id);
  const body = { entryable_id: id, entryable_type: 'Contact', status: 'Lead' };
  for (let number = 0; number < count; number += 1) await sendOk(`POST /v1/lists/${list_id}/entries`, body);
  const { action: recoveredAction, completed } = await recoverOutcome(client, 'contact', sameOutcome, [
    { what: 'entry', list_id, body },
  ]);
  expect([recoveredAction, completed.map(({ what }) => what)]).toEqual([
    action,
    count === 1 ? ['entry'] : [],
  ]);
});

test('recovers the organization that was created for the contact of the row', async () => {
  const { sendOk, client, id, sameOutcome } = await createRecoveryClient();
  const { id: organization_id } = await sendOk<JsonRecord>('POST /v1/organizations', { name: 'Acme' });
  const step = { what: 'organization', body: { name: 'Acme' } } as const;
  expect(await recoverOutcome(client, 'contact', sameOutcome, [step])).toBe(sameOutcome);
  await sendOk(`PATCH /v1/contacts/${id}`, { organization_id });
  const { completed } = await recoverOutcome(client, 'contact', sameOutcome, [step]);
  expect(completed.map(({ what, id }) => [what, id])).toEqual([['organization', organization_id]]);
});
