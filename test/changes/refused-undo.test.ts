import { expect, test } from 'vitest';
import { createRecordingMachine, listLogs } from './recording-machine.ts';

const off = { env: { KITH_UNDO: 'off' } };

test('an undo whose only write was refused is not continued before later commands are undone', async () => {
  const { kith, run, folder } = createRecordingMachine();
  await run('contacts delete 0rlnky --yes');
  await run('contacts create --first-name X --email jiwoo.kim@hanbit-cold.example', off);
  expect((await kith('undo --yes')).code).toBe(5);
  expect(listLogs(folder)).toHaveLength(1);
  await run('contacts update e4yek8 --first-name Ada');
  expect(await kith('undo --yes')).toMatchObject({
    code: 0,
    out: 'Undid `kith contacts update`: 1 change.\n',
  });
});
