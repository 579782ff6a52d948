import { expect, test } from 'vitest';
import type { EnvelopeDocument, PaginationDocument } from '../../../src/contract/documents/schemas.ts';
import { createSchemaCheck } from '../../commands/describe/json-schema.ts';
import { startControlledService } from '../../import/controlled-service.ts';
import { createDemoMachine, createMachine, type MachineOptions, splitWords } from '../../support/kith.ts';

type Kith = ReturnType<typeof createMachine>;

type Envelope = EnvelopeDocument & { readonly data: { readonly id: string }[] };

const matchesSchema = createSchemaCheck('envelope');

async function readEnvelope(kith: Kith, line: string | string[], options?: MachineOptions) {
  const words = typeof line === 'string' ? splitWords(line) : line;
  const { out, ...rest } = await kith([...words, '--json-envelope'], options);
  expect(rest.code).toBe(0);
  const envelope: Envelope = JSON.parse(out);
  expect(matchesSchema(envelope)).toEqual([]);
  return { ...envelope, err: rest.err };
}

/** Reads a list page by page. `onPage` runs after each page. */
async function readPages(
  kith: Kith,
  line: string,
  options?: MachineOptions,
  onPage = async (_: number) => {},
) {
  const pages: (Envelope & { err: string })[] = [];
  for (let next: string | null = ''; next !== null; next = pages.at(-1)?.pagination?.next ?? null) {
    pages.push(await readEnvelope(kith, [...splitWords(line), ...(next ? ['--after', next] : [])], options));
    await onPage(pages.length);
    expect(pages.length).toBeLessThan(60);
  }
  return pages;
}

const readIds = (pages: readonly Envelope[]) => pages.flatMap(({ data }) => data.map(({ id }) => id));

test('a list that exceeds the default limit is truncated, with its total and a warning', async () => {
  const kith = createDemoMachine();
  const { data, pagination, warnings, err } = await readEnvelope(kith, 'contacts list');
  expect(data).toEqual(JSON.parse((await kith('contacts list --json')).out));
  expect(pagination).toEqual({ returned: 25, total: 150, truncated: true, next: expect.any(String) });
  expect(warnings).toEqual(['125 more records. Use --all or --limit N to see them.']);
  expect(err).toBe('');
});

test('a complete list is not truncated', async () => {
  const { data, pagination, warnings } = await readEnvelope(createDemoMachine(), 'contacts list --all');
  expect(data).toHaveLength(150);
  expect({ pagination, warnings }).toEqual({
    pagination: { returned: 150, total: 150, truncated: false, next: null },
    warnings: [],
  });
});

test.each([
  'contacts list --limit 40',
  'organizations list --limit 9',
  'notes list --limit 11',
  'custom-fields list --limit 4',
  'lists list --limit 1',
  'entries list "Sales pipeline" --limit 7',
  'events list --limit 10',
  'contacts list --limit 3 --where "Language = Korean"',
  'contacts list --limit 5 --page-size 7 --where "first_name ~ a"',
  'entries list "Sales pipeline" --limit 3 --status Won',
  'contacts list --limit 40 --sort -created_at',
  'entries list "Sales pipeline" --limit 4 --open --sort one-time',
  'events list --limit 3 --starts-after 2026-09-01',
  'events list --limit 1 --organization rl16pk',
  'actions list --limit 30',
  'actions list --limit 9 --where "text ~ the" --sort text',
  'contacts list --limit 60 --fields id,organization.name',
])('%s continues with --after to its end, without losing or repeating a record', async (line) => {
  const kith = createDemoMachine();
  const whole = JSON.parse((await kith(`${line.replace(/--limit \d+/, '--all')} --json`)).out);
  const pages = await readPages(kith, line);
  expect(pages.length).toBeGreaterThan(1);
  expect(pages.flatMap(({ data }) => data)).toEqual(whole);
  const { pagination } = pages.at(-1) ?? {};
  expect(pagination).toMatchObject({ truncated: false, next: null });
  for (const page of pages.slice(0, -1)) expect(page.pagination).toMatchObject({ truncated: true });
});

test('a search continues with --after to its end, without losing or repeating a match', async () => {
  const kith = createDemoMachine();
  const whole: { id: string }[] = JSON.parse((await kith('search room --all --json')).out);
  const pages = await readPages(kith, 'search room --limit 30');
  const read = readIds(pages);
  expect(pages.length).toBeGreaterThan(2);
  expect(read.toSorted()).toEqual(whole.map(({ id }) => id).toSorted());
  expect(pages.at(-1)?.pagination).toEqual({
    returned: pages.at(-1)?.data.length,
    total: whole.length,
    truncated: false,
    next: null,
  });
});

test('a continued list has the same total, and continues in other formats too', async () => {
  const kith = createDemoMachine();
  const { pagination } = await readEnvelope(kith, 'contacts list --limit 148');
  const next = `--after ${pagination?.next}`;
  expect((await readEnvelope(kith, `contacts list ${next}`)).pagination).toEqual({
    returned: 2,
    total: 150,
    truncated: false,
    next: null,
  });
  const all = await kith('contacts list --all --fields id --no-header');
  expect(await kith(`contacts list ${next} --fields id --no-header`)).toEqual({
    code: 0,
    out: all.out.split('\n').slice(148).join('\n'),
    err: '',
  });
});

test('a list continues with one request', async () => {
  const { env, sendOk, takeRequests } = await startControlledService();
  for (const name of ['A', 'B', 'C', 'D']) await sendOk('POST /v1/organizations', { name });
  const kith = createMachine();
  const { pagination } = await readEnvelope(kith, 'organizations list --limit 2', { env });
  takeRequests();
  const { data } = await readEnvelope(kith, `organizations list --limit 2 --after ${pagination?.next}`, {
    env,
  });
  expect(data).toMatchObject([{ name: 'C' }, { name: 'D' }]);
  expect(takeRequests()).toEqual(['GET /v1/organizations?first=3&after=1']);
});

test('records that are created and deleted between two pages move no other record over the cursor', async () => {
  const { env, sendOk } = await startControlledService();
  const ids: string[] = [];
  for (let count = 0; count < 40; count += 1)
    ids.push((await sendOk<{ id: string }>('POST /v1/organizations', { name: `O${count}` })).id);
  const pages = await readPages(createMachine(), 'organizations list --limit 9', { env }, async (count) => {
    await sendOk(`DELETE /v1/organizations/${ids[count * 2]}`);
    if (count < 3) await sendOk('POST /v1/organizations', { name: `New ${count}` });
  });
  const read = readIds(pages);
  expect(new Set(read).size).toBe(read.length);
  expect(read.filter((id) => ids.includes(id))).toEqual(ids);
  expect(read).toHaveLength(42);
});

test('warns if the last record before the cursor was deleted', async () => {
  const kith = createDemoMachine();
  const warning = 'The list has changed since the cursor was printed: records may be missing or repeated.';
  for (const line of ['notes list --limit 4', 'notes list --limit 4 --sort created_at']) {
    const { data, pagination } = await readEnvelope(kith, line);
    await kith(`notes delete ${data.at(-1)?.id} --yes`);
    const { warnings } = await readEnvelope(kith, `${line} --after ${pagination?.next}`);
    expect(warnings).toContain(warning);
  }
});

test('--jq filters the whole envelope, and --fields selects keys of its records', async () => {
  const kith = createDemoMachine();
  const line = "lists list --limit 1 --json-envelope --jq '.pagination.total, .data[0].name'";
  expect((await kith(line)).out).toBe('4\nNewsletter\n');
  const { data } = await readEnvelope(kith, 'lists list --limit 1 --fields name');
  expect(data).toEqual([{ name: 'Newsletter' }]);
});

test('keeps unknown fields, the order of fields and the digits of numbers', async () => {
  const { env, control } = await startControlledService();
  control.before = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      '{"data":[{"zzz":1.50,"id":"a","name":"x\\ny"}],"pagination":{"total_count":1,"has_next_page":false}}',
    );
    return true;
  };
  const { out } = await createMachine()('lists list --json-envelope --limit 5', { env });
  expect(out).toBe(
    '{\n  "data": [\n    {\n      "zzz": 1.50,\n      "id": "a",\n      "name": "x\\ny"\n    }\n  ],\n' +
      '  "pagination": {\n    "returned": 1,\n    "total": 1,\n    "truncated": false,\n    "next": null\n  },\n' +
      '  "warnings": []\n}\n',
  );
});

test('an empty list has an empty array', async () => {
  const kith = createDemoMachine();
  const { data, pagination } = await readEnvelope(kith, 'contacts list --where "first_name = nobody"');
  expect({ data, pagination }).toEqual({
    data: [],
    pagination: { returned: 0, total: 0, truncated: false, next: null },
  });
});

test.each([
  ['contacts get 0rlnky', { id: '0rlnky' }],
  ['recordings summary latest', { summary: expect.any(String) }],
  ['config get limit', { name: 'limit' }],
  ['contacts list --count', { count: 150 }],
  ['notes create --organization rl16pk --body Hello', { body: 'Hello' }],
  ['contacts update 0rlnky --first-name X --dry-run', { method: 'PATCH' }],
  ['today --user mina@tidewater.example', { date: expect.any(String) }],
])('%s has its value as data, and no pagination', async (line, data) => {
  const envelope = await readEnvelope(createDemoMachine(), line);
  expect(envelope).toMatchObject({ data, pagination: null });
});

test('has the warnings about the result, also with --quiet', async () => {
  const kith = createDemoMachine();
  const line = 'organizations create --name Acme --fields id,nothing --json-envelope -q';
  const { out, err } = await kith(line);
  const { data, warnings } = JSON.parse(out);
  expect({ data, warnings }).toEqual({
    data: { id: expect.any(String), nothing: null },
    warnings: [expect.stringMatching(/^Unknown field "nothing"\. Available fields: /)],
  });
  expect(err).toBe('');
});

test('KITH_JSON=envelope wraps every result, unless a flag sets another format', async () => {
  const kith = createDemoMachine();
  const env = { KITH_JSON: 'envelope' };
  const { out } = await kith('lists list --limit 1', { env });
  expect(JSON.parse(out).pagination).toMatchObject<Partial<PaginationDocument>>({ returned: 1, total: 4 });
  expect(JSON.parse((await kith('version', { env })).out).data.version).toBe('0.0.0');
  expect((await kith('lists list --limit 1 --fields id --format tsv -q', { env })).out).toBe('id\n4y3m1d\n');
  expect((await kith('completion bash', { env })).out).toMatch(/^# /);
  expect((await kith('mcp', { env, stdin: '' })).out).toBe('');
  expect(JSON.parse((await kith('contacts get nobody', { env })).err).error.code).toBe('not_found');
  expect((await kith('contacts get nobody --format tsv', { env })).err).toMatch(/^kith: /);
});

test.each([
  ['contacts list --json-envelope --format csv', '--json-envelope and --format csv cannot be used together.'],
  ['contacts list --after nonsense', '--after: "nonsense" is not a cursor.'],
  ['contacts get 0rlnky --after x', '--after is not supported by `kith contacts get`.'],
  ['contacts list --count --after x', '--after and --count cannot be used together.'],
])('%s exits with 2', async (line, message) => {
  const { code, out, err } = await createDemoMachine()(line);
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(message) });
});

test('an invalid KITH_JSON is an error that names it', async () => {
  const { code, err } = await createDemoMachine()('lists list', { env: { KITH_JSON: 'yes' } });
  expect({ code, err }).toEqual({ code: 2, err: 'kith: KITH_JSON: "yes" is not one of envelope.\n' });
});

test('a cursor continues only the list that it belongs to', async () => {
  const kith = createDemoMachine();
  const { pagination } = await readEnvelope(kith, 'contacts list --limit 2 --where "first_name ~ a"');
  for (const line of ['contacts list', 'notes list', 'contacts list --where "first_name ~ b"'])
    expect(await kith([...splitWords(line), '--after', pagination?.next ?? ''])).toMatchObject({
      code: 2,
      err: 'kith: --after: the cursor belongs to a command with other arguments or filters.\n',
    });
});

test('prints the records of a long list as pages arrive', async () => {
  const { env, sendOk, takeRequests } = await startControlledService();
  for (let count = 0; count < 6; count += 1) await sendOk('POST /v1/organizations', { name: `O${count}` });
  takeRequests();
  const requestCounts: number[] = [];
  let requests = 0;
  const onOut = () => {
    requests += takeRequests().length;
    requestCounts.push(requests);
  };
  await createMachine()('organizations list --all --page-size 1 --json-envelope', { env, onOut });
  expect(requestCounts[1]).toBeLessThan(6);
});
