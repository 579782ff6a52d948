import { constants, existsSync } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { defineCommand, type StreamRenderer, toRecordsResult } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { findConnection } from '../cli/connect/connection.ts';
import { findExposedKeys } from '../cli/connect/exposed-keys.ts';
import { isOffline } from '../cli/connect/offline.ts';
import { Failure, getErrorCode, getErrorMessage } from '../contract/errors.ts';
import { lists } from '../contract/lists.ts';
import { isWritable } from '../files/permissions.ts';
import { type Finding, renderFindings } from '../render/findings.ts';
import { views } from '../render/views.ts';
import type { ResolvedConnection } from '../settings/connection.ts';
import { databaseVariable } from '../settings/database-location.ts';
import { findProjectFiles, resolveCacheFolder, resolveSettingsFolder } from '../settings/paths.ts';
import { once } from '../values/concurrency.ts';
import { formatDatabase, isDatabaseUrl } from '../values/database-url.ts';
import { getZoneName, isTimeZone } from '../values/dates.ts';
import { formatCount, quoteShellWord } from '../values/text.ts';

export const doctor = defineCommand({
  name: 'doctor',
  output: { records: ['finding[]'] },
  unusedExitCodes: [3, 4, 5, 9, 75], // reported as failed checks
  summary: 'Check the installation, settings, key and service',
  description:
    'Check the installation, settings, key, service, clock, proxy and terminal. Prints the result of ' +
    'each check with advice on how to fix it. Exits with code 0 only if every check passes.',
  isWorkspaceOptional: true,
  examples: ['doctor', 'doctor --json'],
  async run(session) {
    const findings = await runChecks(session);
    const failed = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
    const count = formatCount(failed.length, 'check');
    const failure =
      failed.length === 0 ? undefined : new Failure('failed', `${count} failed: ${failed.join(', ')}.`);
    const render: StreamRenderer = (style) => (records) => renderFindings(records, style);
    return { ...toRecordsResult(findings, views.findings), render, failure };
  },
});

async function runChecks(session: Session): Promise<Finding[]> {
  const findings = await Promise.all([
    check('Node', () => checkNode(session)),
    check('command', () => describeCommand(session)),
    check('config folder', () => checkSettingsFolder(session)),
    check('config file', () => describeSettingsFile(session)),
    ...listKeyProblems(session).map((problem) => check('file modes', () => problem)),
    ...(await checkProjectFiles(session)),
    check('compile cache', () => describeCompileCache(session)),
    checkWorkspace(session),
    check('proxy', () => describeProxy(session)),
    check('time zone', () => checkTimeZone(session)),
    check('locale', () => describeLocale(session)),
    check('terminal', () => describeTerminal(session)),
  ]);
  return mergeRepeatedErrors(findings.flat(), await hasAccess(resolveSettingsFolder(session.runtime.env)));
}

/** The result of a check: a text if it passed, or a problem. */
type Outcome = string | Omit<Finding, 'check'>;

const createWarning = (found: string, advice: string): Outcome => ({ state: 'warning', found, advice });

async function check(check: string, inspect: () => Outcome | Promise<Outcome>): Promise<Finding> {
  try {
    const outcome = await inspect();
    return typeof outcome === 'string'
      ? { check, state: 'ok', found: outcome, advice: '' }
      : { check, ...outcome };
  } catch (error) {
    const hint = error instanceof Failure ? error.detail.hint : undefined;
    const advice = hint ?? 'Run again with --debug for details.';
    return { check, state: 'error', found: getErrorMessage(error), advice };
  }
}

const oldestNode = [20, 19] as const;

function checkNode({ services }: Session): Outcome {
  const { nodeVersion } = services.machine;
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return nodeVersion;
  return { state: 'error', found: nodeVersion, advice: `Install Node ${oldestNode.join('.')} or newer.` };
}

/** Describes the command `kith` that a shell runs. `npm link` makes it a link into a checkout. */
async function describeCommand({ runtime: { env } }: Session): Promise<string> {
  const paths = (env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'kith'));
  const path = paths.find((path) => existsSync(path));
  if (path === undefined) return 'not on the PATH';
  const root = join(await realpath(path), '../..');
  return existsSync(join(root, '.git'))
    ? `${path}, a link into ${root}; it changes with this checkout`
    : path;
}

async function checkSettingsFolder({ runtime: { env } }: Session): Promise<Outcome> {
  const path = resolveSettingsFolder(env);
  if (isWritable(path)) return path;
  const stats = await stat(path).catch(() => undefined);
  const isClosedToOwner = stats?.isDirectory() === true && (stats.mode & 0o700) !== 0o700;
  const advice = isClosedToOwner
    ? `Run: chmod u+rwx ${quoteShellWord(path)}`
    : 'Set KITH_CONFIG_DIR to a writable folder.';
  return createWarning(`${path} is not writable`, advice);
}

/** Whether this user may access the files of a folder; true if the folder does not exist. */
async function hasAccess(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    (error) => !/^(EACCES|EPERM)$/.test(getErrorCode(error)),
  );
}

async function describeSettingsFile(session: Session): Promise<string> {
  const { path, read } = await session.services.settings();
  const { profiles } = read();
  const mode = await stat(path).then(
    ({ mode }) => (mode & 0o777).toString(8).padStart(4, '0'),
    () => 'none yet',
  );
  return `${path} (${mode}), profiles: ${Object.keys(profiles).join(', ') || 'none'}`;
}

function listKeyProblems({ runtime: { env } }: Session): Outcome[] {
  const problems = findExposedKeys(env).map(({ found, advice }) => createWarning(found, advice));
  return problems.length > 0 ? problems : ['no key is accessible to other users'];
}

/** Reads the project files, the nearest first. */
async function checkProjectFiles({ runtime }: Session): Promise<Finding[]> {
  const { loadProjectFile } = await import('../cli/connect/project-file.ts');
  const inspect = (path: string) => () => {
    const { settings, description } = loadProjectFile(path);
    return settings
      ? description
      : createWarning(description, `Run: chown "$(id -u)" ${quoteShellWord(path)}`);
  };
  return Promise.all(findProjectFiles(runtime).map((path) => check('project file', inspect(path))));
}

/** Names the folder of the cache, because a damaged cache can crash Node before any check runs. */
function describeCompileCache({ runtime: { env } }: Session): string {
  const path = join(resolveCacheFolder(env), 'compiled');
  return existsSync(path) ? `${path}; remove it if Node crashes at startup` : 'none';
}

async function checkWorkspace(session: Session): Promise<Finding[]> {
  // SQLite is only needed for local workspaces.
  const checkSqlite = () => check('SQLite', session.services.machine.readSqliteVersion);
  let connection: ResolvedConnection;
  try {
    connection = await findConnection(session);
  } catch (error) {
    return Promise.all([check('profile', () => Promise.reject(error)), checkSqlite()]);
  }
  const request = once(() => requestFirstPage(session));
  const checkService = () =>
    check('service', async () => `responded in ${(await request()).milliseconds} ms`);
  if (connection.kind === 'local') {
    const { profile = databaseVariable, database } = connection;
    const engine = isDatabaseUrl(database) ? 'database' : 'file';
    const place = `${profile}, ${engine} ${formatDatabase(database)}`;
    return Promise.all([
      check('profile', () => place),
      ...(engine === 'file' ? [checkSqlite()] : []),
      checkService(),
    ]);
  }
  const { profile = 'none', baseUrl, baseUrlSource, keySource } = connection;
  const settings = [
    check('profile', () => profile),
    check('base URL', () => `${baseUrl}, from ${baseUrlSource}`),
    check('key', () => `from ${keySource}`),
    check('offline copy', () => describeCopy(session, connection)),
  ];
  if (isOffline(session.globals, session.runtime.env)) return Promise.all([...settings, checkSqlite()]);
  const service = await checkService();
  return Promise.all([
    ...settings,
    service,
    ...(service.state === 'ok'
      ? [check('clock', async () => checkClock(session.runtime.now(), (await request()).at))]
      : []),
  ]);
}

/** Describes the offline copy of a hosted workspace. @throws {Failure} offline if it is missing and --offline is set */
async function describeCopy(session: Session, connection: ResolvedConnection): Promise<string> {
  const { findMirror, formatMirrorAge } = await import('../settings/mirror.ts');
  const mirror = (await session.connections.openMirror()) ?? findMirror(session.runtime.env, connection);
  if (!mirror) return 'none; kith workspace pull creates it';
  return `${mirror.files.database}, from ${formatMirrorAge(mirror, session.runtime.now())} ago`;
}

/** Seconds to wait for the service; shorter than the retries of other commands. */
const serviceTimeout = 10;

async function requestFirstPage(session: Session) {
  const start = session.runtime.now();
  const page = (await session.client()).page(lists.list, { first: 1 });
  const timeout = wait(serviceTimeout * 1000, undefined, { signal: session.signal, ref: false }).then(() => {
    throw new Failure('network', `The request timed out after ${serviceTimeout} s.`);
  });
  const { at } = await Promise.race([page, timeout]);
  return { milliseconds: session.runtime.now().getTime() - start.getTime(), at };
}

/** Seconds that the clocks of this machine and the service may differ. */
const maxClockDifference = 60;

function checkClock(now: Date, at: Date | undefined): Outcome {
  if (at === undefined) return `${now.toISOString()}; the service does not report its time`;
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  if (Math.abs(seconds) <= maxClockDifference) return now.toISOString();
  const ahead = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service`;
  return createWarning(ahead, 'Correct the clock of this machine or of the service.');
}

/** @throws {Failure} usage if a proxy variable is invalid */
async function describeProxy({ runtime: { env }, services: { machine } }: Session): Promise<string> {
  await machine.checkProxy('https://crm.example.com'); // any host will do
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'];
  const set = names.filter((name) => env[name]);
  // The values may contain a password.
  return set.length === 0 ? 'none' : `set by ${set.join(', ')}`;
}

function checkTimeZone({ runtime: { env } }: Session): Outcome {
  const { TZ = '' } = env;
  if (TZ === '' || isTimeZone(TZ)) return getZoneName();
  return createWarning(`Unknown time zone: TZ=${TZ}`, 'Use a time zone such as TZ=Europe/Berlin.');
}

function describeLocale({ runtime: { env } }: Session): string {
  const name = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const isUtf8 = name === '' || /utf-?8/i.test(name);
  return isUtf8 ? name || 'none' : `${name}; kith reads and prints UTF-8 anyway`;
}

function describeTerminal({ streams: { stdout }, runtime: { env } }: Session): string {
  if (!stdout.isTerminal) return 'none: lists are printed as TSV';
  return `${env.TERM ?? 'TERM not set'}, ${stdout.columns ?? 'unknown'} columns`;
}

/**
 * Reports each error once: a finding that repeats the error of another check becomes `not checked` and refers to that
 * check. The settings file and the proxy are the causes of errors of other checks, and a closed folder is the cause of
 * the error of the settings file.
 */
function mergeRepeatedErrors(findings: readonly Finding[], isFolderAccessible: boolean): Finding[] {
  const causes = findings.filter(({ check }) => /^(config file|project file|proxy)$/.test(check));
  const reportedBy = new Map<string, string>();
  for (const { check, state, found } of [...causes, ...findings]) {
    if (state !== 'error' || reportedBy.has(found)) continue;
    reportedBy.set(found, check === 'config file' && !isFolderAccessible ? 'config folder' : check);
  }
  return findings.map((finding) => {
    const { check } = finding;
    const cause = reportedBy.get(finding.found) ?? check;
    if (cause === check) return finding;
    return { check, state: 'warning', found: `not checked: see ${cause}`, advice: `Fix the ${cause} first.` };
  });
}
