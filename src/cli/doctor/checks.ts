import { constants, existsSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure, getErrorCode, getErrorMessage } from '../../contract/errors.ts';
import { lists } from '../../contract/lists.ts';
import { isWritable } from '../../files/permissions.ts';
import type { ResolvedConnection } from '../../settings/connection.ts';
import { type Environment, resolveCacheFolder, resolveSettingsFolder } from '../../settings/paths.ts';
import { quoteShellWord } from '../../values/text.ts';
import { connectionIn } from '../connect/workspace-in-use.ts';
import type { Session } from '../context.ts';
import { findExposedKeys } from './exposed-keys.ts';

/** What was found of one thing that commands need. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'error';
  readonly found: string;
  /** What to do about it; empty where nothing is wrong. */
  readonly advice: string;
}

/** Looks at all that commands need, from this program to the service; what is broken is found, and ends nothing. */
export async function runChecks(session: Session): Promise<Finding[]> {
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
  const isShut = !(await isSearchable(resolveSettingsFolder(session.env)));
  return mergeRepeatedErrors(findings, [
    isShut ? { ...settings, check: 'config folder' } : settings,
    proxies,
  ]);
}

const ok = (check: string, found: string): Finding => ({ check, state: 'ok', found, advice: '' });

const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  state: 'warning',
  found,
  advice,
});

/** What a look gives, or the failure that it ended with. */
async function check(check: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return ok(check, await look());
  } catch (error) {
    const reason = getErrorMessage(error);
    const hint = error instanceof Failure ? error.detail.hint : undefined;
    return { check, state: 'error', found: reason, advice: hint ?? 'Look closer with --debug.' };
  }
}

/** The oldest Node that runs this program. */
const oldestNode = [20, 19] as const;

function checkNode({ machine }: Session): Finding {
  const [major = 0, minor = 0] = machine.node.split('.').map(Number);
  const isOld = major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1]);
  if (!isOld) return ok('Node', machine.node);
  const advice = `Install ${oldestNode.join('.')} or newer.`;
  return { check: 'Node', state: 'error', found: machine.node, advice };
}

async function checkSettingsFolder({ env }: Session): Promise<Finding> {
  const path = resolveSettingsFolder(env);
  if (await isWritable(path)) return ok('config folder', path);
  const advice = (await isClosedToOwner(path))
    ? `Open it to yourself with: chmod u+rwx ${quoteShellWord(path)}`
    : 'Name a folder that can be written in KITH_CONFIG_DIR.';
  return warning('config folder', `${path} cannot be written`, advice);
}

/** Whether the files of a folder can be asked for: where it is not there, there are none. */
async function isSearchable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    (error) => !/^(EACCES|EPERM)$/.test(getErrorCode(error)),
  );
}

/** Whether a folder has a mode that keeps out even its owner. */
async function isClosedToOwner(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true && (found.mode & 0o700) !== 0o700;
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
  const loose = findExposedKeys(env).map(({ found, advice }) => warning('file modes', found, advice));
  return loose.length > 0 ? loose : [ok('file modes', 'no key is open to others')];
}

/** Damage that both copies of it have alike ends the engine, and shows in no other way. */
function checkCompileCache({ env }: Session): Finding {
  const path = join(resolveCacheFolder(env), 'compiled');
  const found = existsSync(path) ? `${path}; should Node itself break off, remove it` : 'none is kept';
  return ok('compiled code', found);
}

/** Which workspace commands talk to, with whose key, and how it answers. */
async function checkWorkspace(session: Session): Promise<Finding[]> {
  let used: ResolvedConnection;
  try {
    used = await connectionIn(session, session.globals);
  } catch (error) {
    return [await check('profile', () => Promise.reject(error)), await checkSqlite(session)];
  }
  if (used.kind === 'local') {
    const profile = ok('profile', `${used.profile}, the file ${used.database}`);
    return [profile, await checkSqlite(session), (await checkService(session)).asked];
  }
  const { profile = 'none', baseUrl, baseUrlSource: baseUrlFrom, keySource: keyFrom } = used;
  return [
    ok('profile', profile),
    ok('base URL', `${baseUrl}, from ${baseUrlFrom}`),
    ok('key', `from ${keyFrom}`),
    ...(await checkHostedService(session)),
  ];
}

/** What a workspace on this machine needs; a hosted one has its own. */
const checkSqlite = ({ machine }: Session) => check('SQLite', machine.sqlite);

/** Seconds that the clocks of this machine and of the service may differ. */
const maxClockDifference = 60;

const readFirstPage = async (session: Session) => (await session.client()).page(lists.list, { first: 1 });

/** Seconds that a service may take: who looks for what is wrong does not wait for all the tries. */
const serviceTimeout = 10;

async function failAfterTimeout(signal: AbortSignal): Promise<never> {
  await wait(serviceTimeout * 1000, undefined, { signal, ref: false });
  throw new Failure('network', `No answer within ${serviceTimeout} s.`);
}

/** How the service answers, and the time at which it says so. */
async function checkService(session: Session): Promise<{ asked: Finding; at: Date | undefined }> {
  let at: Date | undefined;
  const asked = await check('service', async () => {
    const start = session.now();
    const answer = await Promise.race([readFirstPage(session), failAfterTimeout(session.signal)]);
    at = answer.at;
    return `answers within ${session.now().getTime() - start.getTime()} ms`;
  });
  return { asked, at };
}

/** The same of a service with a clock of its own. */
async function checkHostedService(session: Session): Promise<Finding[]> {
  const { asked, at } = await checkService(session);
  return asked.state === 'ok' ? [asked, checkClock(session.now(), at)] : [asked];
}

function checkClock(now: Date, at: Date | undefined): Finding {
  if (at === undefined) return ok('clock', `${now.toISOString()}; the service does not tell its own`);
  const seconds = Math.round((now.getTime() - at.getTime()) / 1000);
  if (Math.abs(seconds) <= maxClockDifference) return ok('clock', now.toISOString());
  const ahead = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the service`;
  return warning('clock', ahead, 'Set the clock of this machine, or of the service.');
}

/** Throws `usage` for a proxy that cannot be used. */
async function describeProxy({ env, machine }: Session): Promise<string> {
  await machine.checkProxy('https://crm.example.com'); // it is for every host
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'no_proxy', 'NO_PROXY'];
  const set = names.filter((name) => env[name]);
  // Not what they hold, which may be a password.
  return set.length === 0 ? 'none' : `named by ${set.join(', ')}`;
}

function checkTimeZone({ env }: Session): Finding {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  // What Node makes of a TZ that it does not know depends on its version.
  if (timeZone && timeZone !== 'Etc/Unknown') return ok('time zone', timeZone);
  return warning('time zone', `TZ=${env.TZ} is not known here`, 'Name one such as TZ=Europe/Berlin.');
}

function checkLocale({ env }: Session): Finding {
  const name = readLocale(env);
  const isUtf8 = name === '' || /utf-?8/i.test(name);
  return ok('locale', isUtf8 ? name || 'none' : `${name}; UTF-8 is read and printed all the same`);
}

const readLocale = (env: Environment) => env.LC_ALL || env.LC_CTYPE || env.LANG || '';

function checkTerminal({ stdout, env }: Session): Finding {
  if (!stdout.isTerminal) return ok('terminal', 'none: lists are printed as TSV');
  return ok('terminal', `${env.TERM ?? 'of no name'}, ${stdout.columns ?? 'unknown'} columns`);
}

/**
 * Each cause once: what complains with the words of something that was found wrong was not looked at for itself. Of
 * `causes` any may be what is behind it; the first counts.
 */
export function mergeRepeatedErrors(findings: readonly Finding[], causes: readonly Finding[]): Finding[] {
  const toldBy = new Map<string, string>();
  for (const { check, state, found } of [...causes, ...findings])
    if (state === 'error' && !toldBy.has(found)) toldBy.set(found, check);
  return findings.map((finding) => {
    const cause = toldBy.get(finding.found) ?? finding.check;
    return cause === finding.check ? finding : buildUnchecked(finding.check, cause);
  });
}

const buildUnchecked = (check: string, cause: string): Finding => ({
  check,
  state: 'warning',
  found: `not checked: see ${cause}`,
  advice: `Mend the ${cause} first.`,
});
