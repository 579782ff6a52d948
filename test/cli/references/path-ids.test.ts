import { expect, test } from 'vitest';
import { startSmallService } from './small-service.ts';

test('a script that passes ids sends one request for each write, unless the write does not prove that they exist', async () => {
  const { kith, create, ada, acme, list, takeRequests } = await startSmallService();
  const contacts = [
    await create('contacts', { first_name: 'A' }),
    await create('contacts', { first_name: 'B' }),
  ];
  const entry = await create(`lists/${list}/entries`, { entryable_id: ada, entryable_type: 'Contact' });
  const ids = [ada, ...contacts];
  takeRequests();
  const send = async (...words: string[]) => {
    expect(await kith([...words, '-q'])).toMatchObject({ code: 0, err: '' });
    return takeRequests().map((request) => request.split(' ').slice(0, 2).join(' '));
  };
  expect(await send('contacts', 'get', ada)).toEqual([`GET /v1/contacts/${ada}`]);
  expect(await send('contacts', 'create', '--first-name', 'C')).toEqual(['POST /v1/contacts']);
  // The response to this write does not prove that the organization exists.
  expect(await send('notes', 'create', '--organization', acme, '--body', 'x')).toEqual([
    `GET /v1/organizations/${acme}`,
    'POST /v1/notes',
  ]);
  expect(await send('contacts', 'update', ada, '--first-name', 'C')).toEqual([`PATCH /v1/contacts/${ada}`]);
  expect(await send('contacts', 'remove-emails', ada, 'a@x.example')).toEqual([
    `DELETE /v1/contacts/${ada}/emails`,
  ]);
  expect(await send('lists', 'update', list, '--name', 'New')).toEqual([`PATCH /v1/lists/${list}`]);
  expect(await send('entries', 'delete', list, entry, '--yes')).toEqual([
    `DELETE /v1/lists/${list}/entries/${entry}`,
  ]);
  expect((await send('contacts', 'delete', ...ids, '--yes')).toSorted()).toEqual(
    ids.map((id) => `DELETE /v1/contacts/${id}`).toSorted(),
  );
  expect(await send('organizations', 'delete', acme, '--yes')).toEqual([`DELETE /v1/organizations/${acme}`]);
});

test('sends a word that may be an id, then looks it up as a name and sends the request again', async () => {
  const { kith, create, takeRequests } = await startSmallService();
  const grace = await create('contacts', { first_name: 'Grace' });
  takeRequests();
  expect(await kith(['contacts', 'update', 'grace', '--last-name', 'H', '--jq', '.id'])).toEqual({
    code: 0,
    out: `${grace}\n`,
    err: '',
  });
  expect(takeRequests().map((request) => request.split('?')[0])).toEqual([
    'PATCH /v1/contacts/grace {"last_name":"H"}',
    'GET /v1/contacts',
    `PATCH /v1/contacts/${grace} {"last_name":"H"}`,
  ]);
  expect(await kith(['contacts', 'delete', 'grace h', '--yes', '--jq', '.id'])).toMatchObject({
    code: 0,
    out: `${grace}\n`,
  });
});

test('looks up the words for an entry and its list one after the other', async () => {
  const { kith, create, ada, takeRequests } = await startSmallService();
  const process = { process: true, entry_type: 'Contact', identifier: 'DEAL', duplicates_allowed: false };
  const list = await create('lists', { name: 'Deals', ...process });
  const entry = await create(`lists/${list}/entries`, { entryable_id: ada, entryable_type: 'Contact' });
  takeRequests();
  expect((await kith(['entries', 'get', 'deals', 'DEAL-1', '--jq', '.id'])).out).toBe(`${entry}\n`);
  expect(takeRequests().map((request) => request.split('?')[0])).toEqual([
    'GET /v1/lists/deals/entries/DEAL-1',
    'GET /v1/lists/deals/entries',
    'GET /v1/lists',
    `GET /v1/lists/${list}/entries`,
    `GET /v1/lists/${list}/entries/${entry}`,
  ]);
  expect((await kith(['entries', 'show', 'deals', 'deal-1', '--jq', '.entry.id'])).out).toBe(`${entry}\n`);
  expect(await kith(['entries', 'get', 'deals', 'DEAL-9'])).toMatchObject({
    code: 3,
    err: 'kith: No entry has the id or key "DEAL-9".\n',
  });
});

test('an ambiguous name deletes nothing, even after ids', async () => {
  const { kith, create, ada, takeWrites } = await startSmallService();
  const twins = [
    await create('contacts', { first_name: 'Twin' }),
    await create('contacts', { first_name: 'Twin' }),
  ];
  takeWrites();
  const words = ['contacts', 'delete', ada, 'nobody', 'twin', '--yes'];
  expect(await kith(words)).toEqual({
    code: 2,
    out: '',
    err:
      `kith: 2 contacts match "twin": ${twins.join(', ')}.\n` +
      `hint: ${twins.map((id) => `kith contacts delete ${ada} nobody ${id} --yes`).join('\n      ')}\n`,
  });
  expect(takeWrites()).toEqual(['DELETE /v1/contacts/twin']);
  expect((await kith(['contacts', 'get', ada])).code).toBe(0);
});

test('a failed lookup of one word stops only its own deletion, and all words are looked up in one list', async () => {
  const { kith, create, ada, takeRequests } = await startSmallService();
  const grace = await create('contacts', { first_name: 'Grace' });
  takeRequests();
  const words = ['contacts', 'delete', 'Nobody Here', ada, 'grace', 'nobody', '--yes', '--jq', 'map(.id)'];
  const reasons = ['Nobody Here', 'nobody'].map(
    (name) => `${name} (No contact has the id or name "${name}")`,
  );
  expect(await kith(words)).toEqual({
    code: 6,
    out: `${JSON.stringify([ada, grace])}\n`,
    err: `kith: Not deleted: ${reasons.join('; ')}.\n`,
  });
  const requests = takeRequests();
  expect(requests.filter((line) => line.startsWith('DELETE')).toSorted()).toEqual(
    ['nobody', 'grace', grace, ada].map((id) => `DELETE /v1/contacts/${id}`).toSorted(),
  );
  expect(requests.filter((line) => line.startsWith('GET /v1/contacts?'))).toHaveLength(1);
});

test('an empty word among several deletes nothing', async () => {
  const { kith, ada, takeWrites } = await startSmallService();
  expect(await kith(['contacts', 'delete', ada, '', '--yes'])).toMatchObject({ code: 3, out: '' });
  expect(await kith(['notes', 'delete', 'n0te11', '', '--yes'])).toMatchObject({ code: 2, out: '' });
  expect(takeWrites()).toEqual([]);
});
