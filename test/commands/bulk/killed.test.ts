import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { startControlledService } from '../../import/controlled-service.ts';
import { createEnv, launcher, runKith } from '../../support/binary.ts';
import { createTemporaryFolder } from '../../support/kith.ts';
import { readStatuses } from './bulk-machine.ts';

test('a killed update sends only the missing writes the next time, and one undo reverts all', async () => {
  const count = 200;
  const service = await startControlledService();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1)
    ids.push((await service.sendOk<{ id: string }>('POST /v1/contacts', { first_name: `이름${index}` })).id);
  const env = createEnv(createTemporaryFolder(), { ...service.env, KITH_UNDO: 'auto' });
  const args = ['contacts', 'update', '-', '--last-name', '김', '--yes'];
  const child = spawn(process.execPath, [launcher, ...args], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let writes = 0;
  service.control.after = ({ method }) => {
    if (method === 'PATCH') writes += 1;
    if (writes === 80) child.kill('SIGKILL');
    return false;
  };
  child.stdin.end(ids.join('\n'));
  await once(child, 'exit');
  const sent = service.takeWrites().filter((line) => line.startsWith('PATCH'));
  expect(sent.length).toBeGreaterThanOrEqual(80);
  expect(sent.length).toBeLessThan(count);
  service.control.after = () => false;
  const { code, out, err } = await runKith(args, { env, stdin: ids.join('\n') });
  expect({ code, statuses: readStatuses(out).length }).toEqual({ code: 0, statuses: count });
  expect(err).toContain('kith: Continuing the interrupted `kith contacts update`: ');
  const again = service.takeWrites();
  expect(again).toHaveLength(count - new Set(sent).size);
  expect(readStatuses(out).filter((status) => status === 'updated')).toHaveLength(again.length);
  const undo = await runKith(['undo', '--yes'], { env });
  expect(undo).toMatchObject({ code: 0, out: `Undid \`kith contacts update\`: ${count} changes.\n` });
}, 60_000);
