import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { disturb, loseConnection, restoreConnection } from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { listLogs } from '../undo/recording-machine.ts';
import { describeWriter, type Writer } from '../writes/writer.ts';
import {
  createMergeService,
  createOrganizationMergeService,
  mergedAddresses,
  mergedNouns,
  mergeServices,
  readMerged,
} from './merge-service.ts';

type Noun = (typeof mergedNouns)[number];
type MergeService = Awaited<ReturnType<(typeof mergeServices)[Noun]>>;

const isRemovalOfEmails = ({ method, url }: { method: string; url: string }) =>
  method === 'DELETE' && url.endsWith('/emails');

/** Describes a command on records to merge. A merge that stopped may be reverted, and then sends its writes again. */
const describeMerge = (
  name: string,
  noun: Noun,
  toWriter: (service: MergeService, merge: string) => Partial<Writer>,
  isNamed = true,
) =>
  describeWriter(
    name,
    async () => {
      const service = await mergeServices[noun](isNamed);
      const { folder, keep, other, sendOk, readLogs } = service;
      const line = `${noun} merge ${keep} ${other} --yes`;
      return {
        service,
        folder,
        line,
        mayRepeat: true,
        busy: 'is reverting a command or merging records',
        read: async () => Object.values(await readMerged(sendOk)).flat(),
        // Every address is in the workspace or in the log.
        checkStopped: async () => {
          const found = JSON.stringify([await readState(sendOk), readLogs()]);
          expect(mergedAddresses[noun].filter((address) => !found.includes(address))).toEqual([]);
        },
        ...toWriter(service, line),
      };
    },
    1,
  );

for (const noun of mergedNouns) {
  describeMerge(`${noun} merge`, noun, () => ({}));
  // The redo would remove the only address of a record without a name. If the record was not deleted, the second run
  // begins with a revert that gives it a name, which an undo keeps.
  describeMerge(
    `${noun} merge of a record without a name`,
    noun,
    () => ({ reapply: null, irreversible: ['request lost', 'connection cut before', 'killed before'] }),
    false,
  );
  describeMerge(`undo of ${noun} merge`, noun, (_, merge) => ({
    prepare: (kith) => kith(merge),
    line: 'undo --yes',
    revert: 'redo --yes',
    reapply: 'undo --yes',
  }));
  describeMerge(`redo of ${noun} merge`, noun, (_, merge) => ({
    prepare: async (kith) => [await kith(merge), await kith('undo --yes')],
    line: 'redo --yes',
  }));
  // Someone else adds an entry while the addresses move, so that the merge is reverted, and then run again.
  describeMerge(`${noun} merge that is reverted`, noun, ({ other, lists, call }) => {
    let isAdded = false;
    return {
      meanwhile: async ({ method, url }) => {
        if (isAdded || method !== 'DELETE' || !/(emails|domains)$/.test(url)) return;
        isAdded = true;
        const entryable_type = noun === 'contacts' ? 'Contact' : 'Organization';
        const entry = { entryable_id: other, entryable_type, one_time_value_cents: 777 };
        await call(`POST /v1/lists/${lists.process}/entries`, entry);
      },
    };
  });
}

test('says that the merge is not finished if the revert of a merge is interrupted', async () => {
  const { kith, keep, other, lists, control, call } = await createMergeService();
  let writes = 0;
  control.before = async (request, response) => {
    if (isRemovalOfEmails(request) && writes === 0) {
      const entry = { entryable_id: other, entryable_type: 'Contact', one_time_value_cents: 777 };
      await call(`POST /v1/lists/${lists.process}/entries`, entry);
      writes = 1;
    } else if (request.method !== 'GET' && writes > 0) writes += 1;
    if (writes > 3) response.destroy(); // the first two writes move the addresses
    return writes > 3;
  };
  expect(await kith(`contacts merge ${keep} ${other} --yes -q --retries 0`)).toMatchObject({
    code: 75,
    err: expect.stringContaining('The merge is not finished: '),
  });
});

test('finishes the merge of a contact by an address that nobody has', async () => {
  const merged = await createMergeService();
  await merged.kith(`contacts merge ${merged.keep} ${merged.other} --yes -q`);
  const { kith, keep, control, sendOk } = await createMergeService();
  loseConnection(control, isRemovalOfEmails);
  const line = `contacts merge ${keep} al@home.example --yes -q`;
  expect((await kith(`${line} --retries 0`)).code).toBe(7);
  restoreConnection(control);
  expect(await kith(line)).toMatchObject({ code: 0, err: '' });
  expect(await readState(sendOk)).toEqual(await readState(merged.sendOk));
  expect(await kith(line.replace(' -q', ''))).toMatchObject({
    code: 0,
    err: `kith: al@home.example was already merged into ${keep}.\n`,
  });
});

test('an equal note or entry that someone adds during an interruption is not taken for a copy', async () => {
  const { kith, keep, other, lists, control, call, sendOk } = await createOrganizationMergeService();
  disturb(control, 'before', ({ method }) => method === 'POST');
  const line = `organizations merge ${keep} ${other} --yes -q`;
  expect((await kith(`${line} --retries 0`)).code).toBe(7);
  control.before = () => false;
  const entries = `/v1/lists/${lists.deals}/entries`;
  const deal = { status: 'Lead', one_time_value_cents: 400, assignee_email: 'a@x.example' };
  await call(`POST ${entries}`, { entryable_id: keep, entryable_type: 'Organization', ...deal });
  await call('POST /v1/notes', { organization_id: keep, body: 'Asked for a discount' });
  expect(await kith(line)).toMatchObject({ code: 0, err: '' });
  const count = async (path: string, text: string) =>
    (await sendOk<{ data: object[] }>(`GET ${path}`)).data.filter((record) =>
      JSON.stringify(record).includes(text),
    ).length;
  expect([await count(entries, ':400,'), await count('/v1/notes', 'Asked for a discount')]).toEqual([2, 2]);
});

test('refuses to merge if a damaged or newer log may have the only copy of the addresses', async () => {
  const { kith, keep, other, control, folder, takeWrites } = await createMergeService();
  loseConnection(control, isRemovalOfEmails);
  expect(await kith(`contacts merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 7 });
  restoreConnection(control);
  takeWrites();
  const [path = ''] = listLogs(folder);
  const damaged = readFileSync(path, 'utf8').replace('{"v":1', '{');
  writeFileSync(path, damaged);
  expect(await kith(`contacts merge ${keep} ${other} --yes -q`)).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`An earlier merge of ${other} left a damaged log: ${path}`),
  });
  const newer = damaged.replace('{', '{"v":2');
  writeFileSync(path, newer);
  expect(await kith(`contacts merge ${keep} ${other} --yes -q`)).toEqual({
    code: 1,
    out: '',
    err: expect.stringContaining(`${path} was written by a newer version of kith.\nhint: Update kith.\n`),
  });
  expect(takeWrites()).toEqual([]);
  expect(readFileSync(path, 'utf8')).toBe(newer);
});

test.each([
  [422, 5],
  [403, 4],
])('returns the addresses to the other contact if the service refuses them (%i)', async (status, exit) => {
  const { kith, keep, other, call, control } = await createMergeService();
  control.before = ({ method, body }, response) => {
    const isRefused = method === 'PATCH' && body.includes('"emails"') && !control.delay;
    if (isRefused) {
      control.before = () => false;
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"Refused."}');
    }
    return isRefused;
  };
  const { code, err } = await kith(`contacts merge ${keep} ${other} --yes -q`);
  expect({ code, err }).toEqual({
    code: exit,
    err: expect.stringContaining('The merge was reverted: Refused.'),
  });
  expect((await call(`GET /v1/contacts/${other}`)).body).toMatchObject({
    emails: mergedAddresses.contacts.slice(1),
  });
  expect(await kith(`contacts merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0 });
});

test('reverts an interrupted merge before another merge, but not for a dry run', async () => {
  const { kith, keep, other, colleague, control, sendOk, takeWrites } = await createMergeService();
  const untouched = await createMergeService();
  loseConnection(control, isRemovalOfEmails);
  const interrupted = `contacts merge ${keep} ${other} --yes`;
  expect(await kith(interrupted)).toMatchObject({
    code: 7,
    err: expect.stringContaining(`To finish: kith ${interrupted}`),
  });
  restoreConnection(control);
  takeWrites();
  const line = `contacts merge ${colleague} ${other} --yes`;
  expect(await kith(`${line} --dry-run`)).toEqual({
    code: 2,
    out: '',
    err: `kith: A merge of ${other} into ${keep} was interrupted. It must be reverted first.\nhint: Revert it: kith undo\n`,
  });
  expect(takeWrites()).toEqual([]);
  expect(await kith(line)).toMatchObject({
    code: 0,
    err: expect.stringContaining(`Reverted the interrupted merge of ${other} into ${keep}.\n`),
  });
  expect((await untouched.kith(line)).code).toBe(0);
  expect(await readState(sendOk)).toEqual(await readState(untouched.sendOk));
});

test('refuses a merge that another API key has started, because its log has the addresses', async () => {
  const { kith, keep, other, control, env, takeWrites } = await createMergeService();
  const line = `contacts merge ${keep} ${other} --yes -q`;
  loseConnection(control, isRemovalOfEmails);
  expect(await kith(line)).toMatchObject({ code: 7 });
  restoreConnection(control);
  takeWrites();
  expect(await kith(line, { env: { ...env, KITH_API_KEY: 'rotated-key-for-tests' } })).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining(`A merge of ${other} with another API key is not finished.`),
  });
  expect(takeWrites()).toEqual([]);
  expect(await kith(line)).toMatchObject({ code: 0 });
});
