import { expect, test } from 'vitest';
import { createDemoMachine } from '../../support/kith.ts';

test('shows the user, the guards, and the names that flags take', async () => {
  const kith = createDemoMachine();
  await kith('config set user mina@tidewater.example');
  const { code, out } = await kith('workspace info --json --allow notes');
  const info = JSON.parse(out);
  expect([code, Object.keys(info)]).toEqual([
    0,
    ['profile', 'workspace', 'user', 'time_zone', 'guards', 'lists', 'fields', 'assignees'],
  ]);
  expect(info).toMatchObject({
    profile: 'demo',
    user: 'mina@tidewater.example',
    time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    guards: [{ name: 'allow', value: 'notes' }],
  });
  const [process] = info.lists.filter(({ name }: { name: string }) => name === 'Sales pipeline');
  expect(process).toMatchObject({ entry_type: 'Organization', identifier: 'DEAL' });
  expect(process.statuses).toContainEqual({ name: 'Won', type: 'won' });
  expect(process.fields).toContainEqual({ name: 'Rooms', data_type: 'number' });
  const entries = JSON.parse((await kith('entries list "Sales pipeline" --all --json')).out);
  const others = JSON.parse((await kith('entries list "Reseller program" --all --json')).out);
  const emails = [...entries, ...others].flatMap(({ assignee }) => assignee?.email ?? []);
  expect(info.assignees).toEqual([...new Set(emails)].sort());
  const table = await kith('workspace info --format table');
  expect(table.out).toMatch(/^Guards +-\nLists +Newsletter, Cold Chain Days Lisbon, Sales pipeline/m);
});
