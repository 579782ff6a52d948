import { expect, test } from 'vitest';
import { createSignedInHome, launcher, runShell } from '../support/binary.ts';

const diskFullResult = { out: '1', err: 'kith: Cannot write: no space left on the disk.\n' };

test.each<[string, string, { out: string; err?: string }]>([
  [
    'keeps the exit code of an error if the reader closes stderr',
    'kith contacts get nope 2> >(true)',
    { out: '3' },
  ],
  [
    'exits with 0 if the reader closes stderr under --debug',
    'kith contacts list -q --debug 2> >(true) >file',
    { out: '0' },
  ],
  [
    'exits with 0 and prints nothing if the reader closes both streams',
    'kith contacts list --all --debug 2>&1 | true',
    { out: '0' },
  ],
  [
    'exits with 0 and prints nothing if the reader closes the output of --jq',
    "kith contacts list --all --jq '.[]' | true",
    { out: '0' },
  ],
  [
    'exits with 0 and prints nothing if the reader closes the NDJSON output of --jq',
    'kith contacts list --all --format ndjson --jq . | true',
    { out: '0' },
  ],
  [
    'exits with 0 and completes an export if the reader closes stdout',
    'kith events export --out meetings -q | true',
    { out: '0' },
  ],
  ['exits with 0 if stdout is closed from the start', "kith contacts list -q --jq '.[]' >&-", { out: '0' }],
  [
    'exits with 0 if stderr is closed from the start, even with --debug',
    'kith contacts list --debug 2>&- >file',
    { out: '0' },
  ],
  [
    'exits with 2 after an invalid flag even if stderr is closed from the start',
    'kith contacts list --nope 2>&-',
    { out: '2' },
  ],
  [
    'keeps the exit code of an error if both streams are closed from the start',
    'kith contacts get nope >&- 2>&-',
    { out: '3' },
  ],
  [
    'exits with 0 if stderr goes to a full disk',
    'kith contacts list --debug 2>/dev/full >file',
    { out: '0' },
  ],
  [
    'exits with 1 and reports it in one line if stdout goes to a full disk',
    'kith contacts list --format ndjson >/dev/full',
    diskFullResult,
  ],
  [
    'exits with 1 and reports it in one line if the output of --jq goes to a full disk',
    "kith contacts list --jq '.[]' >/dev/full",
    diskFullResult,
  ],
  [
    'exits with 1 and says that the write was carried out if stdout goes to a full disk',
    'kith contacts create --first-name Ada >/dev/full',
    { out: '1', err: `kith: Cannot write: no space left on the disk. The command itself has completed.\n` },
  ],
  [
    'does not claim a write after a read with kith api if stdout goes to a full disk (exit code 1)',
    'kith api /v1/contacts >/dev/full',
    diskFullResult,
  ],
  [
    'exits with 6 after a partly completed write even if the reader closes stdout',
    'kith contacts delete 0rlnky nobody --yes | true',
    { out: '6', err: expect.stringContaining('nobody') },
  ],
  [
    'exits with 1 if both streams go to a full disk',
    'kith contacts list >/dev/full 2>/dev/full',
    { out: '1' },
  ],
  [
    'exits with 1 if the disk has room for half of the output',
    'head -c 1022 /dev/zero >file; ulimit -f 1; kith --version >>file',
    diskFullResult,
  ],
  [
    'exits with 1 if the output of --version goes to a full disk',
    'kith --version >/dev/full 2>/dev/full',
    { out: '1' },
  ],
])('%s', async (_, line, { out, err = '' }) => {
  const { env, home: cwd } = createSignedInHome();
  const { out: code, err: message } = await runShell(`${line}; echo "\${PIPESTATUS[0]}"`, { env, cwd });
  expect({ code: code.trim(), err: message }).toEqual({ code: out, err });
});

test('exits with 143 after SIGTERM while another program fills the pipe', async () => {
  const { env, home: cwd } = createSignedInHome();
  const kith = `timeout --preserve-status -s TERM 1.5 "${process.execPath}" "${launcher}"`;
  const line = `{ head -c 65536 /dev/zero; ${kith} contacts list -q --limit 1; echo $? >code; } | sleep 4; cat code`;
  // On a busy machine, kith may be killed before it prints the message.
  const err = expect.stringMatching(/^(kith: Terminated\.\n)?$/);
  expect(await runShell(line, { env, cwd })).toEqual({ code: 0, out: '143\n', err });
});
