import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sendJson, startTestService } from '../../client/loopback.ts';
import { createRecords, startRecordService } from '../../search/index/record-service.ts';
import { createMachine } from '../../support/kith.ts';

interface LargeService {
  /** The offset of a page that is refused. */
  readonly fail?: number;
  /**
   * The offset of a page without a response. The pages before it are sent after its request has arrived, and a contact is
   * refused until that request has ended.
   */
  readonly hang?: number;
  readonly total?: number;
}

/** Starts a service that has many contacts. */
async function startLargeService({ fail = -1, hang = -1, total }: LargeService = {}) {
  const hanging: Promise<unknown>[] = [];
  const hasEnded = () => Promise.race([Promise.all(hanging).then(() => true), wait(2000, false)]);
  const hasArrived = async () => {
    while (hanging.length === 0) await wait(5);
  };
  const { url, requests } = await startTestService((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    const [, id] = /^\/v1\/contacts\/(\w+)$/.exec(pathname) ?? [];
    if (id) return void hasEnded().then((isFree) => sendJson(response, isFree ? 200 : 400, { id }));
    const [first, after] = [Number(searchParams.get('first')), Number(searchParams.get('after'))];
    if (after === hang) return void hanging.push(once(response, 'close'));
    if (after === fail) return sendJson(response, 403, { message: 'Not for you.' });
    const data = Array.from({ length: first }, (_, index) => ({
      id: `c${after + index + 1}`,
      first_name: `Person ${after + index + 1}`,
    }));
    const send = () =>
      sendJson(response, 200, { data, ...(total && { pagination: { total_count: total } }) });
    if (after > 0 && after < hang) void hasArrived().then(send);
    else send();
  });
  const options = { terminal: 100, env: { NO_COLOR: '1', KITH_BASE_URL: url, KITH_API_KEY: 'k' } };
  return { kith: createMachine(), options, requests };
}

test('reads no more pages after the choice', async () => {
  const { kith, options, requests } = await startLargeService({ total: 100_000 });
  const result = await kith('contacts get --jq .id', { ...options, answers: ['person 150'] });
  expect(result).toMatchObject({ code: 0, out: 'c150\n' });
  expect(requests.length).toBeLessThan(9);
});

test('ends the requests for more items with the choice', async () => {
  const { kith, options } = await startLargeService({ total: 1000, hang: 297 });
  expect(await kith('contacts get --jq .id', { ...options, answers: ['person 150'] })).toMatchObject({
    code: 0,
    out: 'c150\n',
  });
});

test.each([
  [100_000, 'the first 1,000 of 100,000'],
  [undefined, 'the first 1,000'],
])('reads at most 1,000 records and says so (total %j)', async (total, count) => {
  const { kith, options, requests } = await startLargeService(total ? { total } : {});
  const { code, err } = await kith('contacts get', options);
  const [question, wrapped, ...rest] = err.split('\n');
  expect(`${question}\n${wrapped}`.replace('\n   ', ' ')).toBe(
    `Which contact? (${count}; to use another, pass its id, email address, phone number or name)`,
  );
  expect({ code, lines: rest.length, requests: requests.length }).toEqual({
    code: 130,
    lines: 1092, // with the rest of the last page, which is in the name cache
    requests: 11,
  });
});

test.each([
  ['the first page', 0, false],
  ['a later page', 99, true],
])('fails with the error of the service if %s is refused', async (_, fail, isAsked) => {
  const { kith, options } = await startLargeService({ fail, total: 300 });
  const { code, err } = await kith('contacts get', options);
  expect({ code, end: err.split('\n').at(-2) }).toEqual({
    code: 4,
    end: expect.stringContaining('Not for you.'),
  });
  if (!isAsked) expect(err).not.toContain('Which');
});

test('a read finds the records beyond the first 1,000 in a fresh search index', async () => {
  const records = createRecords();
  const first = Array.from({ length: 1000 }, (_, index) => ({
    id: `p${index}`,
    first_name: `Person ${index}`,
  }));
  const { env, requests } = await startRecordService({
    ...records,
    contacts: [...first, ...records.contacts],
  });
  const kith = createMachine();
  await kith('index update', { env });
  const ask = (line: string, text: string) =>
    kith(line, { terminal: 100, env: { ...env, NO_COLOR: '1' }, answers: [text] });
  requests.length = 0;
  expect(await ask('contacts get --jq .id', 'muller kühl')).toMatchObject({ code: 0, out: 'c1\n' });
  const pages = requests.filter(({ url }) => url.startsWith('/v1/contacts?'));
  expect(pages).toHaveLength(11);
  const { code, err } = await ask('contacts delete --yes', 'muller kühl');
  expect({ code, question: err.split('\n')[0] }).toEqual({
    code: 130,
    question: expect.stringMatching(/^Which contact\? \(the first 1,000/),
  });
});
