import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson } from '../client/loopback.ts';
import { type JsonRecord, stripGenerated } from '../commands/import/import-machine.ts';
import {
  createMergeService,
  createOrganizationMergeService,
  mergedNouns,
  mergeServices,
} from './merge-service.ts';

type Page = { readonly data: readonly JsonRecord[] };

test('moves addresses, numbers, values and entries, and every reference', async () => {
  const service = await createMergeService();
  const { kith, sendOk, keep, other, organization, colleague, lists } = service;
  const { code, out, err } = await kith(`contacts merge ${keep} ${other} --yes --jq .`);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(`Merged Ada Lovelace (${other}) into`),
  });
  expect(stripGenerated(JSON.parse(out))).toEqual({
    first_name: 'Ada',
    last_name: 'Lovelace',
    emails: ['ada@acme.example', 'ada@home.example', 'al@home.example'],
    phone_numbers: ['+14155550100', '+14155550101'],
    organization_id: organization,
    custom_fields: { Role: 'Buyer', City: 'London', Tags: ['Buyer', 'VIP'] },
  });
  expect((await service.call(`GET /v1/contacts/${other}`)).status).toBe(404);
  const readFields = async (path: string) =>
    stripGenerated(await sendOk<JsonRecord>(`GET /v1/${path}`)).custom_fields;
  expect(await readFields(`contacts/${colleague}`)).toMatchObject({ Manager: keep });
  expect(await readFields(`organizations/${organization}`)).toEqual({ Friends: [colleague, keep] });
  const readEntries = async (list: string) => {
    const { data } = await sendOk<Page>(`GET /v1/lists/${list}/entries`);
    return data.map((entry) => stripGenerated(entry));
  };
  expect(await readEntries(lists.list)).toMatchObject([
    { entryable_id: keep, list_fields: { Edition: 'May' } },
  ]);
  const assignee = { email: 'a@x.example' };
  expect(await readEntries(lists.process)).toMatchObject([
    { entryable_id: keep, key: 'FUN-1', status: 'Lead' },
    { entryable_id: keep, key: 'FUN-5', status: 'Won', one_time_value_cents: 100, assignee },
    { entryable_id: keep, key: 'FUN-6', status: 'Won', one_time_value_cents: 200, assignee },
    { entryable_id: keep, key: 'FUN-7', status: 'Won', one_time_value_cents: 100, assignee },
  ]);
  expect(await readEntries(lists.sole)).toMatchObject([
    { entryable_id: keep, recurring_value_cents: 500, recurring_value_period: 'monthly' },
  ]);
  expect(await readEntries(lists.deals)).toMatchObject([
    { entryable_id: organization, contact_id: keep, list_fields: { Champion: keep } },
  ]);
});

test.each(mergedNouns)('a merge of %s copies before it removes, and moves addresses last', async (noun) => {
  const { kith, keep, other, takeWrites } = await mergeServices[noun]();
  await kith(`${noun} merge ${keep} ${other} --yes -q`);
  const writes = takeWrites().map((line) => line.split(' ', 2).join(' '));
  const verbs = writes.slice(0, -3).map((line) => line.replace(/ .*/, ''));
  expect(new Set(verbs)).toEqual(new Set(['PATCH', 'POST']));
  expect(writes.slice(-3)).toEqual([
    `DELETE /v1/${noun}/${other}/${noun === 'contacts' ? 'emails' : 'domains'}`,
    `PATCH /v1/${noun}/${keep}`,
    `DELETE /v1/${noun}/${other}`,
  ]);
});

test('shows the plan with conflicts and with what cannot be moved, and sends nothing', async () => {
  const { kith, keep, other, takeWrites, folder } = await createMergeService();
  const { code, out, err } = await kith(`contacts merge ${keep} ada@home.example --dry-run`);
  expect({ code, writes: takeWrites() }).toEqual({ code: 0, writes: [] });
  expect(() => statSync(join(folder, 'merges'))).toThrow();
  expect(out).toMatch(new RegExp(`^PATCH /v1/contacts/${keep}\n[^]*\nDELETE /v1/contacts/${other}\n$`));
  expect(err.replaceAll('kith: ', '').split('\n')).toEqual([
    `Ada (${keep}) gets from Ada Lovelace (${other}):`,
    '  emails: ada@home.example, al@home.example',
    '  last_name: Lovelace',
    expect.stringContaining('  organization_id: '),
    '  phone_numbers: +14155550101',
    '  City: London',
    '  Tags: VIP',
    expect.stringMatching(/^ {2}\w+ in "Newsletter": combined with \w+$/),
    '  FUN-2 in "Funnel": copied to a new entry with a new id, key, creation time and closing time',
    '  FUN-3 in "Funnel": copied to a new entry with a new id, key, creation time and closing time',
    '  FUN-4 in "Funnel": copied to a new entry with a new id, key, creation time and closing time',
    '  FUN-1 in "Sole": copied to a new entry with a new id, key and creation time',
    `3 references to Ada Lovelace (${other}) will point to Ada (${keep}).`,
    'Role: keeps Buyer, drops Press officer (--take Role uses the other value)',
    'Not moved: the id and the creation time of the deleted contact.',
    '',
  ]);
});

test('a contact that names the other one is updated once, and then names itself', async () => {
  const { kith, sendOk, keep, other, takeWrites } = await createMergeService();
  await sendOk(`PATCH /v1/contacts/${keep}`, { custom_fields: [{ name: 'Manager', value: other }] });
  takeWrites();
  const { out } = await kith(`contacts merge ${keep} ${other} --yes -q --json`);
  expect(stripGenerated(JSON.parse(out)).custom_fields).toMatchObject({ Manager: keep });
  const updates = takeWrites().filter((line) => line.startsWith(`PATCH /v1/contacts/${keep} `));
  expect(updates.map((line) => line.includes('Manager'))).toEqual([true, false]);
});

test('combined entries get a recurring value with its period', async () => {
  const { kith, sendOk, keep, other, lists } = await createMergeService();
  const path = `/v1/lists/${lists.sole}/entries`;
  const { data } = await sendOk<Page>(`GET ${path}`);
  await sendOk(`PATCH ${path}/${data[0]?.id}`, { recurring_value_period: 'annual' });
  const own = { entryable_id: keep, entryable_type: 'Contact', recurring_value_period: 'monthly' };
  await sendOk(`POST ${path}`, own);
  expect((await kith(`contacts merge ${keep} ${other} --yes -q`)).code).toBe(0);
  const combined = await sendOk<Page>(`GET ${path}`);
  expect(combined.data.map((entry) => stripGenerated(entry))).toMatchObject([
    { entryable_id: keep, recurring_value_cents: 500, recurring_value_period: 'annual' },
  ]);
});

test('--take chooses the value of the other contact', async () => {
  const { kith, keep, other } = await createMergeService();
  const { out, err } = await kith(`contacts merge ${keep} ${other} --take Role --yes --json`);
  expect(stripGenerated(JSON.parse(out)).custom_fields).toMatchObject({ Role: 'Press officer' });
  expect(err).not.toContain('drops');
});

test('asks before it merges, and merges nothing without an answer', async () => {
  const { kith, keep, other, takeWrites, env } = await createMergeService();
  const line = `contacts merge ${keep} ${other}`;
  expect(await kith(line)).toMatchObject({ code: 2, err: expect.stringContaining('Pass --yes') });
  const declined = await kith(line, { terminal: 100, answers: [false], env: { ...env, NO_COLOR: '1' } });
  const question = `Merge Ada Lovelace (${other}) into Ada (${keep}), and delete ${other}?`;
  expect(declined).toMatchObject({ code: 1, err: expect.stringContaining(question) });
  expect(takeWrites()).toEqual([]);
});

test.each([
  [
    'contacts',
    'KEEP KEEP',
    2,
    'Both references name the contact KEEP.\nhint: List pairs to merge: kith contacts duplicates',
  ],
  ['contacts', 'KEEP ada@acme.example', 2, 'Both references name the contact KEEP.'],
  ['contacts', 'KEEP nobody@x.example', 3, 'nobody@x.example'],
  ['contacts', 'zzzzzz OTHER', 3, 'zzzzzz'],
  ['contacts', 'KEEP OTHER --take Shoe', 2, '--take: unknown field "Shoe". Available fields: first_name,'],
  ['organizations', 'KEEP 한빛물류', 2, 'Both references name the organization KEEP.'],
  ['organizations', 'KEEP https://www.hanbit.example/about', 2, 'kith organizations duplicates'],
  ['organizations', 'KEEP nobody.example', 3, 'nobody.example'],
  ['organizations', 'KEEP OTHER --take Shoe', 2, 'Available fields: name, Industry, City, Tags.'],
] as const)('refuses %s merge %s', async (noun, line, code, message) => {
  const { kith, keep, other, takeWrites } = await mergeServices[noun]();
  const fill = (text: string) => text.replaceAll('KEEP', keep).replaceAll('OTHER', other);
  const result = await kith(`${noun} merge ${fill(line)} --yes`);
  expect(result).toMatchObject({ code, out: '', err: expect.stringContaining(fill(message)) });
  expect(takeWrites()).toEqual([]);
});

test('does not mix the parts of two names', async () => {
  const { kith, sendOk, keep, other } = await createMergeService();
  await sendOk(`PATCH /v1/contacts/${other}`, { first_name: 'Augusta' });
  const { out, err } = await kith(`contacts merge ${keep} ${other} --yes --jq .`);
  expect(JSON.parse(out)).toMatchObject({ first_name: 'Ada', last_name: null });
  expect(err).toContain('last_name: keeps no value, drops Lovelace (--take last_name uses the other value)');
});

test('the log has the contact that was deleted, and only its owner can read it', async () => {
  const { kith, folder, keep, other, readLogs } = await createMergeService();
  await kith(`contacts merge ${keep} ${other} --yes -q`);
  const [log = ''] = readLogs();
  const [header = '', ...lines] = log.trim().split('\n');
  expect(JSON.parse(header)).toMatchObject({
    command: 'contacts merge',
    merge: { keep, other: { id: other, emails: ['ada@home.example', 'al@home.example'] } },
  });
  expect(lines.at(-1)).toBe('{"finished":true}');
  expect(statSync(join(folder, 'changes')).mode & 0o077).toBe(0);
});

test('moves the domains, values, contacts, entries and notes of an organization', async () => {
  const service = await createOrganizationMergeService();
  const { kith, call, sendOk, keep, other, third, people, lists } = service;
  const { code, out } = await kith(`organizations merge 한빛물류 ${other} --take Industry --yes -q --json`);
  expect(code).toBe(0);
  expect(stripGenerated(JSON.parse(out))).toEqual({
    name: '한빛물류',
    domains: ['hanbit.example', 'hanbit-cold.example', 'hanbit.test'],
    custom_fields: { Industry: 'Transport', City: 'Seoul', Tags: ['Buyer', 'VIP'] },
  });
  expect((await call(`GET /v1/organizations/${other}`)).status).toBe(404);
  const list = async (path: string) =>
    (await sendOk<{ data: (JsonRecord & { id: string })[] }>(`GET /v1/${path}`)).data;
  const owners = (await list('contacts')).map(({ organization_id }) => organization_id);
  expect(owners).toEqual([keep, keep, keep, third]);
  const deals = await list(`lists/${lists.deals}/entries`);
  expect(deals).toMatchObject([
    { entryable_id: keep, key: 'DEAL-1', status: 'Lead', one_time_value_cents: 100 },
    { entryable_id: keep, key: 'DEAL-4', status: 'Won', one_time_value_cents: 300, contact_id: people[0] },
    { entryable_id: keep, key: 'DEAL-5', one_time_value_cents: 400, assignee: { email: 'a@x.example' } },
  ]);
  const [accounts, sole] = await Promise.all(
    [lists.list, lists.sole].map((id) => list(`lists/${id}/entries`)),
  );
  expect(accounts?.map((entry) => stripGenerated(entry))).toMatchObject([
    { entryable_id: keep, list_fields: { Tier: 'Gold' } },
  ]);
  expect(sole).toMatchObject([{ entryable_id: keep, recurring_value_cents: 500 }]);
  const deal_id = deals[1]?.id;
  expect(await list('notes')).toMatchObject([
    { organization_id: keep, body: '첫 통화', deal_id: null },
    { organization_id: third, body: 'Introduced them', deal_id },
    { organization_id: keep, body: '계약 검토', deal_id },
    { organization_id: keep, body: 'Asked for a discount', deal_id: null },
  ]);
});

test('shows the plan of a merge of organizations, and sends nothing', async () => {
  const { kith, keep, other, takeWrites } = await createOrganizationMergeService();
  const { code, out, err } = await kith(`organizations merge ${keep} hanbit.test --dry-run`);
  expect({ code, writes: takeWrites() }).toEqual({ code: 0, writes: [] });
  expect(out).toMatch(
    new RegExp(`^PATCH /v1/organizations/${keep}\n[^]*\nDELETE /v1/organizations/${other}\n$`),
  );
  expect(err.replaceAll('kith: ', '').split('\n')).toEqual([
    `한빛물류 (${keep}) gets from ㈜한빛 물류 (${other}):`,
    '  domains: hanbit-cold.example, hanbit.test',
    '  City: Seoul',
    '  Tags: VIP',
    '  2 contacts',
    expect.stringMatching(/^ {2}\w+ in "Accounts": combined with \w+$/),
    '  DEAL-2 in "Deals": copied to a new entry with a new id, key, creation time and closing time',
    '  DEAL-3 in "Deals": copied to a new entry with a new id, key and creation time',
    '  FUN-1 in "Sole": copied to a new entry with a new id, key and creation time',
    '  2 notes: copied to new notes with new ids and creation times',
    '1 other note will refer to the new entries.',
    'name: keeps 한빛물류, drops ㈜한빛 물류 (--take name uses the other value)',
    'Industry: keeps Logistics, drops Transport (--take Industry uses the other value)',
    'Not moved: the id and the creation time of the deleted organization.',
    '',
  ]);
});

test.each(['OTHER', 'hanbit.test', 'https://hanbit-cold.example/', '㈜한빛 물류'])(
  'a second merge of the organization %s says that it was merged, and writes nothing',
  async (text) => {
    const { kith, keep, other, takeWrites } = await createOrganizationMergeService();
    expect((await kith(`organizations merge ${keep} ${other} --yes -q`)).code).toBe(0);
    takeWrites();
    const reference = text.replace('OTHER', other);
    expect(await kith(`organizations merge ${keep} "${reference}" --yes --jq .name`)).toEqual({
      code: 0,
      out: '한빛물류\n',
      err: `kith: ${reference} was already merged into ${keep}.\n`,
    });
    expect(takeWrites()).toEqual([]);
  },
);

test('merges an organization that has the same name as an organization merged earlier', async () => {
  const { kith, call, keep, other } = await createOrganizationMergeService();
  expect((await kith(`organizations merge ${keep} ${other} --yes -q`)).code).toBe(0);
  await call('POST /v1/organizations', { name: '㈜한빛 물류', domains: ['hanbit.dev'] });
  const { code, out } = await kith(`organizations merge ${keep} "㈜한빛 물류" --yes -q --jq .domains[]`);
  expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('hanbit.dev') });
});

test('updates a note whose deal is a key with the key of the new entry', async () => {
  const { kith, call, sendOk, keep, other, third } = await createOrganizationMergeService();
  const write = (organization_id: string, body: string) =>
    call('POST /v1/notes', { organization_id, body, deal_id: 'DEAL-3' });
  await Promise.all([write(other, 'of OTHER'), write(keep, 'of KEEP'), write(third, 'of another')]);
  expect((await kith(`organizations merge ${keep} ${other} --yes -q`)).code).toBe(0);
  const { data } = await sendOk<Page>('GET /v1/notes');
  const findDeal = (body: string) => data.find((note) => note.body === body)?.deal_id;
  expect(['of OTHER', 'of KEEP', 'of another'].map(findDeal)).toEqual(['DEAL-5', 'DEAL-5', 'DEAL-3']);
});

test.each(['notes', 'entries'])('names the values of %s that the interface cannot write', async (noun) => {
  const { kith, keep, other, control, call } = await createOrganizationMergeService();
  control.before = async ({ method, url }, response) => {
    if (method !== 'GET' || !new RegExp(`/${noun}\\?`).test(url)) return false;
    const { body } = await call(`GET ${url}`);
    const { data, pagination } = body as { data: object[]; pagination: object };
    sendJson(response, 200, { data: data.map((item) => ({ ...item, author: 'a@x.example' })), pagination });
    return true;
  };
  const { err } = await kith(`organizations merge ${keep} ${other} --dry-run`);
  expect(err).toContain(`Not moved: author of the ${noun}, which the API cannot write.`);
});

test('--take chooses a name that differs only in case, and the plan names both', async () => {
  const { kith, sendOk, keep, other } = await createOrganizationMergeService();
  await sendOk(`PATCH /v1/organizations/${keep}`, { name: 'acme' });
  await sendOk(`PATCH /v1/organizations/${other}`, { name: 'ACME' });
  const line = `organizations merge ${keep} ${other}`;
  expect((await kith(`${line} --dry-run`)).err).toContain('name: keeps acme, drops ACME (--take name');
  const { out, err } = await kith(`${line} --take name --yes --jq .name`);
  expect({ out, err }).toEqual({ out: 'ACME\n', err: expect.stringContaining('name: ACME instead of acme') });
});

test('the plan names the values of several that --take drops', async () => {
  const { kith, sendOk, keep, other } = await createOrganizationMergeService();
  await sendOk(`PATCH /v1/organizations/${keep}`, {
    custom_fields: [{ name: 'Tags', value: ['Press', 'Buyer'] }],
  });
  const { err } = await kith(`organizations merge ${keep} ${other} --take Tags --dry-run`);
  expect(err).toContain('Tags: Buyer, VIP instead of Press, Buyer\n');
});

test('moves 300 contacts from several pages', { timeout: 60_000 }, async () => {
  const { kith, keep, other, sendOk, takeRequests } = await createOrganizationMergeService();
  for (let count = 0; count < 600; count += 1) {
    const organization = count % 2 === 0 && { organization_id: other };
    await sendOk('POST /v1/contacts', { first_name: `민준 ${count}`, ...organization });
  }
  const { err } = await kith(`organizations merge ${keep} ${other} --dry-run`);
  expect(err).toContain('kith:   302 contacts\n');
  takeRequests();
  expect(await kith(`organizations merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0, err: '' });
  const pages = takeRequests().filter((line) => line.startsWith('GET /v1/contacts?'));
  expect(pages).toHaveLength(4);
  const ids = { [keep]: 0, [other]: 0 };
  for (const after of [0, 500]) {
    const { data } = await sendOk<Page>(`GET /v1/contacts?first=500&after=${after}`);
    for (const { organization_id } of data)
      if (String(organization_id) in ids)
        ids[String(organization_id)] = (ids[String(organization_id)] ?? 0) + 1;
  }
  expect(ids).toEqual({ [keep]: 303, [other]: 0 });
});
