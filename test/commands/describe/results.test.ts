import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CommandsDocument } from '../../../src/contract/documents/schemas.ts';
import { createExampleHome } from '../../support/example-home.ts';
import { createFakeSchedulers } from '../../support/fake-schedulers.ts';
import { createMachine, type MachineOptions, splitWords } from '../../support/kith.ts';
import { createOldFile } from '../../support/old-workspace.ts';
import { startHostedMachine } from '../workspace/mirror-service.ts';
import { createSchemaCheck } from './json-schema.ts';

const readDocument = async (line: string) => JSON.parse((await createMachine('/dev/null/kith')(line)).out);
const { commands }: CommandsDocument = await readDocument('commands --json');

/** A terminal whose editor replaces a text, which the person confirms. */
const edit = (before: RegExp | string, after: string): MachineOptions => ({
  terminal: 100,
  answers: [true],
  env: { EDITOR: 'vi' },
  editorText: (text) => text.replace(before, after),
});

/** Lines that run in order on one copy of the sample. */
const stories: Readonly<Record<string, readonly (string | readonly [string, MachineOptions])[]>> = {
  contacts: [
    'contacts list',
    'contacts list --count',
    'contacts get 0rlnky',
    ['contacts get -', { stdin: '0rlnky' }],
    'contacts show 0rlnky',
    ['contacts show -', { stdin: '0rlnky' }],
    'contacts find --phone 010-5550-1234',
    'contacts create "Ada Lovelace" --email ada@analytical.example',
    'contacts create Ada --email ada@analytical.example --if-absent email',
    'contacts create --first-name Ada --dry-run',
    'contacts upsert --email ada@analytical.example --last-name King',
    'contacts upsert --email ada@analytical.example --last-name Queen --dry-run',
    'contacts update 0rlnky --add-field "Met by=rui@tidewater.example"',
    'contacts update 0rlnky --email a@hanbit-cold.example --email b@hanbit-cold.example',
    "contacts update --where 'organization ~ 한빛' --field Language=Korean --yes",
    "contacts update --where 'organization ~ 한빛' --field Language=French --dry-run",
    "contacts update --where 'first_name = nobody' --field Language=French --yes",
    ['contacts update - --field Language=French --yes', { stdin: '0rlnky\nnobody1\n' }],
    'contacts edit 0rlnky --file contact.yaml',
    'contacts edit 0rlnky --file contact.yaml --dry-run',
    'contacts remove-emails 0rlnky a@hanbit-cold.example --dry-run',
    'contacts remove-emails 0rlnky a@hanbit-cold.example --yes',
    'contacts import people.csv --dry-run',
    'contacts import visitors.csv --map E-mail=email --ignore Notes --create-fields',
    'contacts import people.csv --organization auto --list Newsletter',
    'contacts import --undo people.report.csv --dry-run',
    'contacts import --undo people.report.csv --yes',
    'contacts duplicates --min-score 1',
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --take last_name --dry-run',
    'contacts merge 0rlnky dohyun.park@hanbit-cold.example --take last_name --yes',
    'contacts delete 0rlnky --dry-run',
    'contacts delete 0rlnky --yes',
    'contacts delete v49o47 nobody1 --yes',
    "contacts delete --where 'updated_at < 2020-01-01' --yes",
    'undo --list',
    'undo --dry-run',
    'undo --yes',
    'redo --dry-run',
    'redo --yes',
    'undo --list',
  ],
  organizations: [
    'organizations list',
    'organizations get rl16pk',
    'organizations show rl16pk',
    'organizations find --name 한빛물류',
    'organizations create --domain analytical.example --if-absent domain',
    'organizations create Analytical --dry-run',
    'organizations upsert --domain analytical.example --name "Analytical Engines"',
    'organizations update rl16pk --domain hanbit.example',
    "organizations update --where 'name ~ 한빛' --add-field 'Keeps cold=Vaccines' --yes",
    ['organizations edit rl16pk', edit(/^name: .*$/m, 'name: Hanbit')],
    'organizations remove-domains rl16pk hanbit.example --yes',
    'organizations import companies.csv --dry-run',
    'organizations import leads.csv --list "Sales pipeline" --status Lead --list-field Rooms=Rooms',
    'organizations duplicates --min-score 1',
    'organizations merge rl16pk 영도필름보관소 --take name --dry-run',
    'organizations merge rl16pk 영도필름보관소 --take name --yes',
    'organizations delete rl16pk --yes',
  ],
  notes: [
    'notes list',
    'notes list --count',
    'notes get NOTE',
    'notes create hanbit-cold.example "Called back"',
    'notes create hanbit-cold.example "Called back" --dry-run',
    'notes update NOTE --body "Quote sent."',
    ['notes edit NOTE', edit('Quote', 'Offer')],
    'notes import calls.csv --dry-run',
    'notes import calls.csv',
    'notes import --undo calls.report.csv --yes',
    'notes delete NOTE --yes',
    'custom-fields list',
    'custom-fields get FIELD',
    'custom-fields create Anniversary --model contact --type date',
    'custom-fields update FIELD --name Territory',
    ['custom-fields edit FIELD', edit(/^name: .*$/m, 'name: Realm')],
    'custom-fields delete FIELD --yes',
  ],
  lists: [
    'lists list',
    'lists get "Sales pipeline"',
    'lists report "Sales pipeline"',
    'lists report "Sales pipeline" --by "Expected close"',
    'lists report "Sales pipeline" --by Rooms',
    'lists report "Sales pipeline" --by organization',
    'lists report "Sales pipeline" --html page.html',
    'report "Sales pipeline"',
    'deals report "Sales pipeline"',
    'workspace backup kith-backup',
    'lists create Fair --entry-type Contact --field "Met at:date"',
    'lists update Newsletter --name Digest',
    ['lists edit Digest', edit(/^name: .*$/m, 'name: Paper')],
    'entries list "Sales pipeline"',
    'entries list Paper',
    'entries list "Sales pipeline" --count --sum one_time_value',
    'entries get DEAL-1',
    ['entries get -', { stdin: 'DEAL-1\nDEAL-2' }],
    'entries show DEAL-1',
    'entries add Paper --contact dohyun.park@hanbit-cold.example',
    ['entries add Paper --contact - --yes', { stdin: '0rlnky\nv49o47\n' }],
    'entries add "Sales pipeline" --organization rl16pk --status Qualified --one-time-value 1200.50',
    'entries update DEAL-1 --status Won',
    'entries update DEAL-1 --status Lost --dry-run',
    'entries update "Sales pipeline" --where \'Rooms > 5\' --field Rooms=6 --yes',
    ['entries edit DEAL-1', edit(/one_time_value: .*$/m, 'one_time_value: 77')],
    'entries import "Sales pipeline" deals.csv --dry-run',
    'entries import "Sales pipeline" deals.csv',
    'deals list --process "Sales pipeline"',
    'deals get DEAL-2',
    'deals show DEAL-2',
    'deals add --process "Sales pipeline" --organization rl16pk --status Qualified',
    'deals update DEAL-2 --status Won',
    'deals move DEAL-3 Won',
    'deals move DEAL-3 Won',
    'lists report "Sales pipeline" --compare kith-backup',
    ['deals edit DEAL-2', edit(/one_time_value: .*$/m, 'one_time_value: 78')],
    'deals import --process "Sales pipeline" deals.csv --dry-run',
    'deals delete DEAL-2 --yes',
    'entries delete DEAL-3 --yes',
    'lists delete Paper --yes',
  ],
  meetings: [
    'meetings list',
    'meetings get latest',
    'meetings show latest',
    'meetings show 2026-11-18',
    ['meetings show -', { stdin: 'MEETING' }],
    'meetings summary latest',
    'meetings summary RECORDING',
    'meetings transcript RECORDING',
    'meetings transcript latest',
    'recordings get RECORDING',
    'recordings summary RECORDING',
    'recordings transcript RECORDING',
    'meetings grep "cold room" --max 3 --context 20',
    'meetings export --out meetings --transcript',
    'meetings export status meetings',
    'meetings export verify meetings',
    'meetings grep "cold room" --max 3 --out meetings',
    'actions list',
    'actions list --count',
    'actions done ACTION --dry-run',
    'actions done ACTION',
    'actions reopen ACTION',
    'followup',
    'followup --snooze 7d --organization 3p524p',
    'today',
    'today --user rui@tidewater.example --stale',
    'today --date 2026-11-18 --user mina@tidewater.example',
    'brief',
    'brief DEAL-29',
    'search room',
    'search 010-5550-1234',
    'search cold room alarm --in meetings,notes',
    'index update',
    'index status',
    'search room',
    'index clear',
    'index status',
    'workspace import-events calendar.ics',
    'workspace import-recording EVENT second-part.vtt --add --summary notes.md',
    'meetings summary EVENT',
    'meetings transcript EVENT',
    'recordings get EVENT',
    'workspace remove-recording RECORDING --dry-run',
    'workspace remove-recording RECORDING --yes',
  ],
  files: [
    'batch changes.ndjson --dry-run',
    'batch changes.ndjson',
    [
      'batch - --yes',
      {
        stdin:
          '{"command":"contacts get","id":"nobody1"}\n{"command":"contacts delete","id":"0rlnky"}\n{"command":"contacts list","limit":1}',
      },
    ],
    'workspace info',
    'workspace backup kith-backup',
    'workspace backup kith-backup --archive kith.tar.gz',
    'workspace verify kith-backup',
    'workspace copy demo.sqlite copy.sqlite',
    'workspace copy kith-backup restored.sqlite',
    'workspace copy kith-backup third.sqlite --dry-run',
    'workspace copy demo.sqlite kith-backup/ --dry-run',
    'workspace copy demo.sqlite kith-backup/',
    'contacts update v49o47 --last-name Kimm',
    'workspace copy kith-backup demo --dry-run',
    'workspace copy kith-backup demo --verbose',
    'workspace diff demo.sqlite copy.sqlite',
    'workspace diff demo.sqlite kith-backup',
    'workspace checkout crm --only organizations',
    'organizations update rl16pk --name Hanbit',
    'workspace status crm',
    'workspace checkout crm',
    'migrate --dry-run',
    'keys create laptop',
    'keys list',
    'keys revoke KEY_ID',
    'api /v1/contacts?first=1',
    'api /v1/contacts -f first_name=Ada --dry-run',
  ],
  machine: [
    'auth status',
    'auth list',
    'auth login --local --database other.sqlite --profile other',
    'auth switch demo',
    'schedule install nightly --daily 03:00 --dry-run -- contacts list',
    'schedule install nightly --daily 03:00 --yes -- contacts list',
    'schedule list',
    'schedule run nightly',
    'schedule list',
    'schedule remove nightly --dry-run',
    'schedule remove nightly --yes',
    'schedule remove nightly --yes',
    'config list',
    'config get page-size',
    'config set page-size 200',
    'config unset page-size',
    'config path',
    'alias set person "contacts find --email $1@tidewater.example"',
    'alias list',
    'alias delete person',
    'doctor',
    'version',
    'agents install claude --yes',
    'agents list',
    'agents show',
    'agents remove claude --yes',
    'commands',
    'schema',
    'schema contacts',
    'completion bash',
    ['serve --demo --port 0', { interruptAt: ' on http://127.0.0.1:' }],
    'auth logout --profile other',
  ],
};

/** The commands and results of all checked outputs. */
const seen = { commands: new Set<string>(), results: new Set<string>() };

/** Checks that the JSON of a command has one of its results. */
function checkResult(line: string, out: string): void {
  const words = splitWords(line);
  const [command] = commands
    .filter(({ path, aliases }) =>
      path.every((word, at) => word === words[at] || (at === 0 && aliases.includes(words[at] ?? ''))),
    )
    .toSorted((left, right) => right.path.length - left.path.length);
  const value: unknown = JSON.parse(out);
  const checks = command?.results.map((result) => [result, createSchemaCheck(result)(value)] as const) ?? [];
  const [result] = checks.find(([, differences]) => differences.length === 0) ?? [];
  const differences = result ? [] : checks.map(([name, all]) => [name, all.slice(0, 5)]);
  expect
    .soft({ line, command: command?.path, differences })
    .toEqual({ line, command: expect.anything(), differences: [] });
  seen.commands.add(command?.path.join(' ') ?? '');
  // An empty array is no evidence.
  if (result && out.trim() !== '[]') seen.results.add(result.replace('[]', ''));
}

test.each(Object.entries(stories))(
  '%s: the JSON of each command has a schema of its results',
  async (_, lines) => {
    const { folder, kith, fillPaths, fillIds } = await createExampleHome();
    const { PATH } = createFakeSchedulers(folder);
    mkdirSync(join(folder, '.claude'));
    for (const item of lines) {
      const [line, { stdin, ...options }] = typeof item === 'string' ? [item, {} as MachineOptions] : item;
      const [words = '', ...commandLine] = (await fillPaths(line)).split(' -- ');
      const { out, err } = await kith(splitWords([`${words} --json`, ...commandLine].join(' -- ')), {
        now: new Date('2026-11-23T09:30:00Z'),
        ...options,
        ...(stdin !== undefined && { stdin: await fillIds(stdin) }),
        env: { HOME: folder, PATH, KITH_UNDO: 'on', ...options.env },
      });
      expect({ line, out, err }).not.toMatchObject({ out: '' });
      checkResult(line, out);
    }
  },
);

test('workspace push', async () => {
  const { folder, kith } = await createExampleHome();
  await kith(`workspace checkout ${folder}/crm --only organizations`);
  writeFileSync(join(folder, 'crm/organizations/acme.yaml'), 'name: Acme\n');
  for (const line of ['workspace push --dry-run', 'workspace push --yes'])
    checkResult(line, (await kith(`${line} ${folder}/crm --json`)).out);
});

test('workspace copy of an incomplete archive', async () => {
  const { folder, kith } = await createExampleHome();
  await kith(`workspace backup ${folder}/archive`);
  const manifest = JSON.parse(readFileSync(join(folder, 'archive/manifest.json'), 'utf8'));
  const unread = { nouns: [], lists: [], recordings: ['r1'] };
  writeFileSync(join(folder, 'archive/manifest.json'), JSON.stringify({ ...manifest, unread }));
  checkResult(
    'workspace copy',
    (await kith(`workspace copy ${folder}/archive ${folder}/new.sqlite --json`)).out,
  );
});

test('migrate and workspace pull', async () => {
  const { kith } = await startHostedMachine();
  for (const line of ['workspace pull', 'workspace pull --remove', `migrate --database ${createOldFile(4)}`])
    checkResult(line, (await kith(`${line} --json`)).out);
});

/** `mcp` accepts no --json. The other tests of this folder check the documents. */
const checkedElsewhere = { commands: ['mcp'], results: ['error', 'envelope', 'compact'] };

test('the output of every command is checked, and every result occurs', async () => {
  const paths = commands.map(({ path }) => path.join(' '));
  expect(paths.filter((path) => !seen.commands.has(path))).toEqual(checkedElsewhere.commands);
  const names: string[] = (await readDocument('schema --json')).map(({ name }: { name: string }) => name);
  expect(names.filter((name) => !seen.results.has(name))).toEqual(checkedElsewhere.results);
});
