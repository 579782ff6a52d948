import { expect, test } from 'vitest';
import { loseConnection, restoreConnection } from '../import/controlled-service.ts';
import { readState } from '../import/state.ts';
import { startTime } from '../service/service.ts';
import { mergedNouns, mergeServices } from './merge-service.ts';

type Noun = (typeof mergedNouns)[number];

/** Starts the service, with a machine whose clock is that of the service. */
async function createStoppableMerge(noun: Noun = 'contacts') {
  const service = await mergeServices[noun]();
  const kith = (line: string) => service.kith(line, { now: new Date(startTime) });
  const merge = (flags = '') => kith(`${noun} merge ${service.keep} ${service.other} --yes -q ${flags}`);
  /** Returns the state; `OTHER` is the id of the contact that the merge deletes, also after it was created again. */
  const read = async () => {
    const { data } = await service.sendOk<{ data: { id: string; emails: string[] }[] }>('GET /v1/contacts');
    const { id } = data.find(({ emails }) => emails.includes('al@home.example')) ?? {};
    const json = JSON.stringify(await readState(service.sendOk));
    return JSON.parse(id === undefined ? json : json.replaceAll(id, 'OTHER'));
  };
  return { ...service, kith, merge, read };
}

test.each(mergedNouns)(
  'a redo of a merge of %s moves the addresses to the kept record again',
  async (noun) => {
    const { kith, merge, read } = await createStoppableMerge(noun);
    expect((await merge()).code).toBe(0);
    const merged = await read();
    expect((await kith('undo --yes -q')).code).toBe(0);
    const undone = await read();
    const { code, err } = await kith('redo --yes');
    expect({ code, isRestored: !err.includes('Not restored: The email') }).toEqual({
      code: 0,
      isRestored: true,
    });
    expect(await read()).toEqual(merged);
    expect(await kith('undo --yes')).toMatchObject({
      code: 0,
      err: expect.not.stringContaining('keeps its new'),
    });
    expect(await read()).toEqual(undone);
  },
);

test('an address that its owner removed after the undo does not come back with the next merge', async () => {
  const service = await createStoppableMerge();
  const { kith, merge, keep, other, call, sendOk } = service;
  loseConnection(service.control, ({ method, body }) => method === 'PATCH' && body.includes('"emails"'));
  expect((await merge('--retries 0')).code).toBe(7);
  restoreConnection(service.control);
  expect((await kith('undo --yes -q')).code).toBe(0);
  expect((await call(`DELETE /v1/contacts/${other}/emails`, { emails: ['al@home.example'] })).status).toBe(
    200,
  );
  expect((await merge()).code).toBe(0);
  const { emails } = await sendOk<{ emails: string[] }>(`GET /v1/contacts/${keep}`);
  expect(emails).toEqual(['ada@acme.example', 'ada@home.example']);
});
