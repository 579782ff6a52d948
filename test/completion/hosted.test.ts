import { expect, test } from 'vitest';
import { createRecords, startRecordService } from '../search/index/record-service.ts';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { createCompleter } from './machine.ts';

/** Creates a machine that uses a hosted service with an index of its records. */
async function createIndexedMachine() {
  const folder = createTemporaryFolder();
  const { env, requests } = await startRecordService();
  const kith = createMachine(folder);
  expect((await kith('index update', { env })).code).toBe(0);
  requests.length = 0;
  const complete = (source: string, word = '', more = {}) =>
    createCompleter(folder, { ...env, ...more })(source, { word });
  return { complete, requests, env };
}

test('completes contacts and organizations that an index update has read, without a request', async () => {
  const { complete, requests } = await createIndexedMachine();
  expect(complete('contacts', 'zo')).toEqual([
    'Zoë Müller\tzoe@kühl.example',
    'zoe@kühl.example\tZoë Müller',
  ]);
  expect(complete('contacts', '김')).toEqual(['김지우']);
  expect(complete('contacts')).toEqual(['Zoë Müller\tzoe@kühl.example', 'أَحْمَد حسن', '김지우']);
  expect(complete('organizations', 'han')).toEqual([`hanbit.example\t${'한빛물류'.normalize('NFD')}`]);
  expect(complete('organizations', 'コ')).toEqual(['コールドチェーン']);
  expect(complete('organizations', '%')).toEqual([]);
  expect(requests).toEqual([]);
});

test('offers no names with another key or without a key', async () => {
  const { complete, env } = await createIndexedMachine();
  expect(complete('contacts', 'zo', { KITH_API_KEY: 'another-key' })).toEqual([]);
  expect(createCompleter(createTemporaryFolder(), env)('contacts')).toEqual([]);
});

test('completes statuses and fields that the last commands read', async () => {
  const records = createRecords();
  const field = { name: 'Source', data_type: 'select', options: ['Fair', 'Web'] };
  records.lists[0] = { ...records.lists[0], statuses: [{ name: 'Lead' }, { name: 'Won' }], fields: [field] };
  const folder = createTemporaryFolder();
  const { env } = await startRecordService(records);
  const complete = createCompleter(folder, env);
  expect(complete('statuses', { list: 'Sales pipeline' })).toEqual([]);
  await createMachine(folder)('lists list', { env });
  expect(complete('statuses', { list: 'Sales pipeline' })).toEqual(['Lead', 'Won']);
  expect(complete('fields', { command: 'entries add', list: 'l1', word: 'Source=w' })).toEqual([
    'Source=Web',
  ]);
});

test('a list caches the names of its first records, and an index update all names', async () => {
  const records = createRecords();
  const [contact] = records.contacts;
  records.contacts = Array.from({ length: 2600 }, (_, n) => ({
    ...contact,
    id: `c${n}`,
    first_name: `No${n}.`,
  }));
  const folder = createTemporaryFolder();
  const { env } = await startRecordService(records);
  const kith = createMachine(folder);
  const complete = (word: string) => createCompleter(folder, env)('contacts', { word }).length;
  await kith('contacts list --all --page-size 500 --format ndjson', { env });
  // Three of the 2,000 records are the overlaps of the pages.
  expect([complete('No1996.'), complete('No1997.')]).toEqual([1, 0]);
  await kith('index update', { env });
  expect([complete('No1999.'), complete('No2000.'), complete('No2599.')]).toEqual([1, 1, 1]);
});
