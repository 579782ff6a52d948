import { expect, test } from 'vitest';
import { kithJs, shell, signedIn } from '../support/binary.ts';

const full = { out: '1', err: 'kith: There is no space left to write to.\n' };

test.each<[string, string, { out: string; err?: string }]>([
  ['A reader of stderr that has gone', 'kith contacts get nope 2> >(true)', { out: '3' }],
  ['A reader of --debug that has gone', 'kith contacts list -q --debug 2> >(true) >file', { out: '0' }],
  ['A reader of both that has gone', 'kith contacts list --all --debug 2>&1 | true', { out: '0' }],
  ['A reader of what jq makes that has gone', "kith contacts list --all --jq '.[]' | true", { out: '0' }],
  [
    'A reader of the lines of jq that has gone',
    'kith contacts list --all --format ndjson --jq . | true',
    { out: '0' },
  ],
  ['A reader of an export that has gone', 'kith events export --out meetings -q | true', { out: '0' }],
  ['stdout closed from the start, with --jq', "kith contacts list -q --jq '.[]' >&-", { out: '0' }],
  ['stderr closed from the start, with --debug', 'kith contacts list --debug 2>&- >file', { out: '0' }],
  ['stderr closed from the start, and a wrong flag', 'kith contacts list --nope 2>&-', { out: '2' }],
  ['Both closed from the start, and an error', 'kith contacts get nope >&- 2>&-', { out: '3' }],
  ['A full disk under stderr', 'kith contacts list --debug 2>/dev/full >file', { out: '0' }],
  ['A full disk under stdout, with NDJSON', 'kith contacts list --format ndjson >/dev/full', full],
  ['A full disk under stdout, with --jq', "kith contacts list --jq '.[]' >/dev/full", full],
  [
    'A full disk under the answer to a write',
    'kith contacts create --first-name Ada >/dev/full',
    { out: '1', err: `kith: There is no space left to write to. The command itself has completed.\n` },
  ],
  [
    'A full disk under the answer to a read, of a command that can write',
    'kith api /v1/contacts >/dev/full',
    full,
  ],
  [
    'A reader that has gone, and a write that is done in part',
    'kith contacts delete 0rlnky nobody --yes | true',
    { out: '6', err: expect.stringContaining('nobody') },
  ],
  ['A full disk under both', 'kith contacts list >/dev/full 2>/dev/full', { out: '1' }],
  [
    'A disk that has room for half of a short text',
    'head -c 1022 /dev/zero >file; ulimit -f 1; kith --version >>file',
    full,
  ],
  ['A full disk under the version', 'kith --version >/dev/full 2>/dev/full', { out: '1' }],
])('%s', async (_, line, { out, err = '' }) => {
  const { env, home: cwd } = signedIn();
  const { out: code, err: said } = await shell(`${line}; echo "\${PIPESTATUS[0]}"`, { env, cwd });
  expect({ code: code.trim(), err: said }).toEqual({ code: out, err });
});

test('SIGTERM where a pipe is full of what another program wrote', async () => {
  const { env, home: cwd } = signedIn();
  const kith = `timeout --preserve-status -s TERM 1.5 "${process.execPath}" "${kithJs}"`;
  const line = `{ head -c 65536 /dev/zero; ${kith} contacts list -q --limit 1; echo $? >code; } | sleep 4; cat code`;
  // A machine that is busy may not get to say so.
  const err = expect.stringMatching(/^(kith: Terminated\.\n)?$/);
  expect(await shell(line, { env, cwd })).toEqual({ code: 0, out: '143\n', err });
});
