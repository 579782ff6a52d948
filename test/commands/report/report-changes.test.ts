import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startArchiveMachine } from '../../archive/archive-service.ts';
import { sendJson } from '../../client/loopback.ts';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';

/** Backs up the sample, and returns the ids of open deals with the path of the archive. */
async function createComparedPipeline() {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const archive = join(folder, 'backup');
  expect((await kith(['workspace', 'backup', archive, '--quiet'])).code).toBe(0);
  const list = async (...flags: string[]) =>
    JSON.parse((await kith(['entries', 'list', 'Sales pipeline', '--json', '--all', ...flags])).out);
  const compare = (...flags: string[]) =>
    kith(['lists', 'report', 'Sales pipeline', '--compare', archive, ...flags]);
  return { kith, archive, open: await list('--open'), won: await list('--won'), compare };
}

test('lists the deals that were won, lost, reopened, moved, added or removed since the archive', async () => {
  const { kith, open, won, compare } = await createComparedPipeline();
  const process = JSON.parse((await kith(['lists', 'get', 'Sales pipeline', '--json'])).out);
  const findStatus = (type: string, not = '') =>
    process.statuses.find(
      (status: { name: string; type: string }) => status.type === type && status.name !== not,
    ).name;
  const update = (key: string, ...flags: string[]) => kith(['entries', 'update', key, ...flags]);
  const [first, second, third, fourth, fifth] = open;
  await update(first.key, '--status', findStatus('won'));
  await update(second.key, '--status', findStatus('lost'));
  await update(third.key, '--status', findStatus('active', third.status));
  await update(fourth.key, '--one-time-value', '12345.67');
  await kith(['entries', 'delete', fifth.key, '--yes']);
  await update(won[0].key, '--status', findStatus('active'));
  const { code, out, err } = await compare('--jq', '.');
  expect(code).toBe(0);
  expect(err).toMatch(
    /^kith: Since .+: 1 won, 1 lost, 1 reopened, 1 moved, 1 with another value, 1 removed\.\n$/,
  );
  expect(JSON.parse(out)).toMatchObject([
    {
      change: 'won',
      key: first.key,
      from: first.status,
      to: findStatus('won'),
      name: expect.stringMatching(/./),
    },
    { change: 'lost', key: second.key },
    { change: 'reopened', key: won[0].key },
    { change: 'moved', key: third.key, from: third.status },
    {
      change: 'value',
      key: fourth.key,
      one_time_value_cents: 1234567,
      before: { one_time_value_cents: fourth.one_time_value_cents },
    },
    { change: 'removed', key: fifth.key, to: null },
  ]);
});

test('compares only the selected deals, and reports no other deal as removed', async () => {
  const { kith, open, compare } = await createComparedPipeline();
  await kith(['entries', 'delete', open[0].key, '--yes']);
  expect((await compare('--won', '--json')).out).toBe('[]\n');
});

test('warns if the backup could not read the entries of the list', async () => {
  const { kith, archive, records, responses } = await startArchiveMachine();
  responses.set('/v1/lists/l1/', 500);
  expect((await kith(`workspace backup ${archive}`)).code).toBe(6);
  responses.set('/v1/lists/l1/', (_, respond) => respond());
  responses.set('/v1/lists/l1', (to) => sendJson(to, 200, records.lists[0]));
  const { err } = await kith(`lists report Sales --compare ${archive}`);
  expect(err).toMatch(/The backup could not read the entries of "Sales".*\n.*1 new\.\n$/);
  expect((await kith(`workspace verify ${archive} --json --jq .problems[].problem`)).out).toBe(
    'the service did not return the entries of the list l1\n',
  );
});

test('refuses a workspace file, and an archive without the list', async () => {
  const { kith, archive } = await createComparedPipeline();
  await kith('lists create Later --entry-type Contact');
  const later = await kith(['lists', 'report', 'Later', '--compare', archive]);
  expect(later).toMatchObject({ code: 3, out: '' });
  expect(later.err).toContain('The archive does not contain the list "Later".');
  const file = await kith(['lists', 'report', 'Sales pipeline', '--compare', 'demo']);
  expect(file).toMatchObject({ code: 2, out: '' });
  expect(file.err).toContain('--compare: "demo" is not an archive.');
});
