import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { isWrite, sendsRequests } from '../../src/cli/command/effects.ts';
import { dailyExamples } from '../../src/cli/help/help.ts';
import { startRecordingService } from '../commands/recording-service.ts';
import { createEnv, runShell } from '../support/binary.ts';
import { createExampleHome } from '../support/example-home.ts';
import {
  createStopOptions,
  examples,
  exportCommand,
  lines,
  prepareExample,
  specialExamples,
  yes,
} from '../support/examples.ts';
import { createMachine, createTemporaryFolder, type MachineOptions, splitWords } from '../support/kith.ts';
import { blocks, linesTestedElsewhere, listCommands } from '../support/pages.ts';
import { createTestDatabase, requirePostgres } from '../support/test-database.ts';

const hostedExamples = [
  'auth login --base-url https://crm.example.com',
  'auth login --base-url https://crm.example.com --key-stdin < key.txt',
];
/** test/reliability/keychain.test.ts runs it if a keychain is available. */
const inKeychain = ['auth login --base-url https://crm.example.com --keychain'];
const inPostgres = lines.filter((line) => line.includes(' postgres://'));
const inShell = lines.filter((line) => /[|<>]/.test(line.replace(/"[^"]*"|'[^']*'/g, '')));
/** Their output is generated and checked elsewhere. */
const generated = lines.filter((line) => line.startsWith('completion '));
/** mcp.test.ts checks their responses. */
const agentExamples = lines.filter((line) => /^mcp\b/.test(line));
/** test/commands/schedule/run.test.ts runs it. */
const scheduled = ['schedule run nightly'];
/** test/commands/workspace/pull.test.ts runs them on a hosted service. */
const pulled = lines.filter((line) => line.startsWith('workspace pull'));
/** test/documents.test.ts runs the lines that a page shows; here, a dry run is followed by a real one. */
const onPages = new Set(
  blocks
    .flatMap(({ block }) => listCommands(block))
    .filter(
      (line) => ![...Object.keys(linesTestedElsewhere), '--dry-run'].some((part) => line.includes(part)),
    )
    .map((line) => line.replace(/^kith /, '')),
);
const testedElsewhere = new Set([
  ...pulled,
  ...scheduled,
  ...hostedExamples,
  ...inKeychain,
  ...inPostgres,
  ...inShell,
  ...generated,
  ...agentExamples,
]);

test('every read-only example runs on the sample', async () => {
  const { kith, fillPaths } = await createExampleHome();
  const firstLines = [
    exportCommand,
    'workspace backup kith-backup',
    'workspace copy demo.sqlite copy.sqlite',
  ];
  for (const line of firstLines) expect((await kith(splitWords(await fillPaths(line)))).code).toBe(0);
  const readingExamples = examples.filter(
    ([line, command]) =>
      !isWrite(command) &&
      sendsRequests(command) &&
      ![...testedElsewhere, ...onPages, ...firstLines].includes(line) &&
      !line.startsWith('auth '),
  );
  const failed: unknown[] = [];
  for (const [line] of readingExamples) {
    const { code, out, err } = await kith(splitWords(await fillPaths(line)));
    const isToFile = line.includes(' --html ');
    // Earlier examples may have created a field.
    const isDone = code === 0 || (line.startsWith('workspace diff ') && code === 1);
    if (!isDone || (out === '') !== isToFile) failed.push({ line, code, err });
  }
  expect(failed).toEqual([]);
  expect(readingExamples.length).toBeGreaterThan(35);
});

const writingExamples = examples.filter(
  ([line, command]) =>
    (isWrite(command) || !sendsRequests(command) || line.startsWith('auth ')) &&
    !testedElsewhere.has(line) &&
    !onPages.has(line),
);

test.each(writingExamples.map(([line]) => line))('%s runs on a fresh copy of the sample', async (line) => {
  const home = await createExampleHome();
  const { kith, fillPaths } = home;
  const { replacement = line, setting } = specialExamples[line] ?? {};
  const env = await prepareExample(home, line);
  // The service must accept a request that is only printed.
  for (const run of new Set([replacement, replacement.replace(' --dry-run', '')])) {
    const options: MachineOptions = setting?.() ?? {};
    const { code, err } = await kith(splitWords(await fillPaths(run)), {
      ...options,
      env: { ...options.env, ...env },
    });
    expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  }
});

test('the examples of the first screen run on the sample', async () => {
  const { kith } = await createExampleHome();
  for (const [line] of dailyExamples) {
    if (onPages.has(line)) continue;
    const { code, err } = await kith(splitWords(line), yes);
    expect({ line, code, err }).toEqual({ line, code: 0, err: expect.any(String) });
  }
});

test.each(inShell.filter((line) => !hostedExamples.includes(line) && !onPages.has(line)))(
  '%s runs in a shell',
  async (line) => {
    const { folder, fillIds } = await createExampleHome();
    const env = createEnv(folder, { KITH_CONFIG_DIR: folder });
    const { code, out } = await runShell(`kith ${await fillIds(line)}`, { env, cwd: folder });
    expect({ code, isEmpty: out === '' }).toEqual({ code: 0, isEmpty: line.includes('>') });
  },
);

test('the examples that sign in to a hosted service run against one', async () => {
  const { env, requests } = await startRecordingService();
  const { folder, kith } = await createExampleHome();
  const [promptLine = '', pipedLine = ''] = hostedExamples.map((line) =>
    line.replace('https://crm.example.com', env.KITH_BASE_URL),
  );
  const promptResult = await kith(promptLine, { terminal: 100, answers: ['key-for-tests'] as never });
  const home = createEnv(folder, { KITH_CONFIG_DIR: createTemporaryFolder() });
  const pipedResult = await runShell(`kith ${pipedLine}`, { env: home, cwd: folder });
  expect([promptResult.code, pipedResult.code]).toEqual([0, 0]);
  // In a terminal, the second request finds a command that has something to show.
  expect(requests.map(({ url, headers }) => [url.replace(/\?.*/, ''), headers.authorization])).toEqual([
    ['/v1/lists', 'Bearer key-for-tests'],
    ['/v1/contacts', 'Bearer key-for-tests'],
    ['/v1/lists', 'Bearer key-for-tests'],
  ]);
});

test('the examples that name a PostgreSQL database run on a server', async (context) => {
  requirePostgres(context);
  const sharedUrl = await createTestDatabase();
  const { kith: kithWithFiles, fillPaths } = await createExampleHome();
  for (const line of inPostgres) {
    const isCopy = line.startsWith('workspace copy ');
    const url = isCopy ? await createTestDatabase() : sharedUrl;
    const words = splitWords((await fillPaths(line)).replace(/postgres:\S+/, url));
    const isServing = words[0] === 'serve';
    const kith = isCopy ? kithWithFiles : createMachine();
    const { code, err } = await kith(
      isServing ? [...words, '--port', '0'] : words,
      isServing ? createStopOptions() : {},
    );
    expect({ line, code, err }).toEqual({ line, code: 0, err: expect.not.stringContaining('hint') });
  }
  expect(inPostgres.length).toBeGreaterThan(1);
});

test('every special case is an existing example, and no example appears twice', () => {
  expect(Object.keys(specialExamples).filter((line) => !lines.includes(line))).toEqual([]);
  expect(hostedExamples.filter((line) => !lines.includes(line))).toEqual([]);
  expect(new Set(lines).size).toBe(lines.length);
});

test('every example can be pasted into a shell, which expands none of its words', () => {
  const plainLines = lines.filter((line) => !inShell.includes(line));
  const script = plainLines.map((line) => `p ${line}`).join('\n');
  const output = execFileSync('bash', ['-c', `p() { printf '%s\\036' "$@"; printf '\\035'; }\n${script}`], {
    encoding: 'utf8',
  });
  const split = output.split('\x1d').map((one) => one.split('\x1e').slice(0, -1));
  expect(split.slice(0, -1)).toEqual(plainLines.map(splitWords));
  const expandedLines = lines.filter((line) =>
    /[*?[\]{}~!&;$`\\]/.test(line.replace(/"[^"$`\\!]*"|'[^']*'/g, '')),
  );
  expect(expandedLines).toEqual([]);
});
