import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure, getErrorCode, getErrorMessage } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { isWritable } from '../../files/permissions.ts';
import { views } from '../../render/views.ts';
import type { ResolvedConnection } from '../../settings/connection.ts';
import { resolveCacheFolder, resolveSettingsFolder } from '../../settings/paths.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';
import { defineCommand, toRecordsResult } from '../command.ts';
import { findConnection } from '../connect/connection.ts';
import type { Session } from '../context.ts';
import { findExposedKeys } from './exposed-keys.ts';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'error';
  readonly found: string;
  /** How to fix it; empty if the check passed. */
  readonly advice: string;
}

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Check the installation, settings, key and service',
  description:
    'Check the installation, settings, key, service, clock, proxy and terminal. Prints the result of ' +
    'each check with advice on how to fix it. Exits with code 0 only if every check passes.',
  examples: ['doctor', 'doctor --json'],
  async run(session) {
    const findings = await runChecks(session);
    const failed = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
    const count = formatCount(failed.length, 'check');
    const failure =
      failed.length === 0 ? undefined : new Failure('failed', `${count} failed: ${failed.join(', ')}.`);
    return { ...toRecordsResult(findings, views.findings), failure };
  },
});

/** Runs every check and returns its finding; a check that fails does not stop the others. */
async function runChecks(session: Session): Promise<Finding[]> {
  const settings = await check('config file', () => describeSettingsFile(session));
  const proxies = await check('proxy', () => describeProxy(session));
  const findings = [
    checkNode(session),
    await checkSettingsFolder(session),
    settings,
    ...checkFilePermissions(session),
    checkCompileCache(session),
    ...(await checkWorkspace(session)),
    proxies,
    checkTimeZone(session),
    checkLocale(session),
    checkTerminal(session),
  ];
  const isAccessible = await hasAccess(resolveSettingsFolder(session.env));
  const settingsCause = isAccessible ? settings : { ...settings, check: 'config folder' };
  return mergeRepeatedErrors(findings, [settingsCause, proxies]);
}

const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: '' });

const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
});

/** Returns what `inspect` describes, or an error with its failure. */
async function check(check: string, inspect: () => Promise<string>): Promise<Finding> {
  try {
    return ok(check, await inspect());
  } catch (error) {
    const reason = getErrorMessage(error);
    const hint = error instanceof Failure ? error.detail.hint : undefined;
    return { check, state: 'error', found: reason, advice: hint ?? 'Run again with --debug for details.' };
  }
}

/** The oldest supported version of Node: major, minor. */
const oldestNode = [20, 19] as const;

function checkNode({ machine }: Session): Finding {
  const [major = 0, minor = 0] = machine.nodeVersion.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return ok('Node', machine.nodeVersion);
  const advice = `Install Node ${oldestNode.join('.')} or newer.`;
  return { check: 'Node', state: 'error', found: machine.nodeVersion, advice };
}

async function checkSettingsFolder({ env }: Session): Promise<Finding> {
  const path = resolveSettingsFolder(env);
  if (await isWritable(path)) return ok('config folder', path);
  const advice = (await isClosedToOwner(path))
    ? `Run: chmod u+rwx ${quoteShellWord(path)}`
    : 'Set KITH_CONFIG_DIR to a writable folder.';
  return warning('config folder', `${path} is not writable`, advice);
}

/** Whether this user may access the files of a folder; true if the folder does not exist. */
async function hasAccess(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    (error) => !/^(EACCES|EPERM)$/.test(getErrorCode(error)),
  );
}

/** Whether a folder exists and its mode denies access even to its owner. */
async function isClosedToOwner(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isDirectory() === true && (stats.mode & 0o700) !== 0o700;
}

async function describeSettingsFile(session: Session): Promise<string> {
  const { path, read } = await session.settings();
  const { profiles } = read();
  const mode = await stat(path).then(
    ({ mode }) => (mode & 0o777).toString(8).padStart(4, '0'),
    () => 'none yet',
  );
  return `${path} (${mode}), profiles: ${Object.keys(profiles).join(', ') || 'none'}`;
}

function checkFilePermissions({ env }: Session): Finding[] {
  const warnings = findExposedKeys(env).map(({ found, advice }) => warning('file modes', found, advice));
  return warnings.length > 0 ? warnings : [ok('file modes', 'no key is accessible to other users')];
}

/** Names the folder of the cache, because a damaged cache can crash Node before any check runs. */
function checkCompileCache({ env }: Session): Finding {
  const path = join(resolveCacheFolder(env), 'compiled');
  return ok('compile cache', existsSync(path) ? `${path}; remove it if Node crashes at startup` : 'none');
}

/** Checks the profile, the URL and key of its workspace, and whether the workspace responds. */
async function checkWorkspace(session: Session): Promise<Finding[]> {
  let connection: ResolvedConnection;
  try {
    connection = await findConnection(session, session.globals);
  } catch (error) {
    return [await check('profile', () => Promise.reject(error)), await checkSqlite(session)];
  }
  if (connection.kind === 'local') {
    const profile = ok('profile', `${connection.profile}, file ${connection.database}`);
    return [profile, await checkSqlite(session), (await checkService(session)).finding];
  }
  const { profile = 'none', baseUrl, baseUrlSource: baseUrlFrom, keySource: keyFrom } = connection;
  return [
    ok('profile', profile),
    ok('base URL', `${baseUrl}, from ${baseUrlFrom}`),
    ok('key', `from ${keyFrom}`),
    ...(await checkHostedService(session)),
  ];
}

/** SQLite is only needed for local workspaces. */
const checkSqlite = ({ machine }: Session) => check('SQLite', machine.readSqliteVersion);

/** Seconds that the clocks of this machine and the service may differ. */
const maxClockDifference = 60;

const readFirstPage = async (session: Session) => (await session.client()).page(lists.list, { first: 1 });

/** Seconds to wait for the service; shorter than the retries of other commands. */
const serviceTimeout = 10;

async function failAfterTimeout(signal: AbortSignal): Promise<never> {
  await wait(serviceTimeout * 1000, undefined, { signal, ref: false });
  throw new Failure('network', `The request timed out after ${serviceTimeout} s.`);
}

/** Sends one request; returns the finding, and the time that the service reports. */
async function checkService(session: Session): Promise<{ finding: Finding; at: Date | undefined }> {
  let at: Date | undefined;
  const finding = await check('service', async () => {
    const start = session.now();
    const response = await Promise.race([readFirstPage(session), failAfterTimeout(session.signal)]);
    at = response.at;
    return `responded in ${session.now().getTime() - start.getTime()} ms`;
  });
  return { finding, at };
}

/** Checks a hosted service and compares its clock with the clock of this machine. */
async function checkHostedService(session: Session): Promise<Finding[]> {
  const { finding, at } = await checkService(session);
  return finding.state === 'ok' ? [finding, checkClock(session.now(), at)] : [finding];
}

function checkClock(now: Date, at: Date | undefined): Finding {
  if (at === undefined) return ok('clock', `${now.toISOString()}; the service does not report its time`);
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  if (Math.abs(seconds) <= maxClockDifference) return ok('clock', now.toISOString());
  const ahead = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service`;
  return warning('clock', ahead, 'Correct the clock of this machine or of the service.');
}

/** @throws {Failure} usage if a proxy variable is invalid */
async function describeProxy({ env, machine }: Session): Promise<string> {
  await machine.checkProxy('https://crm.example.com'); // any host will do
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'];
  const set = names.filter((name) => env[name]);
  // The values may contain a password.
  return set.length === 0 ? 'none' : `set by ${set.join(', ')}`;
}

function checkTimeZone({ env }: Session): Finding {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // Node versions differ in what they do with an unknown TZ.
  if (timeZone && timeZone !== 'Etc/Unknown') return ok('time zone', timeZone);
  return warning('time zone', `Unknown time zone: TZ=${env.TZ}`, 'Use a time zone such as TZ=Europe/Berlin.');
}

function checkLocale({ env }: Session): Finding {
  const name = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const isUtf8 = name === '' || /utf-?8/i.test(name);
  return ok('locale', isUtf8 ? name || 'none' : `${name}; kith reads and prints UTF-8 anyway`);
}

function checkTerminal({ stdout, env }: Session): Finding {
  if (!stdout.isTerminal) return ok('terminal', 'none: lists are printed as TSV');
  return ok('terminal', `${env.TERM ?? 'TERM not set'}, ${stdout.columns ?? 'unknown'} columns`);
}

/**
 * Reports each error once: a finding that repeats the error of another check becomes `not checked` and refers to that
 * check. `causes` take precedence over the order of the findings.
 */
function mergeRepeatedErrors(findings: readonly Finding[], causes: readonly Finding[]): Finding[] {
  const reportedBy = new Map<string, string>();
  for (const { check, state, found } of [...causes, ...findings])
    if (state === 'error' && !reportedBy.has(found)) reportedBy.set(found, check);
  return findings.map((finding) => {
    const cause = reportedBy.get(finding.found) ?? finding.check;
    return cause === finding.check ? finding : buildUnchecked(finding.check, cause);
  });
}

const buildUnchecked = (check: string, cause: string): Finding => ({
  check,
  state: 'warning',
  found: `not checked: see ${cause}`,
  advice: `Fix the ${cause} first.`,
});
