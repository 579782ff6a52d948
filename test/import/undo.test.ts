import { expect, test } from 'vitest';
import { pickStoredValues } from '../../src/changes/values.ts';
import { createUndo } from '../../src/import/undo.ts';
import { createTestClient } from '../client/loopback.ts';
import { startControlledService } from './controlled-service.ts';

type Made = Readonly<Record<string, unknown>> & { readonly id: string };

const names = (first_name: string, last_name: string) => ({ first_name, last_name });

test.each([
  ['unchanged since the import', names('Two', 'L'), 'undone', 'One'],
  ['changed since the import', names('Three', 'L'), 'changed', 'Three'],
  ['restored already', names('One', 'L'), 'already', 'One'],
])('undoes the change of a contact only if it is unchanged: %s', async (_, now, status, left) => {
  const { sendOk, url } = await startControlledService();
  const { id } = await sendOk<{ id: string }>('POST /v1/contacts', now);
  const undo = createUndo(createTestClient(url).client, new Set(), false);
  // The order of members in a report may differ from the service's order.
  const completed = {
    what: 'contact',
    id,
    before: names('One', 'L'),
    after: { last_name: 'L', first_name: 'Two' },
  } as const;
  expect(await undo(completed)).toMatchObject({ status });
  const { first_name } = await sendOk<{ first_name: string }>(`GET /v1/contacts/${id}`);
  expect(first_name).toBe(left);
});

test.each(['the undo', 'someone else meanwhile'])(
  'deletes a contact whose entry was deleted by %s',
  async (who) => {
    const { sendOk, url } = await startControlledService();
    const list = { name: 'L', process: false, entry_type: 'Contact' };
    const { id: list_id } = await sendOk<{ id: string }>('POST /v1/lists', list);
    const created = async () => {
      const contact = await sendOk<Made>('POST /v1/contacts', names('Two', 'L'));
      const of = { entryable_id: contact.id, entryable_type: 'Contact' };
      const entry = await sendOk<Made>(`POST /v1/lists/${list_id}/entries`, of);
      return [
        { what: 'entry', list_id, id: entry.id, after: pickStoredValues(entry) },
        { what: 'contact', id: contact.id, after: pickStoredValues(contact) },
      ] as const;
    };
    const [[entry, contact], last] = [await created(), await created()];
    const undo = createUndo(createTestClient(url).client, new Set([contact.id, last[1].id]), false);
    // The records that refer to the contacts are read now, and not again.
    for (const completed of last) await undo(completed);
    if (who !== 'the undo') await sendOk(`DELETE /v1/lists/${list_id}/entries/${entry.id}`);
    expect((await undo(entry)).status).toBe(who === 'the undo' ? 'undone' : 'already');
    expect(await undo(contact)).toEqual({ status: 'undone' });
  },
);

test('changes nothing if the interface cannot remove a value of the import', async () => {
  const { sendOk, url } = await startControlledService();
  const list = { name: 'P', process: true, entry_type: 'Contact', identifier: 'P', duplicates_allowed: true };
  const { id: list_id } = await sendOk<Made>('POST /v1/lists', list);
  const contact = await sendOk<Made>('POST /v1/contacts', names('Two', 'L'));
  const path = `/v1/lists/${list_id}/entries`;
  const entry = { entryable_id: contact.id, entryable_type: 'Contact', one_time_value_cents: 100 };
  const { id } = await sendOk<Made>(`POST ${path}`, entry);
  const undo = createUndo(createTestClient(url).client, new Set(), false);
  const before = { one_time_value_cents: null, assignee_email: 'ada@acme.example' };
  const after = { one_time_value_cents: 100, assignee_email: null };
  await expect(undo({ what: 'entry', list_id, id, before, after })).rejects.toMatchObject({
    code: 'invalid',
    message: 'The interface cannot restore the one_time_value_cents.',
  });
  expect(await sendOk<Made>(`GET ${path}/${id}`)).toMatchObject({
    one_time_value_cents: 100,
    assignee: null,
  });
});
