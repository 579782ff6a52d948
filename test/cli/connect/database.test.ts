import { expect, test } from 'vitest';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  writeStoredSettings,
} from '../../support/kith.ts';

const secretUrl = 'postgres://kith:pw5@db.example.com/kith';

test.each([
  `keys list --database ${secretUrl}?schema=x`,
  'serve --database postgres://kith:p@pw5@db.example.com/kith',
  'auth login --local --database postgres://kith:pw5@db.example.com:port/kith',
  'workspace import-events calendar.ics --database mysql://kith:pw5@db.example.com/kith',
  `schedule install x --hourly 0 -- keys list --database ${secretUrl}`,
  `keys list ${secretUrl}`,
  `${secretUrl} list`,
  `keys list --databse=${secretUrl}`,
])('%s is a usage error that shows no password, also with --json and --debug', async (line) => {
  const kith = createMachine();
  for (const flags of ['', '--json', '--debug']) {
    const { code, out, err } = await kith(line.replace(/( --|$)/, ` ${flags}$1`));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^kith: |^\{\n {2}"error"/);
    expect(err).not.toContain('pw5');
  }
});

test('a command fails if the environment names two workspaces', async () => {
  const env = {
    KITH_DATABASE_URL: secretUrl,
    KITH_BASE_URL: 'https://crm.example.com',
    KITH_API_KEY: 'key-1',
  };
  expect(await createMachine()('contacts list', { env })).toEqual({
    code: 2,
    out: '',
    err:
      'kith: KITH_DATABASE_URL and KITH_BASE_URL are both set.\n' +
      'hint: Unset one of them, or choose a workspace with --profile or --base-url.\n',
  });
});

test('KITH_DATABASE_URL selects a workspace file for all commands, without a profile', async () => {
  const folder = createTemporaryFolder();
  await createMachine(folder)('auth login --local');
  const settings = createTemporaryFolder();
  const kith = createMachine(settings);
  const env = { KITH_DATABASE_URL: `${folder}/workspace.sqlite` };
  expect((await kith('contacts create --first-name Ada', { env })).code).toBe(0);
  expect((await kith('contacts list --jq .[].first_name', { env })).out).toBe('Ada\n');
  expect((await kith('keys create cron', { env })).code).toBe(0);
  expect(JSON.parse((await kith('auth status --json', { env })).out)).toMatchObject({
    profile: null,
    workspace: env.KITH_DATABASE_URL,
    workspace_from: 'KITH_DATABASE_URL',
    works: true,
  });
  const findProfile = ['doctor', '--jq', '.[] | select(.check == "profile").found'];
  expect((await kith(findProfile, { env })).out).toBe(`KITH_DATABASE_URL, file ${env.KITH_DATABASE_URL}\n`);
  // The flags still name other workspaces.
  expect((await kith('contacts list --profile none', { env })).code).toBe(4);
  createSampleWorkspace(settings); // filling it takes longer than the rest
  const signedIn = await kith('auth login --local --demo', { env });
  expect(signedIn.out).toContain('demo.sqlite');
  const warning =
    'kith: KITH_DATABASE_URL is set and overrides the active profile. Unset it, or pass --profile demo.\n';
  expect(signedIn.err).toBe(warning);
  expect((await kith('auth switch demo', { env })).err).toBe(warning);
  expect((await kith('auth switch demo')).err).toBe('');
});

test('never prints a database password that was added to the settings by hand', async () => {
  const folder = createTemporaryFolder();
  writeStoredSettings(folder, { active: 'team', profiles: { team: { database: secretUrl } } });
  const kith = createMachine(folder);
  expect(JSON.parse((await kith('auth list --json')).out)).toEqual([
    { name: 'team', active: true, workspace: 'postgres://kith@db.example.com/kith', key: null },
  ]);
  expect((await kith('auth logout')).out).toBe(
    'Removed profile team. Its database was kept: postgres://kith@db.example.com/kith\n',
  );
});
