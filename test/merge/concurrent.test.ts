import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readState } from '../import/state.ts';
import { createMachine } from '../support/kith.ts';
import { countRounds, seed, shuffle, takeRounds } from '../support/rounds.ts';
import {
  createMergeService,
  createOrganizationMergeService,
  mergedNouns,
  mergeServices,
  readMerged,
} from './merge-service.ts';

type MergedContact = { id: string; emails: string[]; phone_numbers: string[]; custom_fields: object };

/** The members of listed notes that the tests read. */
interface Listed {
  readonly id: string;
  readonly organization_id: string;
  readonly deal_id: string;
  readonly body: string;
}

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

const conflict =
  /^kith: Someone else (added|changed|deleted|removed) .+ during the merge, so kith reverted it: run it again\.\nhint: Run it again: kith \w+ merge \w+ \w+ --yes\n$/;

test.each(cases)(
  'a merge of %s loses nothing that another client adds (%s, %s)',
  async (noun, kind, moment) => {
    const { kith, keep, other, lists, control, call, sendOk } = await mergeServices[noun]();
    const [addition, expected = ''] = additions[noun][kind] ?? [];
    const isNow = moments[moment as keyof typeof moments]();
    let added = false;
    control.before = async (request) => {
      if (added || !isNow(request)) return false;
      added = true;
      const [method, path, body] = addition?.(other, lists.process) ?? [];
      expect((await call(`${method} ${path}`, body)).status).toBeLessThan(300);
      return false;
    };
    const untouched = await readState(sendOk);
    const first = await kith(`${noun} merge ${keep} ${other} --yes -q`);
    expect(added).toBe(true);
    if (moment !== 'while lists are read') expect(first.code).toBe(75);
    if (first.code === 75) {
      expect(first.err).toMatch(conflict);
      const state = Object.values(await readState(sendOk)).flat();
      // Only the addition is new.
      const isNew = (line: string) => !Object.values(untouched).flat().includes(line);
      if (['entry', 'note', 'contact'].includes(kind)) expect(state.filter(isNew)).toHaveLength(1);
      expect(await kith(`${noun} merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0 });
    }
    const paths = [`${noun}/${keep}`, `lists/${lists.process}/entries`, 'notes', 'contacts'];
    const all = await Promise.all(paths.map((path) => sendOk<object>(`GET /v1/${path}`)));
    const [record = '', ...pages] = all.map((value) => JSON.stringify(value));
    const referring = pages.flatMap((page) => JSON.parse(page).data.map(JSON.stringify));
    const found = [record, ...referring.filter((text) => text.includes(`_id":"${keep}"`))];
    expect(new Set(found.filter((text) => text.includes(expected))).size).toBe(1);
  },
);

test('stops if someone adds the record to keep to a process without duplicates', async () => {
  const { kith, keep, other, lists, control, call, sendOk } = await createOrganizationMergeService();
  control.before = async ({ method, url }) => {
    if (method !== 'POST' || !url.includes(lists.sole)) return false;
    control.before = () => false;
    const entry = { entryable_id: keep, entryable_type: 'Organization', one_time_value_cents: 777 };
    expect((await call(`POST /v1/lists/${lists.sole}/entries`, entry)).status).toBeLessThan(300);
    return false;
  };
  const merge = () => kith(`organizations merge ${keep} ${other} --yes -q`);
  expect(await merge()).toMatchObject({ code: 75, err: expect.stringMatching(conflict) });
  expect(await merge()).toMatchObject({ code: 0, err: '' });
  const { data } = await sendOk<{ data: object[] }>(`GET /v1/lists/${lists.sole}/entries`);
  expect(data).toMatchObject([{ entryable_id: keep, one_time_value_cents: 777, recurring_value_cents: 500 }]);
});

test('does not delete a copy that someone else has changed, and names it', async () => {
  const { kith, keep, other, control, call, sendOk } = await createOrganizationMergeService();
  const copied: string[] = [];
  control.before = async ({ method, url }) => {
    if (method !== 'DELETE' || !url.endsWith('/domains')) return false;
    control.before = () => false;
    const { data } = await sendOk<{ data: Listed[] }>('GET /v1/notes');
    const copy = data.find(({ body, organization_id }) => body === '계약 검토' && organization_id === keep);
    copied.push(copy?.id ?? '', copy?.deal_id ?? '');
    await call(`PATCH /v1/notes/${copy?.id}`, { body: '계약 검토 완료' });
    return false;
  };
  const before = await readState(sendOk);
  const { code, err } = await kith(`organizations merge ${keep} ${other} --yes -q`);
  const [note, deal] = copied;
  expect({ code, err }).toEqual({
    code: 75,
    err:
      `kith: Someone else changed the note ${note} during the merge, so kith reverted it: run it again. ` +
      `The note ${note} was changed since; skipped. The entry ${deal} has the note ${note} now; skipped.\n` +
      `hint: Run it again: kith organizations merge ${keep} ${other} --yes\n`,
  });
  const after = await readState(sendOk);
  expect(after.notes.filter((line) => !before.notes.includes(line))).toEqual([
    expect.stringContaining('계약 검토 완료'),
  ]);
  expect(after.entries).toHaveLength(before.entries.length + 1);
  expect({ ...after, notes: [], entries: [] }).toEqual({ ...before, notes: [], entries: [] });
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
  expect(err).toContain('The records changed while kith waited for your answer.');
  expect(err).toContain('emails: ada@home.example, al@home.example, new@home.example');
  expect((await sendOk<MergedContact>(`GET /v1/contacts/${keep}`)).emails).toContain('new@home.example');
});

test.each(mergedNouns)(
  'returns everything if the record to keep is deleted during a merge of %s',
  async (noun) => {
    const moments = [/\/(emails|domains)$/, /^\/v1\/\w+\/\w+$/];
    for (const moment of moments) {
      const untouched = await mergeServices[noun]();
      await untouched.call(`DELETE /v1/${noun}/${untouched.keep}`);
      const { kith, keep, other, control, call, sendOk } = await mergeServices[noun]();
      control.before = async ({ method, url }) => {
        if (method !== 'DELETE' || !moment.test(url)) return false;
        control.before = () => false;
        await call(`DELETE /v1/${noun}/${keep}`);
        return false;
      };
      const { code, err } = await kith(`${noun} merge ${keep} ${other} --yes -q`);
      expect({ code, err }).toEqual({
        code: 75,
        err: expect.stringContaining(
          `Someone else deleted the ${noun.slice(0, -1)} ${keep} during the merge`,
        ),
      });
      // If a field is written again, it does not get the id of the deleted record.
      const withoutKept = (state: object) =>
        JSON.parse(
          JSON.stringify(state).replaceAll(`,\\\\"${keep}\\\\"]`, ']').replaceAll(`,\\"${keep}\\"]`, ']'),
        );
      const [state, expected] = await Promise.all([readMerged(sendOk), readMerged(untouched.sendOk)]);
      expect(withoutKept(state)).toEqual(withoutKept(expected));
    }
  },
);

const latencies = {
  'without latency': () => 0,
  'with 20 ms of latency': () => 20,
  'with random latency': (request: number) => (request * 29) % 81,
};

const pairs = mergedNouns.flatMap((noun) =>
  Object.keys(latencies).map((latency) => [noun, latency] as const),
);

// By default, a third of the pairs: they wait for seconds.
test.each([...takeRounds(shuffle(pairs), 2)])(
  'two opposite merges of %s on two machines lose and duplicate nothing (%s)',
  { timeout: 1_200_000 },
  async (noun, latency) => {
    const merged = await Promise.all([mergeOnce(noun, false), mergeOnce(noun, true)]);
    const outcomes: string[] = [];
    for (const round of countRounds(1, 50)) {
      const run = (seed + round) % 50; // by default, one of the rounds
      const { keep, other, env, control, sendOk } = await mergeServices[noun]();
      const before = await readMerged(sendOk);
      control.hasTags = true;
      let count = run * 37;
      control.after = async () => {
        count += 1;
        await wait(latencies[latency as keyof typeof latencies](count));
        return false;
      };
      const machines = [createMachine(), createMachine()] as const;
      const merge = async (index: 0 | 1, delay = 0) => {
        await wait(delay);
        const ids = index === 0 ? `${keep} ${other}` : `${other} ${keep}`;
        return machines[index](`${noun} merge ${ids} --yes -q`, { env });
      };
      // In most rounds, one merge begins while the other one writes.
      const delay = latency === 'without latency' ? (run * 17) % 200 : (run * 137) % 1500;
      const results = await Promise.all([merge(0, run % 2 && delay), merge(1, run % 2 ? 0 : delay)]);
      control.after = () => false;
      const again = await merge(0);
      const winner = again.code === 0 ? 0 : 1;
      outcomes.push([...results, again].map(({ code }) => code).join());
      const story = { run, results, again };
      expect({ ...story, state: await readMerged(sendOk) }).toEqual({ ...story, state: merged[winner] });
      const undo = await machines[winner]('undo --yes -q', { env });
      expect({ ...story, undo, state: await readMerged(sendOk) }).toEqual({
        ...story,
        undo: { code: 0, out: '', err: '' },
        state: before,
      });
    }
    if (process.env.KITH_LONG === '1') process.stdout.write(`${noun} ${latency}: ${countEach(outcomes)}\n`);
  },
);

const countEach = (texts: readonly string[]) =>
  [...new Set(texts)].map((text) => `${text} x ${texts.filter((one) => one === text).length}`).join('; ');

/** Returns the content of a workspace after a merge of its records. */
async function mergeOnce(noun: Noun, isOpposite: boolean) {
  const { kith, keep, other, sendOk } = await mergeServices[noun]();
  const ids = isOpposite ? `${other} ${keep}` : `${keep} ${other}`;
  expect((await kith(`${noun} merge ${ids} --yes -q`)).code).toBe(0);
  return readMerged(sendOk);
}

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
      const codes: number[] = [];
      do codes.push((await kith(`${noun} merge ${keep} ${other} --yes -q`)).code);
      while (codes.at(-1) === 75);
      control.before = () => false;
      const paths = [noun, `lists/${lists.process}/entries`, 'notes'];
      const found = JSON.stringify(
        await Promise.all(paths.map((path) => sendOk(`GET /v1/${path}?first=100`))),
      );
      const counts = added.map((text) => found.split(text).length - 1);
      expect({ run, counts, code: codes.at(-1) }).toEqual({ run, counts: added.map(() => 1), code: 0 });
    }
  },
);
