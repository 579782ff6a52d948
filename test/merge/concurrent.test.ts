import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMachine } from '../support/kith.ts';
import { countRounds } from '../support/rounds.ts';
import { createMergeService } from './merge-service.ts';

type Record = { id: string; emails: string[]; phone_numbers: string[]; custom_fields: object };

/** Additions of another client to the contact that the merge deletes. */
const additions = {
  email: (id: string) => ['PATCH', `/v1/contacts/${id}`, { emails: ['new@home.example'] }],
  'phone number': (id: string) => [
    'PATCH',
    `/v1/contacts/${id}`,
    { phone_numbers: ['+14155550100', '+14155550101', '+14155550199'] },
  ],
  field: (id: string) => [
    'PATCH',
    `/v1/contacts/${id}`,
    { custom_fields: [{ name: 'Tags', value: ['Buyer', 'VIP', 'Press'] }] },
  ],
  entry: (id: string, list: string) => [
    'POST',
    `/v1/lists/${list}/entries`,
    { entryable_id: id, entryable_type: 'Contact', status: 'Lead', one_time_value_cents: 777 },
  ],
} as const;

const moments = {
  'before the first write': () => {
    let isFirst = true;
    return ({ method }: { method: string }) => {
      const isNow = method !== 'GET' && isFirst;
      if (method !== 'GET') isFirst = false;
      return isNow;
    };
  },
  'while lists are read':
    () =>
    ({ method, url }: { method: string; url: string }) =>
      method === 'GET' && /^\/v1\/lists\?/.test(url),
  'before the last reads':
    () =>
    ({ method, body }: { method: string; body: string }) =>
      method === 'PATCH' && body.includes('"emails"'),
} as const;

const cases = Object.keys(additions).flatMap((kind) =>
  Object.keys(moments).map((moment) => [kind, moment] as const),
);

test.each(cases)('keeps what another client adds (%s, %s)', async (kind, moment) => {
  const { kith, keep, other, lists, control, call, sendOk } = await createMergeService();
  const isNow = moments[moment as keyof typeof moments]();
  let added = false;
  control.before = async (request) => {
    if (added || !isNow(request)) return false;
    added = true;
    const [method, path, body] = additions[kind as keyof typeof additions](other, lists.process);
    expect((await call(`${method} ${path}`, body)).status).toBeLessThan(300);
    return false;
  };
  expect(await kith(`contacts merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0 });
  expect(added).toBe(true);
  const contact = await sendOk<Record>(`GET /v1/contacts/${keep}`);
  const entries = await sendOk<{ data: object[] }>(`GET /v1/lists/${lists.process}/entries`);
  const found = JSON.stringify({ contact, entries });
  const expected = {
    email: 'new@home.example',
    'phone number': '+14155550199',
    field: '"Press"',
    entry: '"one_time_value_cents":777',
  };
  expect(found).toContain(expected[kind as keyof typeof expected]);
});

test('asks again if the contacts have changed while the question waited', async () => {
  const { kith, keep, other, call, sendOk } = await createMergeService();
  const answer = async () => {
    await call(`PATCH /v1/contacts/${other}`, { emails: ['new@home.example'] });
    return true;
  };
  const { code, err } = await kith(`contacts merge ${keep} ${other}`, {
    terminal: 100,
    answers: [answer, true],
  });
  expect(code).toBe(0);
  expect(err).toContain('The contacts changed while kith waited for your answer.');
  expect(err).toContain('emails: ada@home.example, al@home.example, new@home.example');
  expect((await sendOk<Record>(`GET /v1/contacts/${keep}`)).emails).toContain('new@home.example');
});

test('deletes nothing if the contact to keep is deleted during the merge', async () => {
  const { kith, keep, other, control, call, sendOk } = await createMergeService();
  control.after = async ({ method, url }) => {
    const isMoving = method === 'DELETE' && url.endsWith('/emails');
    if (isMoving) await call(`DELETE /v1/contacts/${keep}`);
    return false;
  };
  const { code, err } = await kith(`contacts merge ${keep} ${other} --yes -q`);
  expect({ code, err }).toMatchObject({ code: 5, err: expect.stringContaining(`${other} was not deleted.`) });
  const { emails } = await sendOk<Record>(`GET /v1/contacts/${other}`);
  expect(emails).toEqual(expect.arrayContaining(['ada@home.example', 'al@home.example']));
});

test.each(['nobody', 'another contact'])(
  'creates the contact to keep again if another merge deletes it at the last moment, and %s has its address',
  async (holder) => {
    const { kith, keep, other, lists, control, call, sendOk } = await createMergeService();
    control.before = async ({ method, url }) => {
      if (method !== 'DELETE' || url !== `/v1/contacts/${other}`) return false;
      control.before = () => false;
      await call(`DELETE /v1/contacts/${keep}`);
      if (holder === 'another contact')
        await call('POST /v1/contacts', { first_name: 'Ada L.', emails: ['ada@acme.example'] });
      return false;
    };
    const { code, err } = await kith(`contacts merge ${keep} ${other} --yes`);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /was merged into another contact at the same time\. Contact \w+ has all values/,
      ),
    });
    const { data } = await sendOk<{ data: Record[] }>('GET /v1/contacts?first=100');
    const merged = data.filter(({ emails }) => emails.includes('ada@acme.example'));
    expect(merged).toMatchObject([
      { emails: expect.arrayContaining(addresses), phone_numbers: ['+14155550100', '+14155550101'] },
    ]);
    const id = merged[0]?.id;
    const entries = await sendOk<{ data: object[] }>(`GET /v1/lists/${lists.process}/entries`);
    expect(entries.data).toHaveLength(4);
    expect(entries.data).toEqual(entries.data.map(() => expect.objectContaining({ entryable_id: id })));
    const deals = await sendOk<{ data: object[] }>(`GET /v1/lists/${lists.deals}/entries`);
    expect(deals.data).toMatchObject([{ contact_id: id }]);
    expect(await kith('undo --yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Another merge deleted the contact to keep at the same time.'),
    });
  },
);

const addresses = ['ada@acme.example', 'ada@home.example', 'al@home.example'];

test('crossed merges on two machines lose no address, number or entry', { timeout: 300_000 }, async () => {
  for (const run of countRounds(2, 50)) {
    const { keep, other, env, control, sendOk } = await createMergeService();
    const seed = run * 37;
    let count = 0;
    control.after = async () => {
      count += 1;
      if (run % 2 === 0) await wait((seed + count * 29) % 81);
      return false;
    };
    const merge = (one: string, two: string) =>
      createMachine()(`contacts merge ${one} ${two} --yes -q`, { env });
    const results = await Promise.all([merge(keep, other), merge(other, keep)]);
    control.after = () => false;
    const { data } = await sendOk<{ data: Record[] }>('GET /v1/contacts?first=100');
    const found = data.flatMap(({ emails }) => emails).sort();
    expect({ run, found, results }).toEqual({ run, found: addresses, results });
    const numbers = new Set(data.flatMap(({ phone_numbers }) => phone_numbers));
    expect({ run, numbers: [...numbers].sort() }).toEqual({ run, numbers: ['+14155550100', '+14155550101'] });
  }
});

test('merges lose nothing while a writer keeps adding addresses and entries', {
  timeout: 300_000,
}, async () => {
  for (const run of countRounds(1, 50)) {
    const { keep, other, kith, lists, control, call, sendOk } = await createMergeService();
    const added: string[] = [];
    let requests = 0;
    control.before = async () => {
      requests += 1;
      // A writer that never pauses ends the merge, so this one does.
      if ((requests + run) % 13 !== 0 || added.length >= 4) return false;
      const value = 1000 + added.length;
      const isEntry = added.length % 2 === 1;
      const { status } = isEntry
        ? await call(`POST /v1/lists/${lists.process}/entries`, {
            entryable_id: other,
            entryable_type: 'Contact',
            status: 'Lead',
            one_time_value_cents: value,
          })
        : await call(`PATCH /v1/contacts/${other}`, { emails: [`e${value}@home.example`] });
      if (status < 300) added.push(isEntry ? `"one_time_value_cents":${value}` : `e${value}@home.example`);
      return false;
    };
    const { code } = await kith(`contacts merge ${keep} ${other} --yes -q`);
    control.before = () => false;
    const contacts = await sendOk(`GET /v1/contacts?first=100`);
    const entries = await sendOk(`GET /v1/lists/${lists.process}/entries?first=100`);
    const found = JSON.stringify([contacts, entries]);
    const lost = added.filter((text) => !found.includes(text));
    expect({ run, lost, isEnded: code === 0 || code === 5 }).toEqual({ run, lost: [], isEnded: true });
  }
});
