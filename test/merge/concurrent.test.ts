import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readState } from '../import/state.ts';
import { createMachine } from '../support/kith.ts';
import { countRounds } from '../support/rounds.ts';
import {
  createMergeService,
  createOrganizationMergeService,
  mergedAddresses,
  mergedNouns,
  mergeServices,
} from './merge-service.ts';

type MergedContact = { id: string; emails: string[]; phone_numbers: string[]; custom_fields: object };

type Addition = (id: string, list: string) => readonly [method: string, path: string, body: object];
type Noun = (typeof mergedNouns)[number];

const addEntry =
  (entryable_type: string): Addition =>
  (entryable_id, list) => [
    'POST',
    `/v1/lists/${list}/entries`,
    { entryable_id, entryable_type, status: 'Lead', one_time_value_cents: 777 },
  ];
const addTag =
  (noun: Noun): Addition =>
  (id) => [
    'PATCH',
    `/v1/${noun}/${id}`,
    { custom_fields: [{ name: 'Tags', value: ['Buyer', 'VIP', 'Press'] }] },
  ];

/** Additions of another client to the record that the merge deletes, with a part of the record that has them. */
const additions: Readonly<Record<Noun, Readonly<Record<string, readonly [Addition, string]>>>> = {
  contacts: {
    email: [(id) => ['PATCH', `/v1/contacts/${id}`, { emails: ['new@home.example'] }], 'new@home.example'],
    'phone number': [
      (id) => [
        'PATCH',
        `/v1/contacts/${id}`,
        { phone_numbers: ['+14155550100', '+14155550101', '+14155550199'] },
      ],
      '+14155550199',
    ],
    field: [addTag('contacts'), '"Press"'],
    entry: [addEntry('Contact'), '"one_time_value_cents":777'],
  },
  organizations: {
    domain: [(id) => ['PATCH', `/v1/organizations/${id}`, { domains: ['new.example'] }], 'new.example'],
    field: [addTag('organizations'), '"Press"'],
    entry: [addEntry('Organization'), '"one_time_value_cents":777'],
    note: [(organization_id) => ['POST', '/v1/notes', { organization_id, body: '새 메모' }], '새 메모'],
    contact: [
      (organization_id) => ['POST', '/v1/contacts', { first_name: '민준', organization_id }],
      '"first_name":"민준"',
    ],
  },
};

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
      method === 'PATCH' && /"(emails|domains)"/.test(body),
} as const;

const cases = mergedNouns.flatMap((noun) =>
  Object.keys(additions[noun]).flatMap((kind) =>
    Object.keys(moments).map((moment) => [noun, kind, moment] as const),
  ),
);

test.each(cases)('a merge of %s keeps what another client adds (%s, %s)', async (noun, kind, moment) => {
  const { kith, keep, other, lists, control, call, sendOk } = await mergeServices[noun]();
  const [addition, expected] = additions[noun][kind] ?? [];
  const isNow = moments[moment as keyof typeof moments]();
  let added = false;
  control.before = async (request) => {
    if (added || !isNow(request)) return false;
    added = true;
    const [method, path, body] = addition?.(other, lists.process) ?? [];
    expect((await call(`${method} ${path}`, body)).status).toBeLessThan(300);
    return false;
  };
  expect(await kith(`${noun} merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0 });
  expect(added).toBe(true);
  const paths = [`${noun}/${keep}`, `lists/${lists.process}/entries`, 'notes', 'contacts'];
  const all = await Promise.all(paths.map((path) => sendOk<object>(`GET /v1/${path}`)));
  const [record, ...pages] = all.map((value) => JSON.stringify(value));
  const referring = pages.flatMap((page) => JSON.parse(page).data.map(JSON.stringify));
  const found = [record, ...referring.filter((text) => text.includes(`_id":"${keep}"`))].join();
  expect(found).toContain(expected);
});

test('a late note about an entry that is already copied refers to the copy', async () => {
  const { kith, keep, other, deal, control, call, sendOk } = await createOrganizationMergeService();
  control.before = async ({ method, url }) => {
    if (method !== 'DELETE' || !url.endsWith('/domains')) return false;
    control.before = () => false;
    await call('POST /v1/notes', { organization_id: other, body: '새 메모', deal_id: deal });
    return false;
  };
  expect(await kith(`organizations merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0 });
  const { data } = await sendOk<{ data: { body: string; deal_id: string; organization_id: string }[] }>(
    'GET /v1/notes',
  );
  const [note, earlier] = ['새 메모', '계약 검토'].map((body) => data.find((note) => note.body === body));
  expect(note).toMatchObject({ organization_id: keep, deal_id: earlier?.deal_id });
  expect(note?.deal_id).not.toBe(deal);
});

test('combines entries if someone adds the record to keep to a process without duplicates meanwhile', async () => {
  const { kith, keep, other, lists, control, call, sendOk } = await createOrganizationMergeService();
  control.before = async ({ method }) => {
    if (method !== 'PATCH') return false;
    control.before = () => false;
    const entry = { entryable_id: keep, entryable_type: 'Organization', one_time_value_cents: 777 };
    expect((await call(`POST /v1/lists/${lists.sole}/entries`, entry)).status).toBeLessThan(300);
    return false;
  };
  expect(await kith(`organizations merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0, err: '' });
  const { data } = await sendOk<{ data: object[] }>(`GET /v1/lists/${lists.sole}/entries`);
  expect(data).toMatchObject([{ entryable_id: keep, one_time_value_cents: 777, recurring_value_cents: 500 }]);
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
  expect((await sendOk<MergedContact>(`GET /v1/contacts/${keep}`)).emails).toContain('new@home.example');
});

test.each(mergedNouns)(
  'returns everything if the record to keep is deleted during a merge of %s',
  async (noun) => {
    const untouched = await mergeServices[noun]();
    await untouched.call(`DELETE /v1/${noun}/${untouched.keep}`);
    const { kith, keep, other, control, call, sendOk } = await mergeServices[noun]();
    control.after = async ({ method, url }) => {
      const isMoving = method === 'DELETE' && /\/(emails|domains)$/.test(url);
      if (isMoving) await call(`DELETE /v1/${noun}/${keep}`);
      return false;
    };
    const { code, err } = await kith(`${noun} merge ${keep} ${other} --yes -q`);
    expect({ code, err }).toMatchObject({
      code: 5,
      err: expect.stringContaining(`${other} was not deleted.`),
    });
    /** Returns the other record, and its contacts, entries and notes. */
    const readOther = async (service: Pick<typeof untouched, 'sendOk'>) =>
      Object.values(await readState(service.sendOk))
        .flat()
        .filter((line) => /al@home|㈜한빛 물류/.test(line) && !line.includes('Introduced'));
    const returned = await readOther({ sendOk });
    expect(returned).toEqual(await readOther(untouched));
    expect(returned.length).toBeGreaterThan(5);
  },
);

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
    const { data } = await sendOk<{ data: MergedContact[] }>('GET /v1/contacts?first=100');
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

const addresses = mergedAddresses.contacts;

/** The members of listed records that the tests read. */
interface Listed {
  readonly id: string;
  readonly domains: readonly string[];
  readonly organization_id: string;
  readonly deal_id: string;
  readonly body: string;
}

test.each(['nobody', 'another organization'])(
  'creates the organization to keep again if another merge deletes it at the last moment, and %s has its domain',
  async (holder) => {
    const { kith, keep, other, third, lists, control, call, sendOk } = await createOrganizationMergeService();
    control.before = async ({ method, url }) => {
      if (method !== 'DELETE' || url !== `/v1/organizations/${other}`) return false;
      control.before = () => false;
      await call(`DELETE /v1/organizations/${keep}`);
      if (holder === 'another organization')
        await call(`PATCH /v1/organizations/${third}`, { domains: ['hanbit.example'] });
      return false;
    };
    const { code, err } = await kith(`organizations merge ${keep} ${other} --yes`);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/Organization \w+ has all values/) });
    const list = async (path: string) => (await sendOk<{ data: Listed[] }>(`GET /v1/${path}`)).data;
    const merged = (await list('organizations')).filter(({ domains }) => domains.includes('hanbit.example'));
    expect(merged).toMatchObject([{ domains: expect.arrayContaining(mergedAddresses.organizations) }]);
    const id = merged[0]?.id;
    const entries = await list(`lists/${lists.deals}/entries`);
    expect(entries).toEqual([1, 2, 3].map(() => expect.objectContaining({ entryable_id: id })));
    const count = id === third ? 4 : 3;
    for (const path of ['notes', 'contacts'])
      expect((await list(path)).filter(({ organization_id }) => organization_id === id)).toHaveLength(count);
    const note = (await list('notes')).find(({ body }) => body === '계약 검토');
    expect(entries.map(({ id }) => id)).toContain(note?.deal_id);
  },
);

/** Parts of the records that belong to both records of a merge. */
const keptTexts = {
  contacts: ['+14155550100', '+14155550101', '"Edition":"May"'],
  organizations: ['첫 통화', '계약 검토', 'Asked for a discount', '"Tier":"Gold"', ':300,', ':400,', ':500,'],
};

test.each(mergedNouns)(
  'two opposite merges of %s on two machines lose no address, number, entry or note',
  { timeout: 300_000 },
  async (noun) => {
    for (const run of countRounds(noun === 'contacts' ? 2 : 1, 50)) {
      const { keep, other, env, control, sendOk } = await mergeServices[noun]();
      const seed = run * 37;
      let count = 0;
      control.after = async () => {
        count += 1;
        if (run % 2 === 0) await wait((seed + count * 29) % 81);
        return false;
      };
      const merge = (one: string, two: string) =>
        createMachine()(`${noun} merge ${one} ${two} --yes -q`, { env });
      const results = await Promise.all([merge(keep, other), merge(other, keep)]);
      control.after = () => false;
      const found = await readState(sendOk);
      const text = Object.values(found).flat().join();
      const missing = [...mergedAddresses[noun], ...keptTexts[noun]].filter((part) => !text.includes(part));
      expect({ run, missing, results }).toEqual({ run, missing: [], results });
    }
  },
);

test.each(mergedNouns)(
  'merges of %s lose nothing while a writer keeps adding addresses, entries and notes',
  {
    timeout: 300_000,
  },
  async (noun) => {
    for (const run of countRounds(1, 50)) {
      const { keep, other, kith, lists, control, call, sendOk } = await mergeServices[noun]();
      const isContact = noun === 'contacts';
      const added: string[] = [];
      let requests = 0;
      control.before = async () => {
        requests += 1;
        // A writer that never pauses ends the merge, so this one does.
        if ((requests + run) % 13 !== 0 || added.length >= 4) return false;
        const value = 1000 + added.length;
        const text = [
          isContact ? `e${value}@home.example` : `d${value}.example`,
          `"one_time_value_cents":${value}`,
        ];
        const isEntry = added.length % 2 === 1;
        const isNote = !isContact && added.length === 2;
        const { status } = isNote
          ? await call('POST /v1/notes', { organization_id: other, body: `d${value}.example` })
          : isEntry
            ? await call(`POST /v1/lists/${lists.process}/entries`, {
                entryable_id: other,
                entryable_type: isContact ? 'Contact' : 'Organization',
                status: 'Lead',
                one_time_value_cents: value,
              })
            : await call(`PATCH /v1/${noun}/${other}`, { [isContact ? 'emails' : 'domains']: [text[0]] });
        if (status < 300) added.push(text[Number(isEntry)] ?? '');
        return false;
      };
      const { code } = await kith(`${noun} merge ${keep} ${other} --yes -q`);
      control.before = () => false;
      const paths = [noun, `lists/${lists.process}/entries`, 'notes'];
      const found = JSON.stringify(
        await Promise.all(paths.map((path) => sendOk(`GET /v1/${path}?first=100`))),
      );
      const lost = added.filter((text) => !found.includes(text));
      expect({ run, lost, isEnded: code === 0 || code === 5 }).toEqual({ run, lost: [], isEnded: true });
    }
  },
);
