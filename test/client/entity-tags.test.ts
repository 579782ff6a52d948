import { expect, test } from 'vitest';
import { contacts } from '../../src/contract/contacts.ts';
import { createTestClient, sendJson, startTestService } from './loopback.ts';

const ada = { id: 'a', first_name: 'Ada' };

test.each([
  ['a strong tag', '"v1"', '"v1"'],
  ['a weak tag, which no If-Match can name', 'W/"v1"', undefined],
  ['no tag', undefined, undefined],
])('sends If-Match with the tag of a record that came with %s', async (_, sent, etag) => {
  const { url, requests } = await startTestService((_, response) =>
    sendJson(response, 200, { data: ada }, sent === undefined ? {} : { etag: sent }),
  );
  const { client } = createTestClient(url);
  const path = { contact_id: 'a' };
  const { text, value, etag: ifMatch } = await client.record(contacts.get, path);
  expect({ text, value, ifMatch }).toEqual({
    text: JSON.stringify(ada),
    value: expect.objectContaining(ada),
    ifMatch: etag,
  });
  const update = await client.record(contacts.update, { ...path, last_name: 'L' }, { ifMatch });
  await client.record(contacts.removeEmails, { ...path, emails: ['a@x.example'] }, { ifMatch: update.etag });
  await client.record(contacts.delete, path, { ifMatch });
  await client.record(contacts.delete, path);
  expect(requests.map(({ method, headers }) => [method, headers['if-match']])).toEqual([
    ['GET', undefined],
    ['PATCH', etag],
    ['DELETE', etag],
    ['DELETE', etag],
    ['DELETE', undefined],
  ]);
});

test('fails with "changed" after a 412, without a retry', async () => {
  const { url, requests } = await startTestService((_, response) =>
    sendJson(response, 412, { error: 'No.' }),
  );
  const failure = await createTestClient(url)
    .client.record(contacts.delete, { contact_id: 'a' }, { ifMatch: '"v1"' })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'changed',
    exit: 5,
    message: 'No.',
    detail: {
      status: 412,
      hint: 'Someone else has changed the record. Run the command again to read the new version.',
    },
  });
  expect(requests).toHaveLength(1);
});
