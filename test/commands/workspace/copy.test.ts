import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSampleWorkspace, writeStoredSettings } from '../../support/kith.ts';
import { readCopiedState } from './transfer/copied-state.ts';
import { createTransferMachine, sourceSize } from './transfer/transfer-machine.ts';

test('copies an archive to a hosted service', async () => {
  const { kith, source, sendOk } = await createTransferMachine();
  expect(await kith('workspace copy @source.sqlite @archive/')).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      /^Wrote .*archive: 3 custom fields, 3 organizations, 4 contacts, 2 lists, 6 entries/,
    ),
  });
  expect((await kith('workspace copy @archive team --yes')).code).toBe(0);
  expect(await readCopiedState(sendOk)).toEqual(await readCopiedState(source.sendOk));
});

test('copies a hosted service to an archive file, and the file to a missing workspace with all ids', async () => {
  const { kith } = await createTransferMachine();
  await kith('workspace copy @source.sqlite team --yes');
  expect(await kith('workspace copy team @archive.tar.gz')).toMatchObject({ code: 0 });
  const restored = await kith('workspace copy @archive.tar.gz @restored.sqlite --json');
  expect(restored).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(restored.out)).toContainEqual({ table: 'contacts', rows: 4 });
  expect(await kith('workspace diff team @restored.sqlite')).toMatchObject({ code: 0 });
});

test('copies a hosted service to an empty workspace with all ids', async () => {
  const { kith } = await createTransferMachine();
  await kith('workspace copy @source.sqlite team --yes');
  expect(await kith('workspace copy team @new.sqlite')).toMatchObject({ code: 0, err: '' });
  expect(await kith('workspace diff team @new.sqlite')).toMatchObject({ code: 0 });
});

test('names meetings, times and unknown fields that the API cannot write, before and after the copy', async () => {
  const { kith, folder, takeWrites } = await createTransferMachine();
  createSampleWorkspace(folder);
  await kith('workspace copy @demo.sqlite @archive/');
  const path = join(folder, 'archive', 'organizations.ndjson');
  const [first = '', ...others] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [first.replace('{', '{"avatar_url":"https://x.example/a.png",'), ...others].join('\n'));
  const { code, out, err } = await kith('workspace copy @archive team --dry-run --format tsv');
  expect({ code, writes: takeWrites() }).toEqual({ code: 6, writes: [] });
  expect(err).toContain('is damaged: organizations.ndjson has another SHA-256 sum.');
  expect(err).toContain(
    'kith: Not copied, because the API cannot create them: 36 meetings and 37 recordings. A copy to an empty workspace file keeps them.\n',
  );
  expect(err).toContain(
    'Not copied, because the API cannot write them: avatar_url of organizations (1 record), closed_at of entries (47 records).\n',
  );
  expect(out).toContain('events\t36\t0\t0\t0\t36\t0\t0\n');
});

test('names the records that the archive lacks', async () => {
  const { kith, folder } = await createTransferMachine();
  await kith('workspace copy @source.sqlite @archive/');
  const path = join(folder, 'archive', 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...manifest, unread: { nouns: [], lists: ['l7'], recordings: [] } }));
  for (const to of ['team', '@restored.sqlite'])
    expect(await kith(`workspace copy @archive ${to} --yes --format tsv`)).toMatchObject({
      code: 6,
      err: expect.stringContaining('The service did not return the entries of 1 list (l7).'),
    });
});

test('a copy into a file with records adds only the missing records', async () => {
  const { kith, folder, source } = await createTransferMachine();
  const env = { KITH_DATABASE_URL: join(folder, 'other.sqlite') };
  expect((await kith('workspace copy @source.sqlite @other.sqlite')).code).toBe(0);
  await kith('notes create --organization 한빛물류 --body Own', { env });
  await source.sendOk('POST /v1/contacts', { first_name: 'New' });
  expect(await kith('workspace copy @source.sqlite @other.sqlite --yes --format tsv')).toMatchObject({
    code: 0,
    out: expect.stringContaining('contacts\t5\t1\t0\t4\t0\t0\t0\n'),
  });
  expect(JSON.parse((await kith('notes list --all --json', { env })).out)).toHaveLength(6);
});

test('asks in a terminal before it writes, and tells how to revert the copy', async () => {
  const { kith, takeWrites } = await createTransferMachine();
  const line = 'workspace copy @source.sqlite team';
  const declined = await kith(line, { terminal: 100, answers: [false] });
  expect(declined).toMatchObject({
    code: 1,
    err: expect.stringContaining(`Copy to team: create ${sourceSize}?`),
  });
  expect(takeWrites()).toEqual([]);
  const accepted = await kith(line, { terminal: 100, answers: [true] });
  expect(accepted).toMatchObject({
    code: 0,
    out: expect.stringMatching(/contacts +4 +4/),
    err: expect.stringContaining('To revert the copy: kith undo --profile team'),
  });
  const again = await kith(line, { terminal: 100 });
  expect(again).toMatchObject({ code: 0, err: expect.not.stringContaining('?') });
});

test.each([
  ['team team', /^kith: FROM and TO are the same workspace: team\n/],
  ['team other', /^kith: FROM and TO are the same workspace: other\n/],
  ['@source.sqlite @source.sqlite', /^kith: FROM and TO are the same workspace: \/.*source\.sqlite\n/],
  ['local @source.sqlite', /^kith: FROM and TO are the same workspace: \/.*source\.sqlite\n/],
  ['teem @new.sqlite', /^kith: FROM: "teem" is neither a profile nor an existing file or folder\.\n/],
  [
    '@typo.sqlite team',
    /^kith: FROM: ".*typo\.sqlite" is neither a profile nor an existing file or folder\.\n/,
  ],
  [
    'team teem',
    /^kith: TO: "teem" is neither a profile nor an existing file\.\nhint: For a new file: \.\/teem\./,
  ],
  ['@a.tar.gz @b.tar.gz', /^kith: FROM: ".*a\.tar\.gz" is neither/],
  ['@folder @archive/', /^kith: FROM and TO are both archives\.\n/],
  ['team @new.sqlite --profile team', /^kith: --profile is not supported by `kith workspace copy`\.\n/],
  ['team https://x.example', /^kith: TO: a https:\/\/ URL is not supported\.\n/],
])('workspace copy %s is a usage error', async (words, message) => {
  const { kith, folder, url, file } = await createTransferMachine();
  mkdirSync(join(folder, 'folder'));
  const team = { base_url: url, api_key: 'key-for-tests' };
  writeStoredSettings(folder, { profiles: { team, other: team, local: { database: file } } });
  expect(await kith(`workspace copy ${words}`)).toMatchObject({
    code: 2,
    err: expect.stringMatching(message),
  });
  expect(existsSync(join(folder, 'new.sqlite'))).toBe(false);
});

test('a folder without a manifest is not an archive', async () => {
  const { kith, folder } = await createTransferMachine();
  mkdirSync(join(folder, 'folder'));
  expect(await kith('workspace copy @folder team --yes')).toMatchObject({
    code: 3,
    err: expect.stringContaining('is not a kith archive'),
  });
});

test('a local profile is its file, and its guards apply', async () => {
  const { kith, folder, url, file } = await createTransferMachine();
  const team = { base_url: url, api_key: 'key-for-tests', guards: { readonly: 'true' } };
  writeStoredSettings(folder, { profiles: { team, local: { database: file } } });
  expect(await kith('workspace copy local team')).toMatchObject({ code: 8 });
  expect(await kith('workspace copy local @rows.sqlite --json')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"contact_email"'),
  });
});

test('copies between an empty workspace and an archive write nothing with --dry-run', async () => {
  const { kith, folder } = await createTransferMachine();
  const backUp = await kith('workspace copy team @archive/ --dry-run');
  expect(backUp).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Would back up team to .*archive\.\n$/),
  });
  const copied = await kith('workspace copy team @new.sqlite --dry-run --json');
  expect(JSON.parse(copied.out)).toMatchObject({ action: 'restore', from: 'team' });
  expect(['archive', 'new.sqlite'].filter((name) => existsSync(join(folder, name)))).toEqual([]);
});

test('a copy into a workspace with records needs --yes if nobody can be asked', async () => {
  const { kith, takeWrites } = await createTransferMachine();
  expect(await kith('workspace copy @source.sqlite team')).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringContaining('Refusing to copy without confirmation. Pass --yes to skip the prompt.'),
  });
  expect(takeWrites()).toEqual([]);
});
