import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEnv, launcher, runProgram, runShell } from '../support/binary.ts';
import { createTemporaryFolder } from '../support/kith.ts';
import { createRecording, createRecords, readArchive, startArchiveMachine } from './archive-service.ts';

/** Whether this machine allows unprivileged mounts. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

test.runIf(canMount)('a full disk leaves the archive as it was, and the next backup continues', async () => {
  const records = createRecords(30);
  for (let index = 0; index < 30; index += 1)
    records.recordings.set(`r${index}`, { ...createRecording(index), transcript: 'x'.repeat(20_000) });
  const { home, env, kith, archive } = await startArchiveMachine(records);
  const disk = createTemporaryFolder();
  const command = `"${process.execPath}" bin/kith.js workspace`;
  const backUp = `${command} backup ${disk}/archive --quiet; echo "code $?"`;
  const script = [
    `mount -t tmpfs -o size=256k none ${disk}`,
    backUp,
    `mount -o remount,size=8m ${disk}`,
    backUp,
    `mount -o remount,size=700k ${disk}`,
    `KITH_API_KEY=another-key ${command} backup ${disk}/archive --force --quiet; echo "code $?"`,
    `${command} verify ${disk}/archive --quiet; echo "code $?"`,
    `mkdir ${archive}; cp -r ${disk}/archive/*.* ${archive}`,
  ].join('; ');
  const { out, err } = await runShell(`unshare -rm bash -c '${script}'`, { env: createEnv(home, env) });
  expect({ out, err }).toEqual({
    out: 'code 1\ncode 0\ncode 1\ncode 0\n',
    err: expect.stringMatching(
      /^(kith: Cannot write .*recordings.ndjson: no space left on the disk\.\n){2}$/,
    ),
  });
  const single = join(home, 'single');
  await kith(`workspace backup ${single}`);
  expect(readArchive(archive)).toEqual(readArchive(single));
});

test('needs no more memory for more contacts', async () => {
  const records = createRecords(0);
  const text = 'x'.repeat(3000);
  records.contacts = Array.from({ length: 18_000 }, (_, index) => `{"id":"c${index}","note":"${text}"}`);
  const { home, env, archive } = await startArchiveMachine(records);
  // Less than the 54 MB of the contacts.
  const flags = ['--max-old-space-size=40', '--max-semi-space-size=1'];
  for (const words of [['backup'], ['backup'], ['verify']]) {
    const line = [...flags, launcher, 'workspace', ...words, archive];
    const { code, err } = await runProgram(process.execPath, line, { env: createEnv(home, env) });
    expect({ code, err }).toEqual({ code: 0, err: '' });
  }
});
