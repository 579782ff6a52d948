import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loseConnection, restoreConnection } from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { createEnv, runKith } from '../support/binary.ts';
import { shuffle } from '../support/rounds.ts';
import { listLogs } from '../undo/recording-machine.ts';
import {
  createMergeService,
  createOrganizationMergeService,
  mergedAddresses,
  mergedNouns,
  mergeServices,
} from './merge-service.ts';

type Noun = (typeof mergedNouns)[number];

/** Returns the state after a merge without interruptions, and the number of its writes. */
async function mergeAtOnce(noun: Noun = 'contacts', isNamed = true) {
  const { kith, keep, other, sendOk, takeWrites } = await mergeServices[noun](isNamed);
  expect(await kith(`${noun} merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0, err: '' });
  return { state: await readState(sendOk), writes: takeWrites().length };
}

const isRemovalOfEmails = ({ method, url }: { method: string; url: string }) =>
  method === 'DELETE' && url.endsWith('/emails');

const allEmails = mergedAddresses.contacts;

const breaks = [
  ['the connection breaks before a write', 'before', true],
  ['the connection breaks after a write', 'after', true],
  ['the connection breaks before a write, and the record has no name', 'before', false],
  ['the connection breaks after a write, and the record has no name', 'after', false],
] as const;
const nounBreaks = mergedNouns.flatMap((noun) => breaks.map((way) => [noun, ...way] as const));

test.each(nounBreaks)(
  'finishes a merge of %s in which %s',
  { timeout: 60_000 },
  async (noun, _, hook, isNamed) => {
    const { state, writes } = await mergeAtOnce(noun, isNamed);
    const everyStop = Array.from({ length: writes }, (_, index) => index + 1);
    for (const stop of shuffle(everyStop, 1)) {
      const service = await mergeServices[noun](isNamed);
      const { kith, keep, other, control, sendOk, readLogs } = service;
      let count = 0;
      const isStop = ({ method }: { method: string }) => {
        count += method === 'GET' ? 0 : 1;
        return method !== 'GET' && count === stop;
      };
      if (hook === 'after') loseConnection(control, isStop);
      else
        control.before = (request, response) => {
          const isNow = isStop(request);
          if (isNow) response.destroy();
          return isNow;
        };
      const line = `${noun} merge ${keep} ${other} --yes`;
      const { code, err } = await kith(`${line} --retries 0`);
      expect(code).toBe(7);
      expect(err).toContain(`To finish: kith ${line}`);
      restoreConnection(control);
      // Every address is in the workspace or in the log.
      const found = JSON.stringify([await readState(sendOk), readLogs()]);
      expect(mergedAddresses[noun].filter((address) => !found.includes(address))).toEqual([]);
      expect(await kith(line)).toMatchObject({ code: 0 });
      expect({ stop, ...(await readState(sendOk)) }).toEqual({ stop, ...state });
    }
  },
);

test.each(mergedNouns)(
  'completes a merge of %s if the response to a write is lost, and looks it up',
  { timeout: 60_000 },
  async (noun) => {
    const { state, writes } = await mergeAtOnce(noun);
    const everyStop = Array.from({ length: writes }, (_, index) => index + 1);
    for (const stop of shuffle(everyStop, 3)) {
      const { kith, keep, other, control, sendOk } = await mergeServices[noun]();
      const untouched = await readState(sendOk);
      let count = 0;
      control.after = ({ method }, response) => {
        count += method === 'GET' ? 0 : 1;
        const isLost = method !== 'GET' && count === stop;
        if (isLost) response.destroy();
        return isLost;
      };
      const merged = await kith(`${noun} merge ${keep} ${other} --yes -q --retries 0`);
      expect({ stop, ...merged, state: await readState(sendOk) }).toEqual({
        stop,
        code: 0,
        out: expect.any(String),
        err: '',
        state,
      });
      // The log has the looked-up write, so an undo reverts it too.
      expect(await kith('undo --yes -q')).toMatchObject({ code: 0, err: '' });
      const undone = await readState(sendOk);
      expect(undone.entries).toHaveLength(untouched.entries.length);
      expect(undone.notes).toHaveLength(untouched.notes.length);
    }
  },
);

test.each(
  mergedNouns.flatMap((noun) => (['before', 'after'] as const).map((moment) => [noun, moment] as const)),
)(
  'continues the revert of a merge of %s after the service was unreachable (%s a write)',
  { timeout: 120_000 },
  async (noun, moment) => {
    /** Merges while someone else adds an entry. Ends all connections from a write of the revert on. */
    const mergeDisturbed = async (stop: number) => {
      const service = await mergeServices[noun]();
      const { kith, keep, other, lists, control, call, takeWrites } = service;
      let count = -1;
      control.before = async ({ method, url }, response) => {
        if (method === 'DELETE' && /(emails|domains)$/.test(url) && count < 0) {
          const entryable_type = noun === 'contacts' ? 'Contact' : 'Organization';
          const entry = { entryable_id: other, entryable_type, one_time_value_cents: 777 };
          await call(`POST /v1/lists/${lists.process}/entries`, entry);
          count = 0;
        }
        if (method !== 'GET' && count >= 0) count += 1;
        // The first two writes move the addresses.
        const isDown = count > stop + 2 || (count === stop + 2 && moment === 'before');
        if (isDown) response.destroy();
        return isDown;
      };
      control.after = (_, response) => {
        const isLost = count === stop + 2;
        if (isLost) {
          count += 1;
          response.destroy();
        }
        return isLost;
      };
      const line = `${noun} merge ${keep} ${other} --yes -q`;
      const first = await kith(`${line} --retries 0`);
      const reverts = count - 2;
      control.before = () => false;
      control.after = () => false;
      takeWrites();
      return { ...service, first, reverts, again: await kith(line) };
    };
    const undisturbed = await mergeDisturbed(Number.POSITIVE_INFINITY);
    expect(undisturbed).toMatchObject({ first: { code: 75 }, again: { code: 0, err: '' } });
    const state = await readState(undisturbed.sendOk);
    const everyStop = Array.from({ length: undisturbed.reverts }, (_, index) => index + 1);
    for (const stop of shuffle(everyStop, 1)) {
      const { first, again, sendOk } = await mergeDisturbed(stop);
      const story = { stop, first, again, state: await readState(sendOk) };
      // If the response to the last write is lost, the revert is complete.
      const err =
        stop < undisturbed.reverts ? { err: expect.stringContaining('The merge is not finished: ') } : {};
      expect(story).toMatchObject({ first: { code: 75, ...err }, again: { code: 0, err: '' }, state });
    }
  },
);

test('finishes the merge of a contact by an address that nobody has', async () => {
  const { state } = await mergeAtOnce();
  const { kith, keep, control, sendOk } = await createMergeService();
  loseConnection(control, isRemovalOfEmails);
  const line = `contacts merge ${keep} al@home.example --yes -q`;
  expect((await kith(`${line} --retries 0`)).code).toBe(7);
  restoreConnection(control);
  expect(await kith(line)).toMatchObject({ code: 0, err: '' });
  expect(await readState(sendOk)).toEqual(state);
  expect(await kith(line.replace(' -q', ''))).toMatchObject({
    code: 0,
    err: `kith: al@home.example was already merged into ${keep}.\n`,
  });
});

test('an equal note or entry that someone adds during an interruption is not taken for a copy', async () => {
  const { kith, keep, other, lists, control, call, sendOk } = await createOrganizationMergeService();
  control.before = ({ method }, response) => {
    if (method === 'POST') response.destroy();
    return method === 'POST';
  };
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

test('finishes a merge that was killed while addresses moved', async () => {
  const { state } = await mergeAtOnce();
  const { keep, other, env, folder, control, sendOk } = await createMergeService();
  let kill = () => {};
  control.after = ({ method, url }) => {
    const isMoving = method === 'DELETE' && url.endsWith('/emails');
    if (isMoving) kill();
    return isMoving;
  };
  const options = { env: createEnv(folder, env) };
  const args = ['contacts', 'merge', keep, other, '--yes', '-q'];
  const onStart: Parameters<typeof runKith>[1]['onStart'] = (child) => {
    kill = () => child.kill('SIGKILL');
  };
  expect((await runKith(args, { ...options, onStart })).code).toBe(-2);
  control.after = () => false;
  expect(await runKith(args, options)).toMatchObject({ code: 0, err: '' });
  expect(await readState(sendOk)).toEqual(state);
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
  expect((await call(`GET /v1/contacts/${other}`)).body).toMatchObject({ emails: allEmails.slice(1) });
  expect(await kith(`contacts merge ${keep} ${other} --yes -q`)).toMatchObject({ code: 0 });
});

test('reverts an interrupted merge before another merge, but not for a dry run', async () => {
  const { kith, keep, other, colleague, control, sendOk, takeWrites } = await createMergeService();
  const untouched = await createMergeService();
  loseConnection(control, isRemovalOfEmails);
  expect((await kith(`contacts merge ${keep} ${other} --yes`)).code).toBe(7);
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
