import { expect, test } from 'vitest';
import { ImportLog } from '../../src/import/import-log.ts';
import { undoRecords } from '../../src/import/undo.ts';
import { ChangeLog } from '../../src/writes/log.ts';
import { WriteRun } from '../../src/writes/run.ts';
import { createTestClient } from '../client/loopback.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { startControlledService } from './controlled-service.ts';

type Stored = Readonly<Record<string, unknown>> & { readonly id: string };

/** A write of an import, as its log has it. `after` is undefined if the response was lost. */
interface LoggedWrite {
  readonly noun: 'contact' | 'organization' | 'entry';
  readonly list_id?: string;
  readonly id?: string;
  readonly body?: object;
  readonly before?: object;
  readonly after?: object;
}

/** Starts a service, and returns a function that undoes an import with these writes, one per row from row 2 on. */
async function createUndo() {
  const service = await startControlledService();
  const undo = async (writes: readonly LoggedWrite[], isDryRun = false) => {
    const header = { command: 'contacts import', at: service.clock.time, many: 'x', report: '/r.csv' };
    const log = ImportLog.read(ChangeLog.create(createTemporaryFolder(), header).path).open();
    for (const [index, { id, body = {}, before, after, ...place }] of writes.entries()) {
      const n = index + 1;
      const action = id === undefined ? 'create' : 'update';
      log.append({
        n,
        row: index + 2,
        ...place,
        id,
        action,
        body: { ...body },
        ...(before && { before: { ...before } }),
      });
      if (after) log.append({ n, after: { ...after } });
    }
    const results = [];
    const { client } = createTestClient(service.url);
    const run = new WriteRun({
      client: async () => client,
      signal: new AbortController().signal,
      concurrency: 4,
      startedAt: service.clock.time,
    });
    for await (const { status, row, message } of undoRecords({ client, run, log, isDryRun, concurrency: 4 }))
      results.push([row, status, ...(message === undefined ? [] : [message])]);
    log.close();
    return results;
  };
  const create = (path: string, body: object) => service.sendOk<Stored>(`POST /v1/${path}`, body);
  const list = async () => (await service.sendOk<{ data: Stored[] }>('GET /v1/contacts')).data;
  return { ...service, undo, create, list };
}

const names = (first_name: string, last_name: string) => ({ first_name, last_name });

test.each([
  ['unchanged since the import', names('Two', 'L'), [2, 'undone'], 'One'],
  [
    'changed since the import',
    names('Three', 'L'),
    [2, 'changed', 'The contact ID was changed since; skipped.'],
    'Three',
  ],
  ['restored already', names('One', 'L'), [2, 'already'], 'One'],
  ['deleted since', undefined, [2, 'already'], undefined],
])('undoes the change of a contact only if it is unchanged: %s', async (_, now, result, left) => {
  const { create, sendOk, undo, list } = await createUndo();
  const contact = await create('contacts', now ?? names('Two', 'L'));
  if (!now) await sendOk(`DELETE /v1/contacts/${contact.id}`);
  const write = {
    noun: 'contact',
    id: contact.id,
    body: names('Two', 'L'),
    before: names('One', 'L'),
    // The order of members in a log may differ from the order in the service.
    after: { ...contact, ...{ last_name: 'L', first_name: 'Two' } },
  } as const;
  const results = await undo([write]);
  expect(results.map((one) => one.map((part) => String(part).replace(contact.id, 'ID')))).toEqual([
    result.map(String),
  ]);
  expect((await list()).map(({ first_name }) => first_name)).toEqual(left === undefined ? [] : [left]);
});

test.each([
  ['carried out', ['Two'], [[2, 'undone']], []],
  [
    'carried out before a later change',
    ['Three'],
    [[2, 'changed', 'The contact ID was changed since; skipped.']],
    ['Three'],
  ],
  ['not carried out', ['One'], [[2, 'already']], ['One']],
])('undoes an update whose response was lost: it was %s', async (_, now, expected, left) => {
  const { create, undo, list } = await createUndo();
  const { id } = await create('contacts', { first_name: now[0] });
  const results = await undo([
    { noun: 'contact', id, body: { first_name: 'Two' }, before: { first_name: 'One' } },
  ]);
  expect(JSON.parse(JSON.stringify(results).replace(id, 'ID'))).toEqual(expected);
  expect((await list()).map(({ first_name }) => first_name)).toEqual(left.length > 0 ? left : ['One']);
});

test('undoes a create whose response was lost, and its later update', async () => {
  const { create, undo, list } = await createUndo();
  const lost = { first_name: 'Ada', emails: ['ada@x.example'] };
  const { id } = await create('contacts', { ...lost, last_name: 'L' });
  const update = { noun: 'contact', id, body: { last_name: 'L' }, before: { last_name: null } } as const;
  expect(await undo([{ noun: 'contact', body: { emails: ['ada@x.example'] } }, update])).toEqual([
    [3, 'undone'],
  ]);
  expect(await list()).toEqual([]);
});

test('undoes a create whose response was lost, although a later row changed a value of it', async () => {
  const { create, undo, list } = await createUndo();
  const [first, second] = ['+12025550101', '+12025550102'];
  const ada = { emails: ['ada@x.example'], phone_numbers: [first] };
  const { id } = await create('contacts', { ...ada, phone_numbers: [first, second] });
  const update = { noun: 'contact', id, body: { phone_numbers: [first, second] }, before: ada } as const;
  expect(await undo([{ noun: 'contact', body: ada }, update])).toEqual([[3, 'undone']]);
  expect(await list()).toEqual([]);
});

test.each([
  ['is missing', 0, 0],
  ['matches two records', 2, 0],
  ['may be older than the import', 1, -3_600_000],
])('never guesses about a create whose response was lost: it %s', async (_, count, age) => {
  const { clock, create, undo, list } = await createUndo();
  const now = clock.time;
  clock.time = new Date(Date.parse(now) + age).toISOString();
  const ids = [];
  for (let made = 0; made < count; made += 1) ids.push((await create('contacts', { first_name: 'Ada' })).id);
  clock.time = now;
  const message = `The response was lost, and the import may have created ${ids.map((id) => `contact ${id}`).join(' or ')}. Check before you delete it.`;
  expect(await undo([{ noun: 'contact', body: { first_name: 'Ada' } }])).toEqual(
    count === 0 ? [] : [[2, 'unknown', message]],
  );
  expect(await list()).toHaveLength(count);
});

test.each(['the undo', 'someone else'])('deletes a contact whose entry was deleted by %s', async (who) => {
  const { sendOk, create, undo, list } = await createUndo();
  const { id: list_id } = await create('lists', { name: 'L', process: false, entry_type: 'Contact' });
  const contact = await create('contacts', names('Two', 'L'));
  const entry = await create(`lists/${list_id}/entries`, {
    entryable_id: contact.id,
    entryable_type: 'Contact',
  });
  if (who !== 'the undo') await sendOk(`DELETE /v1/lists/${list_id}/entries/${entry.id}`);
  const writes: LoggedWrite[] = [
    { noun: 'contact', after: contact },
    { noun: 'entry', list_id, after: entry },
  ];
  // A dry run knows that the entry would be deleted first.
  for (const isDryRun of [true, false])
    expect(await undo(writes, isDryRun)).toEqual([
      [3, who === 'the undo' ? 'undone' : 'already'],
      [2, 'undone'],
    ]);
  expect(await list()).toEqual([]);
});

test('keeps the organization of a skipped contact', async () => {
  const { sendOk, create, undo } = await createUndo();
  const organization = await create('organizations', { name: 'Acme' });
  const contact = await create('contacts', { first_name: 'Two', organization_id: organization.id });
  await sendOk(`PATCH /v1/contacts/${contact.id}`, { last_name: 'New' });
  expect(
    await undo([
      { noun: 'organization', after: organization },
      { noun: 'contact', after: contact },
    ]),
  ).toEqual([
    [3, 'changed', `The contact ${contact.id} was changed since; skipped.`],
    [2, 'changed', `The organization ${organization.id} has the contact ${contact.id} now; skipped.`],
  ]);
});

test.each([
  ['the only one', {}],
  ['one of several', { assignee_email: null }],
])('changes nothing if the API cannot remove a value of the import: %s', async (_, others) => {
  const { sendOk, create, undo } = await createUndo();
  const process = {
    name: 'P',
    process: true,
    entry_type: 'Contact',
    identifier: 'P',
    duplicates_allowed: true,
  };
  const { id: list_id } = await create('lists', process);
  const contact = await create('contacts', names('Two', 'L'));
  const path = `lists/${list_id}/entries`;
  const body = { one_time_value_cents: 100, ...others };
  const entry = await create(path, { entryable_id: contact.id, entryable_type: 'Contact', ...body });
  const before = { ...entry, one_time_value_cents: null, assignee: { email: 'ada@acme.example' } };
  expect(await undo([{ noun: 'entry', list_id, id: entry.id, body, before, after: entry }])).toEqual([
    [
      2,
      'failed',
      `The entry ${entry.id} could not be restored: The API cannot restore the one_time_value_cents.`,
    ],
  ]);
  expect(await sendOk(`GET /v1/${path}/${entry.id}`)).toEqual(entry);
});
