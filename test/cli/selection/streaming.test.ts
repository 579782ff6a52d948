import { expect, test } from 'vitest';
import { createPage, sendJson, startTestService } from '../../client/loopback.ts';
import { createDemoMachine, createMachine } from '../../support/kith.ts';

/** The contacts in each list. */
const members: Readonly<Record<string, readonly string[]>> = { l1: ['c3', 'c120'], l2: ['c1', 'c250'] };

const createEntries = (list: string) =>
  members[list]?.map((entryable_id) => ({
    id: `e-${entryable_id}`,
    entryable_type: 'Contact',
    entryable_id,
  }));

/** Starts a service with many contacts of two organizations, which sends their text as it is. */
async function startContactService(count: number) {
  const createContact = (index: number) =>
    `{"id":"c${index}","first_name":"Person ${count - index}","emails":[],"organization_id":"o${index % 50 === 0 ? 1 : 2}","n":1.10}`;
  const { requests, env } = await startTestService(({ url }, response) => {
    const { pathname } = new URL(url, 'http://x');
    const [, list = '', rest] = /^\/v1\/lists\/(\w+)(\/entries)?$/.exec(pathname) ?? [];
    if (rest) return sendJson(response, 200, { data: createEntries(list) });
    if (list) return sendJson(response, 200, { id: list, entry_type: 'Contact' });
    if (pathname !== '/v1/contacts') return sendJson(response, 200, { id: 'o1', name: 'Acme', domains: [] });
    const { data, pagination } = createPage({ length: count, at: createContact }, url);
    response.setHeader('content-type', 'application/json');
    response.end(`{"data":[${data.join()}],"pagination":${JSON.stringify(pagination)}}`);
  });
  const kith = createMachine();
  const countPages = () => requests.filter((request) => request.url.startsWith('/v1/contacts')).length;
  return { run: (line: string) => kith(line, { env }), countPages };
}

const mayHaveMore = 'kith: The list may have more matches. Use --all or a larger --limit to see them.\n';

test('--limit counts matches and stops reading', async () => {
  const { run, countPages } = await startContactService(20_000);
  const { code, out, err } = await run('contacts list --organization o1 --limit 3 --jq map(.id)');
  expect({ code, ids: JSON.parse(out), err }).toEqual({
    code: 0,
    ids: ['c0', 'c50', 'c100'],
    err: mayHaveMore,
  });
  // The service has sent the total, so up to four further pages were already requested.
  expect(countPages()).toBeLessThanOrEqual(6);
});

test('the note says nothing about remaining records after the last page', async () => {
  const { run } = await startContactService(101);
  expect((await run('contacts list --organization o1 --limit 4 --format ndjson')).err).toBe('');
  expect((await run('contacts list --organization o1 --limit 3 --format ndjson')).err).toBe('');
  expect((await run('contacts list --organization o1 --limit 2 --format ndjson')).err).toBe(mayHaveMore);
});

test('the note says that matches of the last page are omitted', async () => {
  const { run } = await startContactService(100);
  expect((await run('contacts list --organization o1 --limit 2 --format ndjson')).err).toBe('');
  expect((await run('contacts list --organization o1 --limit 1 --format ndjson')).err).toBe(mayHaveMore);
});

test('--sort reads the whole list, and knows the number of matches', async () => {
  const { run, countPages } = await startContactService(1000);
  const { out, err } = await run('contacts list --organization o1 --sort name --limit 2 --jq map(.id)');
  expect(JSON.parse(out)).toEqual(['c950', 'c900']);
  expect(err).toBe('kith: 18 more records. Use --all or a larger --limit to see them.\n');
  expect(countPages()).toBe(11);
});

test('--json prints the matching records as they were received', async () => {
  const { run } = await startContactService(3);
  const { out } = await run('contacts list --where "first_name = \'Person 3\'" --format ndjson');
  expect(out).toBe('{"id":"c0","first_name":"Person 3","emails":[],"organization_id":"o1","n":1.10}\n');
});

test('a list without filters sends no additional requests', async () => {
  const { run, countPages } = await startContactService(1000);
  await run('contacts list --limit 3 --tz UTC');
  expect(countPages()).toBe(1);
});

test('--list stops reading after the last member', async () => {
  const { run, countPages } = await startContactService(20_000);
  const { out, err } = await run('contacts list --list l1 --all --jq map(.id)');
  expect({ ids: JSON.parse(out), err }).toEqual({ ids: ['c3', 'c120'], err: '' });
  expect(countPages()).toBeLessThanOrEqual(6);
  expect(
    JSON.parse((await run('contacts list --where "not list = l1" --limit 2 --jq map(.id)')).out),
  ).toEqual(['c0', 'c1']);
  expect((await run('contacts list --where "list != l1" --limit 300 --jq length')).out).toBe('300\n');
});

test('several lists are read until the last member of all of them', async () => {
  const { run, countPages } = await startContactService(20_000);
  const { out } = await run('contacts list --where "list in (l1, l2)" --all --jq map(.id)');
  expect(JSON.parse(out)).toEqual(['c1', 'c3', 'c120', 'c250']);
  expect(countPages()).toBeLessThanOrEqual(7);
});

test('the custom fields are read once for several names in an expression', async () => {
  const kith = createDemoMachine();
  const where = 'Role ~ chair and Language = Korean and "Met by" = mina@tidewater.example';
  const { err } = await kith(['contacts', 'list', '--where', where, '--sort', 'Birthday', '--debug']);
  expect(err.match(/GET \S*\/v1\/custom_fields/g)).toHaveLength(1);
});
