import { expect, test } from 'vitest';
import { createEnv, runKith } from '../../../support/binary.ts';
import { countRounds, createRandom } from '../../../support/rounds.ts';
import { readCopiedState } from './copied-state.ts';
import { createTransferMachine, type SendOk } from './transfer-machine.ts';

const isLong = process.env.KITH_LONG === '1';
const killCount = isLong ? 50 : 2;
const random = createRandom(40);

/** Adds records of which only their notes and contacts tell equal ones apart. */
async function addTwins(sendOk: SendOk, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const { id } = await sendOk<{ id: string }>('POST /v1/organizations', { name: `Twin ${index % 5}` });
    await sendOk('POST /v1/contacts', { first_name: '지우', organization_id: id });
    await sendOk('POST /v1/contacts', { first_name: '지우', last_name: `${index % 3}` });
    await sendOk('POST /v1/notes', { organization_id: id, body: `Note ${index}` });
  }
}

test(`killed with -9 at up to ${killCount} random moments and run again, a copy loses and doubles nothing`, async () => {
  const { kith, source, sendOk, folder, control, takeWrites } = await createTransferMachine();
  await addTwins(source.sendOk, isLong ? 60 : 12);
  const expected = await readCopiedState(source.sendOk);
  const writes = Object.values(expected).flat().length * 2;
  const env = createEnv(folder, { KITH_CONFIG_DIR: folder, KITH_UNDO: 'auto' });
  const args = ['workspace', 'copy', 'source.sqlite', 'team', '--yes', '--retries', '0', '--json'];
  let remaining = 0;
  let kill = () => {};
  control.before = ({ method }) => {
    remaining -= method === 'GET' ? 0.1 : 1;
    if (remaining <= 0) setTimeout(kill, random() * 8);
    return false;
  };
  const rounds = countRounds(killCount, 50);
  const hits = { killed: 0, wanted: 0 };
  for (;;) {
    if (hits.killed === hits.wanted && !rounds.next().done) hits.wanted += 1;
    remaining = hits.killed < hits.wanted ? random() * (writes / killCount) : Number.POSITIVE_INFINITY;
    const { code, err } = await runKith(args, {
      env,
      cwd: folder,
      onStart: (child) => {
        kill = () => child.kill('SIGKILL');
      },
    });
    if (code === 0) break;
    expect([code, err]).toEqual([-2, expect.anything()]);
    hits.killed += 1;
  }
  expect(hits.killed).toBeGreaterThanOrEqual(hits.wanted / 2);
  control.before = () => false;
  expect(await readCopiedState(sendOk)).toEqual(expected);
  takeWrites();
  expect((await kith('workspace copy @source.sqlite team --yes')).code).toBe(0);
  expect(takeWrites()).toEqual([]);
  expect(await kith('undo --yes --profile team')).toMatchObject({ code: 0 });
  expect(Object.values(await readCopiedState(sendOk)).flat()).toEqual([]);
}, 600_000);
