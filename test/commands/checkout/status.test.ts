import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../../support/kith.ts';
import { createWorkingCopy } from './working-copy.ts';

test('status --local sends no request', async () => {
  const { checkout, create, kith, root } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  await checkout();
  const { code, err } = await kith(['workspace', 'status', root, '--local', '--debug']);
  expect({ code, requests: err.match(/GET/g) }).toEqual({ code: 0, requests: null });
});

test('the working copy has no key, and Git sees only the records', async () => {
  const { checkout, create, root } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  mkdirSync(root);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '--quiet');
  await checkout();
  git('add', '--all');
  expect(git('diff', '--cached', '--name-only')).toBe('contacts/ada.yaml\n');
  expect(existsSync(join(root, '.kith/archive'))).toBe(true);
});

test('neither writes nor reads through a link', async () => {
  const { checkout, create, kith, root } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  const outside = createTemporaryFolder();
  mkdirSync(root);
  symlinkSync(outside, join(root, 'contacts'));
  const refusal = { code: 2, err: expect.stringContaining('is a link.') };
  expect(await kith(['workspace', 'checkout', root])).toMatchObject(refusal);
  expect(readdirSync(outside)).toEqual([]);
  rmSync(join(root, 'contacts'));
  await checkout();
  rmSync(join(root, 'contacts/ada.yaml'));
  symlinkSync('/etc/passwd', join(root, 'contacts/ada.yaml'));
  expect(await kith(['workspace', 'push', root, '--yes'])).toMatchObject(refusal);
});

test('a new file that cannot be read is invalid', async () => {
  const { checkout, create, kith, root, write } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  await checkout();
  write('contacts/bad.yaml', 'first_name: X\nlast_name: "a\n');
  for (const flags of [[], ['--local']]) {
    const { out, err } = await kith(['workspace', 'status', root, '--jq', '.', ...flags]);
    expect(JSON.parse(out)).toMatchObject([{ state: 'invalid', file: 'contacts/bad.yaml' }]);
    expect(err).toContain('kith: contacts/bad.yaml:3: ');
  }
});

test('a folder with the name of a file does not delete the record', async () => {
  const { checkout, create, kith, push, root } = createWorkingCopy();
  const ada = await create('contacts create --first-name Ada');
  const acme = await create('organizations create --name Acme');
  await create(['notes', 'create', '--organization', acme, '--body', 'Called.']);
  await checkout();
  rmSync(join(root, 'contacts/ada.yaml'));
  mkdirSync(join(root, 'contacts/ada.yaml'));
  expect(await push()).toMatchObject({ code: 2, err: expect.stringContaining('ada.yaml is a folder.') });
  rmSync(join(root, 'contacts/ada.yaml'), { recursive: true });
  await checkout('--overwrite');
  rmSync(join(root, 'organizations/acme/notes'), { recursive: true });
  writeFileSync(join(root, 'organizations/acme/notes'), '');
  const { code, out } = await kith(['workspace', 'status', root, '--json']);
  expect({ code, rows: JSON.parse(out) }).toMatchObject({
    code: 0,
    rows: [{ state: 'invalid', file: 'organizations/acme/notes' }],
  });
  expect(await kith(`contacts get ${ada}`)).toMatchObject({ code: 0 });
});

test('a new file that is not UTF-8 is an error', async () => {
  const { checkout, create, push, root } = createWorkingCopy();
  await create('contacts create --first-name Ada');
  await checkout();
  writeFileSync(join(root, 'contacts/latin.yaml'), Buffer.from('first_name: Andr\u00e9\n', 'latin1'));
  expect(await push()).toMatchObject({
    code: 2,
    err: expect.stringContaining('contacts/latin.yaml:1: The file is not UTF-8.'),
  });
});
