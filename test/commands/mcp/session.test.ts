import { expect, test } from 'vitest';
import { createSignedInHome } from '../../support/binary.ts';
import { connectToProcess, revisions } from './agent.ts';

test.each(revisions)('an agent of revision %s writes, is refused, and undoes', async (revision) => {
  const { env } = createSignedInHome({
    KITH_UNDO: 'on',
    KITH_ALLOW: 'contacts,entries,notes,organizations:update',
  });
  const questions: string[] = [];
  const { client, call } = await connectToProcess(
    env,
    {
      person: (message) => {
        questions.push(message);
        return { action: 'accept', content: { confirm: true } };
      },
      revision,
    },
    '--allow-write',
  );

  // 1. Find a contact.
  const email = 'jiwoo.kim@hanbit-cold.example';
  const found = await call('records_find', { noun: 'contacts', email });
  const { id, organization_id } = found.structured.records?.[0] ?? {};
  expect(id).toBe('0rlnky');
  // 2. Read the organization as a resource.
  const { contents } = await client.readResource({ uri: `kith://organizations/${organization_id}` });
  expect(JSON.stringify(contents)).toContain('한빛물류');
  // 3. Read the summary of the latest meeting.
  const summary = await call('recordings_read', { part: 'summary', id: 'latest' });
  expect(summary.structured.text).not.toBe('');
  // 4. Read the open deals.
  const deals = await call('entries_read', { view: 'list', list: 'Sales pipeline', open: true, limit: 3 });
  expect(deals.structured).toMatchObject({ records: { length: 3 }, pagination: { truncated: true } });
  // 5. Preview a note, which writes nothing.
  const note = { noun: 'notes', organization: organization_id, body: 'Wants a quote by Friday.' };
  const preview = await call('records_create', { ...note, dry_run: true });
  expect(preview.structured.value).toMatchObject({ method: 'POST', path: '/v1/notes' });
  // 6. Write it.
  const written = await call('records_create', note);
  expect(written.structured.records).toMatchObject([{ body: note.body }]);
  expect(questions).toEqual([]);
  // 7. Delete the contact, which the user confirms.
  const deleted = await call('records_delete', { noun: 'contacts', id: [id] });
  expect(deleted.structured.records).toEqual([{ id, deleted: true }]);
  expect(questions).toEqual([expect.stringMatching(/^Delete contact "김지우" \(0rlnky\) and its 1 entry\?/)]);
  expect((await call('records_find', { noun: 'contacts', email })).structured.records).toEqual([]);
  // 8. A guard refuses to create an organization; nothing is sent.
  const blocked = await call('records_create', { noun: 'organizations', name: 'Acme' });
  expect(blocked).toMatchObject({
    isError: true,
    structured: { error: { code: 'blocked', retryable: false } },
  });
  // 9. Undo the deletion, which the user confirms too.
  const undone = await call('undo', { action: 'undo' });
  expect(undone).toMatchObject({ isError: false, notes: [] });
  expect(questions[1]).toMatch(/Undo `kith contacts delete`\?$/);
  const restored = await call('records_find', { noun: 'contacts', email });
  expect(restored.structured.records).toMatchObject([{ first_name: '지우', organization_id }]);
});
