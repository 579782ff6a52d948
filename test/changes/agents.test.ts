import { expect, test } from 'vitest';
import { connectInProcess } from '../cli/mcp/agent.ts';
import { createRecordingMachine } from './recording-machine.ts';

test('undoes the last write of an agent, which cannot call undo itself', async () => {
  const { kith } = await createRecordingMachine();
  const { client, call } = await connectInProcess(kith, { KITH_UNDO: 'on' }, '--allow-write');
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('undo');
  const readName = async () => (await kith('contacts get 0rlnky --jq .last_name')).out.trim();
  expect((await call('contacts_update', { id: '0rlnky', last_name: 'Kim' })).isError).toBe(false);
  expect((await call('contacts_update', { id: '0rlnky', last_name: 'Lee' })).isError).toBe(false);
  expect(await readName()).toBe('Lee');
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts update`: 1 change.\n');
  expect(await readName()).toBe('Kim');
});
