import { expect, test } from 'vitest';
import { createMachine } from '../../support/kith.ts';
import { createRecords, startRecordService } from './record-service.ts';

/** Returns a machine that uses a service, which refuses the paths that a test adds, with a status. */
async function createRefusedMachine() {
  const refused = new Map<string, number>();
  const { records, env } = await startRecordService(createRecords(), (url) => {
    const path = Array.from(refused.keys()).find((one) => url.startsWith(one));
    return path === undefined ? undefined : refused.get(path);
  });
  const kith = createMachine();
  return { records, refused, kith: (line: string) => kith(`${line} --retries 0`, { env }) };
}

test.each([403, 404])(
  'skips a kind that the service refuses to list with %i, and forgets it',
  async (status) => {
    const { refused, kith } = await createRefusedMachine();
    await kith('index update');
    refused.set('/v1/notes', status);
    expect(await kith('index update')).toEqual({
      code: 0,
      out: 'Indexed 7 records (1 change).\n',
      err: 'kith: The service does not list notes; they are not indexed.\n',
    });
    expect((await kith('search barometer --in notes')).code).toBe(3);
  },
);

test('fails, and forgets nothing, if the service refuses to continue a list', async () => {
  const { records, refused, kith } = await createRefusedMachine();
  const people = Array.from({ length: 600 }, (_, index) => ({ id: `p${index}`, first_name: 'Ada' }));
  records.contacts.push(...people);
  await kith('index update');
  refused.set('/v1/contacts?first=500&after=499', 403);
  expect((await kith('index update')).code).toBe(4);
  expect((await kith('index status --jq .contacts')).out).toBe('603\n');
});

test('indexes meetings again that it forgot', async () => {
  const { refused, kith } = await createRefusedMachine();
  await kith('index update');
  refused.set('/v1/calendar_events', 403);
  await kith('index update');
  refused.clear();
  expect((await kith('index update')).out).toBe('Indexed 8 records (1 change).\n');
});

test.each([403, 404])('skips a list whose entries the service refuses with %i', async (status) => {
  const { records, refused, kith } = await createRefusedMachine();
  records.lists.push({ id: 'l2', name: 'Board' });
  refused.set('/v1/lists/l2/', status);
  const { code, out, err } = await kith('index update');
  expect({ code, out, err }).toEqual({
    code: 0,
    out: 'Indexed 8 records (8 changes).\n',
    err: 'kith: Not indexed: the entries of 1 list that could not be read.\n',
  });
});

test.each([403, 404, 500])(
  'indexes a meeting without a recording that the service refuses with %i',
  async (status) => {
    const { refused, kith } = await createRefusedMachine();
    refused.set('/v1/recordings/r1', status);
    const { code, err } = await kith('search freezer');
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringContaining('kith: Not indexed: 1 recording that could not be read.\n'),
    });
  },
);

test('fails if the service refuses everything', async () => {
  const { refused, kith } = await createRefusedMachine();
  refused.set('/v1/', 403);
  expect((await kith('search zoe')).code).toBe(4);
});

test('an update continues a full one that was interrupted', async () => {
  const { records, refused, kith } = await createRefusedMachine();
  await kith('index update');
  const recording = records.recordings.get('r1');
  records.recordings.set('r1', { ...recording, summary: { summary: 'The thermostat stuck.' } });
  refused.set('/v1/recordings/', 503);
  expect((await kith('index update --full')).code).toBe(75);
  refused.clear();
  await kith('index update');
  expect((await kith('search thermostat')).code).toBe(0);
});
