import { expect, test } from 'vitest';
import { connectInProcess, connectPerson } from '../commands/mcp/agent.ts';
import { createRecordingMachine } from '../undo/recording-machine.ts';

const update = { action: 'update', id: '0rlnky' };

test('the user undoes the last write of an agent', async () => {
  const { kith } = await createRecordingMachine();
  const { call } = await connectInProcess(kith, { KITH_UNDO: 'on' }, '--allow-write');
  const readName = async () => (await kith('contacts get 0rlnky --jq .last_name')).out.trim();
  expect((await call('contacts_write', { ...update, last_name: 'Kim' })).isError).toBe(false);
  expect((await call('contacts_write', { ...update, last_name: 'Lee' })).isError).toBe(false);
  expect(await readName()).toBe('Lee');
  expect((await kith('undo --yes')).out).toBe('Undid `kith contacts update`: 1 change.\n');
  expect(await readName()).toBe('Kim');
});

test('an agent undoes a write once the user agrees, and redoes it', async () => {
  const { kith } = await createRecordingMachine();
  const readName = async () => (await kith('contacts get 0rlnky --jq .last_name')).out.trim();
  const before = await readName();
  const questions: string[] = [];
  let isAccepted = false;
  const person = (message: string) => {
    questions.push(message);
    return { action: 'accept' as const, content: { confirm: isAccepted } };
  };
  const { call } = await connectPerson(kith, { KITH_UNDO: 'on' }, person, '--allow-write');
  await call('contacts_write', { ...update, last_name: 'Lee' });
  expect(await call('undo', { action: 'undo', confirm: true })).toMatchObject({
    isError: true,
    structured: { error: { code: 'cancelled', message: 'The user did not confirm. Nothing was written.' } },
  });
  expect(await readName()).toBe('Lee');
  isAccepted = true;
  const undone = await call('undo', { action: 'undo' });
  expect(undone).toMatchObject({ isError: false, notes: [], structured: { value: JSON.parse(undone.text) } });
  expect(await readName()).toBe(before);
  expect(questions[1]).toMatch(/last_name.*Lee[\s\S]*\nUndo `kith contacts update`\?$/);
  expect((await call('undo', { action: 'redo' })).isError).toBe(false);
  expect(await readName()).toBe('Lee');
  const { structured } = await call('undo', { action: 'undo', list: true });
  expect(structured.records?.[0]).toMatchObject({ command: 'redo' });
});
