import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createMachine, createTemporaryFolder } from '../support/kith.ts';
import { startRecordService } from './record-service.ts';

test('signing out removes the index, and so does signing in again, also to the same service', async () => {
  const [one, other] = [await startRecordService(), await startRecordService()];
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const login = (url: string) =>
    kith(`auth login --profile work --base-url ${url} --key-stdin`, { stdin: 'key-for-tests' });
  const countIndexes = () => readdirSync(folder).filter((name) => name.endsWith('.sqlite')).length;
  await login(one.url);
  await kith('index update');
  expect(countIndexes()).toBe(1);
  for (const { url } of [other, other]) {
    await login(url);
    expect(countIndexes()).toBe(0);
    await kith('index update');
  }
  await kith('auth logout --profile work');
  expect(countIndexes()).toBe(0);
});
