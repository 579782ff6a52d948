import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readIds, startArchiveMachine } from '../../archive/archive-service.ts';
import { createDemoMachine, createTemporaryFolder } from '../../support/kith.ts';

const refusal = (text: string) => ({ code: 2, out: '', err: expect.stringContaining(text) });

test('refuses the root, the home folder, a Git repository and a folder with other files, unless --force', async () => {
  const { kith, home, takeRequests } = await startArchiveMachine();
  const [git, link] = [join(home, 'repository'), join(home, 'link')];
  execFileSync('git', ['init', '-q', git]);
  symlinkSync(home, link);
  const [busy, exported] = [join(home, 'busy'), join(home, 'exported')];
  for (const folder of [busy, exported]) mkdirSync(folder);
  writeFileSync(join(busy, 'photo.jpg'), '');
  writeFileSync(join(exported, 'contacts.ndjson'), '{"id":"mine"}\n');
  expect(await kith('workspace backup /')).toEqual(refusal('/ is the root of the file system'));
  expect(await kith(`workspace backup ${home}/`)).toEqual(refusal('your home folder'));
  expect(await kith(`workspace backup ${link}`)).toEqual(refusal('your home folder'));
  expect(await kith(`workspace backup ${git}`)).toEqual(refusal('the root of a Git repository'));
  expect(await kith(`workspace backup ${busy}`)).toEqual(refusal('not an archive: it has photo.jpg'));
  expect(await kith(`workspace backup ${exported}`)).toEqual(refusal('it has contacts.ndjson'));
  expect(takeRequests()).toEqual([]);
  expect(readIds(exported, 'contacts')).toEqual(['mine']);
  for (const folder of [git, busy, exported])
    expect((await kith(`workspace backup ${folder} --force`)).code).toBe(0);
  expect(existsSync(join(busy, 'photo.jpg'))).toBe(true);
  expect((await kith(`workspace backup ${busy}`)).code).toBe(0);
});

test('names a path below a file, and refuses an empty path', async () => {
  const { kith, home } = await startArchiveMachine();
  const below = join(home, 'file', 'archive');
  writeFileSync(join(home, 'file'), '');
  for (const line of ['backup', 'verify', 'diff'])
    expect(await kith(`workspace ${line} ${below}`)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(`${below}: a part of its path is not a folder`),
    });
  expect(await kith(['workspace', 'backup', ''])).toEqual(refusal('DIR is empty'));
});

test('refuses the archive of another workspace or of another key, unless --force', async () => {
  const { kith, archive } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  const other = await startArchiveMachine();
  other.records.contacts.pop();
  expect(await other.kith(`workspace backup ${archive}`)).toEqual(
    refusal('is the archive of another workspace'),
  );
  const otherKey = { KITH_API_KEY: 'another-key' };
  expect(await kith(`workspace backup ${archive}`, otherKey)).toEqual(
    refusal('Pass --force if both keys belong to the same workspace'),
  );
  other.takeRequests();
  expect((await other.kith(`workspace backup ${archive} --force --keep 1`)).code).toBe(0);
  expect(other.takeRequests().filter((url) => url.startsWith('/v1/recordings/'))).toHaveLength(3);
  expect(readIds(archive, 'contacts')).toEqual(['c1']);
  const [older = ''] = readdirSync(join(archive, 'older'));
  expect(readIds(join(archive, 'older', older), 'contacts')).toEqual(['c1', 'c2']);
});

test('refuses a folder inside an archive', async () => {
  const { kith, archive } = await startArchiveMachine();
  await kith(`workspace backup ${archive}`);
  for (const folder of ['.next', 'older', 'older/mine'])
    expect(await kith(`workspace backup ${join(archive, folder)} --force`)).toEqual(
      refusal(`is inside the archive ${archive}`),
    );
});

test('names the file in the way, and a folder that cannot be written', async () => {
  const { kith, home } = await startArchiveMachine();
  const file = join(home, 'file');
  writeFileSync(file, '');
  expect(await kith(`workspace backup ${file}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('it is a file, not a folder'),
  });
});

test('backs up a workspace file, and the profile that --profile names', async () => {
  const folder = createTemporaryFolder();
  const kith = createDemoMachine(folder);
  const archive = join(folder, 'archive');
  const { code, out } = await kith(`workspace backup ${archive} --profile demo --json`);
  expect({ code, files: JSON.parse(out).files }).toMatchObject({
    code: 0,
    files: { contacts: { records: 150 }, recordings: { records: 37 } },
  });
  expect(await kith(`workspace backup ${archive} --json --jq .files.recordings.requested`)).toMatchObject({
    code: 0,
    out: '1\n', // the only recording that is not done
  });
  expect((await kith(`workspace verify ${archive}`)).code).toBe(0);
});
