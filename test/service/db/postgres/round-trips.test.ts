import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { hashSecret } from '../../../../src/http/bearer-token.ts';
import { openWorkspace } from '../../../../src/service/db/open.ts';
import { createService } from '../../../../src/service/dispatch.ts';
import { createKey, findValidKey } from '../../../../src/service/http/keys.ts';
import { createTemporaryFolder } from '../../../support/kith.ts';
import { createTestDatabase, requirePostgres } from '../../../support/test-database.ts';

beforeEach(requirePostgres);

/** Forwards connections to the Unix socket of a server. Counts how often a client sends after the server has answered. */
async function startCounter(location: string) {
  const [, folder = '', port = ''] = /@([^:]+):(\d+)/.exec(location) ?? [];
  const path = join(createTemporaryFolder(), `.s.PGSQL.${port}`);
  let trips = 0;
  const server = createServer((client) => {
    const database = connect(join(decodeURIComponent(folder), `.s.PGSQL.${port}`));
    let hasAnswered = true;
    client.on('data', () => {
      if (hasAnswered) trips += 1;
      hasAnswered = false;
    });
    database.on('data', () => {
      hasAnswered = true;
    });
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(path, listening));
  onTestFinished(() => void server.close());
  const url = location.replace(folder, encodeURIComponent(path.replace(/\/[^/]*$/, '')));
  return {
    url,
    count: async (work: () => Promise<unknown>) => {
      trips = 0;
      await work();
      return trips;
    },
  };
}

const many = (format: (index: number) => string) => Array.from({ length: 100 }, (_, index) => format(index));

test('a create takes at most 5 round trips, with the check of the key and however many addresses', async () => {
  const { url, count } = await startCounter(await createTestDatabase(onTestFinished));
  const db = await openWorkspace(url);
  onTestFinished(() => db.close());
  const { key } = await createKey(db, { name: 'test', readOnly: false }, new Date());
  const service = createService({ db, now: () => new Date(), log: () => {} });
  const create = async (path: string, body: object) => {
    await findValidKey(db, hashSecret(key));
    const response = await service({ method: 'POST', path, query: [], body });
    if (response.status !== 201) throw new Error(JSON.stringify(response.body));
    return response.body as { id: string };
  };
  for (const name of ['Region', 'Tier']) await create('/v1/custom_fields', { model: 'contact', name });
  const { id: organization_id } = await create('/v1/organizations', { name: 'Acme' });
  const custom_fields = ['Region', 'Tier'].map((name) => ({ name, value: 'A' }));
  const contact = { first_name: 'Ada', last_name: 'Lovelace', organization_id, custom_fields };
  const creates: [string, (round: number) => object][] = [
    ['contacts', (round) => ({ ...contact, emails: [`a${round}@b.co`], phone_numbers: ['+12012003000'] })],
    ['contacts', (round) => ({ ...contact, emails: many((index) => `m${round}.${index}@b.co`) })],
    ['organizations', (round) => ({ domains: many((index) => `d${round}-${index}.example`) })],
    ['notes', () => ({ organization_id, body: 'Called.' })],
  ];
  const trips: number[] = [];
  for (const [path, buildBody] of creates) {
    await create(`/v1/${path}`, buildBody(0));
    trips.push(await count(() => create(`/v1/${path}`, buildBody(1))));
  }
  expect(trips).toEqual([5, 5, 5, 5]);
});
