import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { describeReadError } from '../../files/disk-errors.ts';
import { type Environment, resolveCacheFolder } from '../../settings/paths.ts';
import type { EffectiveSettings, ProjectSettings } from '../../settings/settings.ts';
import { isObject } from '../../values/json-object.ts';
import { defaultFormat } from '../flags/default-format.ts';
import { globalOptions } from '../flags/globals.ts';
import { text } from '../flags/options.ts';
import type { Configuration } from './connection.ts';

/** The settings that a project file may have. A key or a URL could send a stored key to another service. */
const allowed = {
  profile: text('Profile', 'NAME'),
  format: defaultFormat,
  limit: globalOptions.limit,
} as const;

const allowedNames = 'A project file may set only profile, format and limit.';

/** The largest project file, in bytes. */
const maxSize = 65_536;

/** The variables that choose a workspace or a key, and so override the profile of a project file. */
const workspaceVariables = [
  ...['KITH_PROFILE', 'KITH_DATABASE_URL', 'KITH_BASE_URL', 'KITH_API_KEY', 'KITH_API_KEY_FILE'],
];

/** The environments of the runs that have announced their project file. */
const announced = new WeakSet<Environment>();

/** Applies a project file to stored settings, and announces it. Its errors are reported by `read`. */
export async function applyProjectFile(
  stored: { readonly path: string; read(): EffectiveSettings },
  path: string,
  configuration: Configuration,
): Promise<{ readonly path: string; read(): EffectiveSettings }> {
  const { env, note, globals } = configuration;
  let load: () => LoadedProject;
  try {
    const loaded = loadProjectFile(path);
    load = () => loaded;
    const isAnnounced = announced.has(env) || readMemory(env)[path] === loaded.description;
    if (note && !globals?.quiet && !isAnnounced) {
      announced.add(env);
      await note(loaded.description);
      await rememberUse(env, path, loaded.description);
    }
  } catch (error) {
    load = () => {
      throw error;
    };
  }
  return {
    path: stored.path,
    read: () => {
      const { settings } = load();
      const { defaults, active, ...others } = stored.read();
      if (!settings) return { ...others, ...(active !== undefined && { active }), defaults: defaults ?? {} };
      const isOverridden = workspaceVariables.some((name) => env[name]?.trim());
      const project = { ...settings, profile: isOverridden ? undefined : settings.profile };
      const name = project.profile ?? active;
      return {
        ...others,
        ...(name !== undefined && { active: name }),
        defaults: { ...defaults, ...project.defaults },
        project,
      };
    },
  };
}

interface LoadedProject {
  /** Undefined if the file is ignored. */
  readonly settings: ProjectSettings | undefined;
  /** The announcement. */
  readonly description: string;
}

/** Reads a project file. That of another user is ignored. @throws {Failure} usage if it is damaged or has other settings */
export function loadProjectFile(path: string): LoadedProject {
  const content = readOwnFile(path);
  if (content === undefined)
    return { settings: undefined, description: `Ignored ${path}: it belongs to another user.` };
  const values = parseProject(path, content);
  const problem = (name: string, reason: string) =>
    new Failure('usage', `${path}: ${name}: ${reason}`, { hint: allowedNames });
  const texts = Object.entries(values).map(([name, value]): [string, string] => {
    const option = Object.hasOwn(allowed, name) ? allowed[name as keyof typeof allowed] : undefined;
    if (!option) throw problem(JSON.stringify(name), 'not supported.');
    if (typeof value !== (name === 'limit' ? 'number' : 'string'))
      throw problem(name, `not a ${name === 'limit' ? 'number' : 'text'}.`);
    try {
      option.parse(String(value));
    } catch (error) {
      throw problem(name, getErrorMessage(error));
    }
    return [name, String(value)];
  });
  const described = texts.map(([name, value]) => `${name} ${value}`).join(', ') || 'no settings';
  const { profile, ...defaults } = Object.fromEntries(texts);
  return { settings: { path, profile, defaults }, description: `Using ${path}: ${described}.` };
}

/** Reads a file of this user; undefined if it belongs to another one. @throws {Failure} usage if it cannot be read */
function readOwnFile(path: string): string | undefined {
  const fail = (reason: string) => new Failure('usage', `Cannot use ${path}: ${reason}.`);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw fail(describeReadError(error));
  }
  try {
    // The owner is that of the open file, so that nobody can exchange the file in between.
    const stats = fstatSync(file);
    const user = process.getuid?.();
    if (user !== undefined && stats.uid !== user) return undefined;
    if (!stats.isFile()) throw fail('it is not a file');
    if (stats.size > maxSize) throw fail(`it is larger than ${maxSize / 1024} KB`);
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } finally {
    closeSync(file);
  }
}

/** Parses the file. An error does not quote it, because somebody may have put a key into it. */
function parseProject(path: string, content: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    const [, position] = /position (\d+)/.exec(getErrorMessage(error)) ?? [];
    const before = content.slice(0, position === undefined ? content.length : Number(position));
    throw new Failure('usage', `${path}, line ${before.split('\n').length}: not valid JSON.`, {
      hint: 'Example: {"profile": "work", "format": "json", "limit": 50}',
    });
  }
  if (isObject(value)) return value;
  throw new Failure('usage', `${path}: not a JSON object.`, { hint: allowedNames });
}

/** Maximum number of project files whose announcements are remembered. */
const maxRemembered = 200;

const resolveMemory = (env: Environment) => join(resolveCacheFolder(env), 'projects.json');

function readMemory(env: Environment): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(readFileSync(resolveMemory(env), 'utf8')) };
  } catch {
    return {};
  }
}

/** Remembers an announcement. If that fails, it is repeated. */
async function rememberUse(env: Environment, path: string, description: string): Promise<void> {
  const { [path]: _, ...others } = readMemory(env);
  const kept = Object.entries(others).slice(1 - maxRemembered);
  const memory = Object.fromEntries([...kept, [path, description]]);
  await writeFileAtomically(resolveMemory(env), [JSON.stringify(memory)], 0o600, 0o700).catch(() => {});
}
