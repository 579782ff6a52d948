import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type AnyCommand, formatCommandName } from '../../../src/cli/command/command.ts';
import { isWrite, sendsRequests } from '../../../src/cli/command/effects.ts';
import { listExitCodes } from '../../../src/cli/command/exit-codes.ts';
import { commandTree } from '../../../src/commands/tree.ts';
import { openDatabase } from '../../../src/service/db/sqlite/open-workspace.ts';
import { createService } from '../../../src/service/dispatch.ts';
import { findRefusingUrl, sendJson, startTestService } from '../../client/loopback.ts';
import { createExampleHome } from '../../support/example-home.ts';
import { prepareExample, specialExamples } from '../../support/examples.ts';
import { createSampleWorkspace, type MachineOptions, splitWords } from '../../support/kith.ts';

/** The command lines that replace the first examples of commands. */
const lines: Readonly<Record<string, string>> = {
  api: 'api /v1/contacts -f first_name=Ada',
  'auth login': 'auth login --key-stdin',
  completion: 'completion bash',
  followup: 'followup --snooze 7d --organization 한빛물류',
  'schedule run': 'schedule run nightly',
  'workspace checkout': 'workspace checkout crm --only contacts',
  'workspace copy': 'workspace copy kith-backup work --yes',
};

/** The commands that need a hosted workspace, or whose folders belong to one here. */
const ofHostedWorkspace = /^(auth login|meetings export|workspace (checkout|status|push|pull|diff))\b/;

/** Why no situation causes a code: the codes and the commands. */
const reasons: readonly (readonly [reason: string, codes: readonly number[], commands: RegExp])[] = [
  ['test/cli/examples.test.ts runs the examples', [0], /./],
  ['a damaged file, a full disk', [1], /./],
  ['Ctrl-C', [130], /./],
  ['SIGTERM', [143], /./],
  ['some of several ids are not found', [6], / (get|update|delete|move|remove-recording)$/],
  ['a section or recording cannot be read', [6], /^today$| (show|summary|transcript|grep|export( \w+)?)$/],
  [
    'some lines, rows or changes fail',
    [6],
    /^(batch|undo|redo)$| (import|import-events|import-recording|copy|push)$/,
  ],
  ['the service does not return some records', [6], /^workspace (backup|diff|pull|checkout)$/],
  ['a change in the editor', [7], / edit$/],
  ['the field is only in the local workspace', [7], /^custom-fields delete$/],
  ['a file of changes', [3, 5, 7, 9], /^workspace push$/],
  ['a copy into an empty workspace', [7], /^workspace copy$/],
  ['a revert that sends a request', [5, 7], /^(undo|redo)$/],
  [
    'COMMIT without a response from PostgreSQL',
    [7],
    /^(migrate|keys (create|revoke)|workspace (import-\w+|remove-recording))$/,
  ],
  [
    'a locked or unreachable database',
    [75],
    /^(serve|migrate|keys \w+|workspace (import-\w+|remove-recording))$/,
  ],
  [
    'locked settings or schedules',
    [75],
    /^(auth (switch|logout)|config (set|unset)|alias (set|delete)|schedule (install|remove))$/,
  ],
  ['a guard of a profile', [4, 8], /^(auth logout|config (set|unset))$/],
  [
    'an unknown id, archive, folder or agent',
    [3],
    /^(keys revoke|workspace (verify|(import|remove)-recording)|meetings export status|agents install)$/,
  ],
  ['--offline without a profile', [4], /^mcp$/],
  ['the job of a schedule', [0, 4, 5, 6, 7, 8, 9, 75], /^schedule run$/],
];

/** How the hosted service responds: with a status, not at all, with no JSON, or only to reads. */
type Behavior = number | 'dead' | 'no JSON' | 'reads';

interface Situation {
  readonly env?: Readonly<Record<string, string>>;
  readonly flag?: string;
  readonly behavior?: Behavior;
  readonly isFor?: (command: AnyCommand) => boolean;
}

async function startHostedService() {
  const db = openDatabase(createSampleWorkspace());
  onTestFinished(() => db.close());
  const service = createService({ db, now: () => new Date(), log: () => {} });
  const hosted: { behavior: Behavior } = { behavior: 'reads' };
  const { url } = await startTestService(async ({ method, url }, response) => {
    const { behavior } = hosted;
    if (behavior === 'no JSON') return void response.end('no JSON');
    if (behavior === 'dead' || (behavior === 'reads' && method !== 'GET')) return void response.destroy();
    if (behavior !== 'reads') return sendJson(response, behavior, { message: 'No.' });
    const { pathname, searchParams } = new URL(url, 'http://service');
    const found = await service({ method, path: pathname, query: [...searchParams] });
    response.writeHead(found.status, found.headers).end(found.text ?? JSON.stringify(found.body));
  });
  return Object.assign(hosted, { env: { KITH_BASE_URL: url, KITH_API_KEY: 'key-for-tests' } });
}

type HostedService = Awaited<ReturnType<typeof startHostedService>>;

/** The situations that stop commands early. Commands run for real only if a situation does not concern them. */
async function createSituations({ env }: HostedService): Promise<Readonly<Record<string, Situation>>> {
  const dead = { KITH_BASE_URL: await findRefusingUrl(), KITH_API_KEY: 'key-for-tests' };
  return {
    'no key': { env: { KITH_CONFIG_DIR: 'empty', KITH_API_KEY: '' } },
    'unknown profile': { flag: '--profile=nobody' },
    'dead host': { env: dead, behavior: 'dead', isFor: sendsRequests },
    offline: { env: { ...dead, KITH_OFFLINE: '1' }, isFor: sendsRequests },
    'bad key': { env, behavior: 401, isFor: sendsRequests },
    'not found': { env, behavior: 404, isFor: sendsRequests },
    refused: { env, behavior: 422, isFor: sendsRequests },
    'no JSON': { env, behavior: 'no JSON', isFor: sendsRequests },
    'lost writes': { env, behavior: 'reads', isFor: isWrite },
    'bad flag': { flag: '--nobody' },
    readonly: { env: { KITH_READONLY: '1' }, isFor: isWrite },
    limit: { env: { KITH_MAX_REQUESTS: '0', KITH_MAX_WRITES: '0' } },
  };
}

/** Runs a command in each situation. Returns the exit codes, which the machine compares with the declared ones. */
async function runInSituations(
  name: string,
  command: AnyCommand,
  hosted: HostedService,
  situations: readonly Situation[],
): Promise<ReadonlySet<number>> {
  const home = await createExampleHome();
  const example = lines[name] ?? command.examples[0] ?? name;
  const { replacement = example, setting } = specialExamples[example] ?? {};
  const line = replacement.replace(' --dry-run', '');
  const isHosted = ofHostedWorkspace.test(name);
  const kith: typeof home.kith = (words, options = {}) =>
    home.kith(words, { ...options, env: { ...(isHosted && hosted.env), ...options.env } });
  hosted.behavior = 'reads';
  if (line.includes(' work '))
    await kith('auth login --key-stdin --profile work', { env: hosted.env, stdin: 'key-for-tests' });
  const preparedEnv = await prepareExample({ ...home, kith }, line);
  const words = splitWords(await home.fillPaths(line));
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const codes = new Set<number>();
  for (const { env = {}, flag, behavior = 'reads', isFor = () => true } of situations) {
    if (!isFor(command)) continue;
    hosted.behavior = behavior;
    const options: MachineOptions = setting?.() ?? {};
    const folder = env.KITH_CONFIG_DIR && { KITH_CONFIG_DIR: join(home.folder, env.KITH_CONFIG_DIR) };
    const { code } = await kith(flag ? words.toSpliced(end, 0, flag) : words, {
      sleep: async () => {},
      ...(line.endsWith('--key-stdin') && { stdin: 'key-for-tests' }),
      ...options,
      env: {
        ...options.env,
        ...preparedEnv,
        ...env,
        ...folder,
        ...(isHosted && { KITH_BASE_URL: hosted.env.KITH_BASE_URL }),
      },
    });
    codes.add(code);
  }
  return codes;
}

/** The declared codes that did not occur. */
const unseen: { readonly name: string; readonly code: number }[] = [];

const isReasonFor = ([, codes, names]: (typeof reasons)[number], { name, code }: (typeof unseen)[number]) =>
  codes.includes(code) && names.test(name);

test.each(commandTree)(
  '$name: every declared exit code occurs or has a reason',
  { timeout: 300_000 }, // up to 160 runs
  async (entry) => {
    const hosted = await startHostedService();
    const situations = Object.values(await createSituations(hosted));
    const unexplained: unknown[] = [];
    for (const command of await entry.commands()) {
      const name = formatCommandName(entry, command);
      const found = await runInSituations(name, command, hosted, situations);
      const missing = listExitCodes(command)
        .filter((code) => !found.has(code))
        .map((code) => ({ name, code }));
      unseen.push(...missing);
      unexplained.push(...missing.filter((one) => !reasons.some((reason) => isReasonFor(reason, one))));
    }
    expect(unexplained).toEqual([]);
  },
);

test('every reason is necessary', () => {
  expect(reasons.filter((reason) => !unseen.some((one) => isReasonFor(reason, one)))).toEqual([]);
});
