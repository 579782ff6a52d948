import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { parseCommandLine } from '../../../src/cli/parse.ts';
import { createNames } from '../../../src/cli/references/name-loader.ts';
import { createRun } from '../../../src/cli/run-resources.ts';
import { createSession } from '../../../src/cli/session.ts';
import type { NameKind } from '../../../src/render/collect-references.ts';
import { findResponse, sendJson, startTestService } from '../../client/loopback.ts';
import { createContext, createTemporaryFolder } from '../../support/kith.ts';

/** Creates organizations `o0`, `o1`, ... with the names `Org 0`, `Org 1`, ... */
const createOrganizations = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `o${index}`, name: `Org ${index}`, domains: [] }));

interface ServiceOptions {
  /** Handles a request; returns false for the usual response. */
  readonly intercept?: (path: string, response: ServerResponse) => boolean;
  readonly hasTotal?: boolean;
  readonly timeout?: number;
}

/** Starts a service of records, by the path of their list, and creates the names of a run on it. */
async function startNameService(
  records: Readonly<Record<string, readonly { readonly id: string; readonly emails?: string[] }[]>>,
  { intercept = () => false, hasTotal = true, timeout = 10_000 }: ServiceOptions = {},
) {
  let running = 0;
  let mostRunning = 0;
  const { requests, env } = await startTestService((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://service');
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    response.on('close', () => {
      running -= 1;
    });
    if (intercept(pathname, response)) return;
    setTimeout(() => {
      const email = searchParams.get('email');
      const found = records['/v1/contacts']?.filter(({ emails }) => emails?.includes(email ?? ''));
      if (email) return sendJson(response, 200, { data: found });
      const [status, body] = findResponse(request.url, records);
      if (!hasTotal) delete Object(body).pagination?.total_count;
      sendJson(response, status, body);
    }, 5);
  });
  const output = { out: '', err: '' };
  const context = createContext(createTemporaryFolder(), { env }, output);
  const run = createRun(context);
  const parsed = await parseCommandLine(['contacts', 'list'], run);
  if (!parsed) throw new Error('The command line only prints help.');
  const session = createSession(run, parsed);
  const names = createNames(session, { timeout });
  return {
    names,
    output,
    requests,
    load: (kind: NameKind, ids: readonly string[]) => names.load(ids.map((id) => ({ kind, id }))),
    listPaths: () => requests.map((request) => request.url),
    getMostRunning: () => mostRunning,
  };
}

const range = (count: number, step = 1) => Array.from({ length: count }, (_, index) => `o${index * step}`);

test('names contacts, organizations, lists and email addresses in one batch', async () => {
  const { names, requests } = await startNameService({
    '/v1/contacts': [
      { id: 'c1', first_name: '서연', last_name: '김', emails: ['seoyeon@x.example'] },
      { id: 'c2', first_name: null, last_name: null, emails: ['info@x.example'] },
    ] as never,
    '/v1/organizations': [{ id: 'o1', name: null, domains: ['x.example'] }] as never,
    '/v1/lists': [{ id: 'l1', name: 'شركة النور' }] as never,
  });
  await names.load([
    { kind: 'contact', id: 'c1' },
    { kind: 'contact', id: 'c2' },
    { kind: 'contact', id: 'c1' },
    { kind: 'organization', id: 'o1' },
    { kind: 'list', id: 'l1' },
    { kind: 'email', id: 'Seoyeon@x.example' },
    { kind: 'email', id: 'nobody@x.example' },
  ]);
  expect([
    names.get('contact', 'c1'),
    names.get('contact', 'c2'),
    names.get('organization', 'o1'),
    names.get('list', 'l1'),
    names.get('email', 'SEOYEON@x.example'),
    names.get('email', 'nobody@x.example'),
    names.get('contact', 'c9'),
  ]).toEqual(['김서연', 'info@x.example', 'x.example', 'شركة النور', '김서연', 'nobody@x.example', 'c9']);
  expect(requests.length).toBe(6);
});

test('requests each name once in a run, even a missing one', async () => {
  const { load, names, listPaths } = await startNameService({ '/v1/organizations': createOrganizations(2) });
  await load('organization', ['o1', 'gone', 'o1']);
  await load('organization', ['o1', 'gone', 'o0', '']);
  expect(listPaths().toSorted()).toEqual([
    '/v1/organizations/gone',
    '/v1/organizations/o0',
    '/v1/organizations/o1',
  ]);
  expect(['o0', 'gone', ''].map((id) => names.get('organization', id))).toEqual(['Org 0', 'gone', '']);
});

test('reads the list instead of requesting 300 organizations one by one', async () => {
  const { load, names, listPaths } = await startNameService({
    '/v1/organizations': createOrganizations(300),
  });
  await load('organization', [...range(300), 'gone']);
  expect(names.get('organization', 'o299')).toBe('Org 299');
  expect(listPaths().map((path) => path.replace(/^.*\?/, ''))).toEqual([
    'first=100&after=0',
    'first=100&after=99',
    'first=100&after=198',
    'first=100&after=297',
  ]);
});

test.each([true, false])(
  'looks up 25 of 20,000 organizations, 8 at a time; the list states its total: %s',
  async (hasTotal) => {
    const { load, names, requests, getMostRunning } = await startNameService(
      { '/v1/organizations': createOrganizations(20_000) },
      { hasTotal },
    );
    await load('organization', range(25, 700));
    expect(range(25, 700).map((id) => names.get('organization', id))).toEqual(
      Array.from({ length: 25 }, (_, index) => `Org ${index * 700}`),
    );
    expect(requests.length).toBeLessThanOrEqual(hasTotal ? 25 : 28);
    expect(getMostRunning()).toBeLessThanOrEqual(8);
    expect(getMostRunning()).toBeGreaterThan(2);
  },
);

test('reads the list if that takes fewer requests than the lookups, including earlier ones', async () => {
  const { load, listPaths } = await startNameService({ '/v1/organizations': createOrganizations(4000) });
  for (let page = 0; page < 20; page += 1)
    await load(
      'organization',
      Array.from({ length: 10 }, (_, index) => `o${page * 200 + index * 10 + 1}`),
    );
  const lookups = listPaths().filter((path) => !path.includes('?')).length;
  expect([lookups <= 40, listPaths().length - lookups <= 41]).toEqual([true, true]);
});

test.each([
  ['not found', 404],
  ['unavailable', 503],
])('shows ids if a name is %s, with few requests and no error', async (_, status) => {
  const { load, names, output, requests } = await startNameService(
    {},
    {
      intercept: (_, response) => {
        sendJson(response, status, {}, { 'retry-after': '60' });
        return true;
      },
    },
  );
  await load('organization', range(20));
  await load('organization', range(20));
  expect(range(2).map((id) => names.get('organization', id))).toEqual(['o0', 'o1']);
  expect(output).toEqual({ out: '', err: '' });
  expect(requests.length).toBeLessThanOrEqual(status === 404 ? 21 : 9);
});

test('does not wait for a service that never responds', async () => {
  const { load, names, requests } = await startNameService({}, { intercept: () => true, timeout: 300 });
  await load('organization', range(20));
  await load('organization', ['other']);
  expect([names.get('organization', 'o1'), requests.length]).toEqual(['o1', 1]);
});

test('looks up names if their list cannot be read', async () => {
  const { load, names } = await startNameService(
    { '/v1/organizations': createOrganizations(9) },
    {
      intercept: (path, response) => {
        if (path !== '/v1/organizations') return false;
        sendJson(response, 200, { error: 'no list' });
        return true;
      },
    },
  );
  await load('organization', range(9));
  expect(names.get('organization', 'o8')).toBe('Org 8');
});
