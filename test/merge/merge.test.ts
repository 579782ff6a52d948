import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type JsonRecord, stripGenerated } from '../cli/import/import-machine.ts';
import { createMergeService } from './merge-service.ts';

type Page = { readonly data: readonly JsonRecord[] };

test('moves addresses, numbers, values and entries, and every reference', async () => {
  const service = await createMergeService();
  const { kith, sendOk, keep, other, organization, colleague, lists } = service;
  const { code, out, err } = await kith(`contacts merge ${keep} ${other} --yes --json`);
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

test('copies everything before it removes anything, and moves addresses last', async () => {
  const { kith, keep, other, takeWrites } = await createMergeService();
  await kith(`contacts merge ${keep} ${other} --yes -q`);
  const writes = takeWrites().map((line) => line.split(' ', 2).join(' '));
  const verbs = writes.slice(0, -3).map((line) => line.replace(/ .*/, ''));
  expect(verbs.lastIndexOf('POST')).toBeLessThan(verbs.indexOf('DELETE'));
  expect(verbs.lastIndexOf('PATCH')).toBeLessThan(verbs.indexOf('DELETE'));
  expect(writes.slice(-3)).toEqual([
    `DELETE /v1/contacts/${other}/emails`,
    `PATCH /v1/contacts/${keep}`,
    `DELETE /v1/contacts/${other}`,
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
    '  FUN-2 in "Funnel": copied to a new entry with a new id, key and creation time',
    '  FUN-3 in "Funnel": copied to a new entry with a new id, key and creation time',
    '  FUN-4 in "Funnel": copied to a new entry with a new id, key and creation time',
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
  ['KEEP KEEP', 2, 'Both references name the contact KEEP.'],
  ['KEEP ada@acme.example', 2, 'Both references name the contact KEEP.'],
  ['KEEP nobody@x.example', 3, 'nobody@x.example'],
  ['zzzzzz OTHER', 3, 'zzzzzz'],
  ['KEEP OTHER --take Shoe', 2, '--take: unknown field "Shoe". Available fields: first_name,'],
])('refuses contacts merge %s', async (line, code, message) => {
  const { kith, keep, other, takeWrites } = await createMergeService();
  const fill = (text: string) => text.replaceAll('KEEP', keep).replaceAll('OTHER', other);
  const result = await kith(`contacts merge ${fill(line)} --yes`);
  expect(result).toMatchObject({ code, out: '', err: expect.stringContaining(fill(message)) });
  expect(takeWrites()).toEqual([]);
});

test('does not mix the parts of two names', async () => {
  const { kith, sendOk, keep, other } = await createMergeService();
  await sendOk(`PATCH /v1/contacts/${other}`, { first_name: 'Augusta' });
  const { out, err } = await kith(`contacts merge ${keep} ${other} --yes --json`);
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
