import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  writeStoredSettings,
} from '../../support/kith.ts';

function createLoginMachine() {
  const folder = createTemporaryFolder();
  const kith = createMachine(folder);
  const logIn = async (flags: string) => {
    const { code, out, err } = await kith(`auth login --local ${flags} --jq .`);
    return { code, err, file: code === 0 ? JSON.parse(out).database.replace(`${folder}/`, '') : undefined };
  };
  return { folder, kith, logIn };
}

test('each local profile gets its own workspace file', async () => {
  const { kith, logIn, folder } = createLoginMachine();
  expect(await logIn('')).toEqual({ code: 0, err: '', file: 'workspace.sqlite' });
  expect(await logIn('--profile second')).toEqual({ code: 0, err: '', file: 'second.sqlite' });
  await kith('organizations create --name Acme');
  expect((await kith('organizations list --profile local --json')).out).toBe('[]\n');
  // Filling the sample takes longer than the rest.
  copyFileSync(createSampleWorkspace(folder), join(folder, 'trial.sqlite'));
  expect((await logIn('--demo')).file).toBe('demo.sqlite');
  expect((await logIn('--demo --profile trial')).file).toBe('trial.sqlite');
  // Names of files that other profiles have, and names that are not file names.
  expect((await logIn('--profile workspace')).file).toBe('workspace-2.sqlite');
  expect((await logIn('--profile Second')).file).toBe('Second-2.sqlite');
  expect((await logIn('--profile ../x/y')).file).toBe('x-y.sqlite');
  expect((await logIn('--profile "-x-y"')).file).toBe('x-y-2.sqlite');
  expect((await logIn('--profile 개인')).file).toBe('개인.sqlite');
  // Signing in again, also after a logout, finds the file again.
  await kith('auth logout --profile second');
  expect((await logIn('--profile second')).file).toBe('second.sqlite');
  expect(readdirSync(folder).filter((name) => name.endsWith('.sqlite'))).toHaveLength(9);
});

test('a second login keeps the file of a profile; a note names a profile that uses the same file', async () => {
  const { logIn, folder } = createLoginMachine();
  const database = join(folder, 'workspace.sqlite');
  writeStoredSettings(folder, { active: 'second', profiles: { second: { database } } });
  const secondLogin = {
    code: 0,
    err: 'kith: The profile second uses the same file.\n',
    file: 'workspace.sqlite',
  };
  expect(await logIn('--profile second')).toEqual({ code: 0, err: '', file: 'workspace.sqlite' });
  expect(await logIn('')).toMatchObject({ code: 0, err: '', file: 'workspace-2.sqlite' });
  expect(await logIn(`--profile third --database ${database}`)).toEqual(secondLogin);
});
