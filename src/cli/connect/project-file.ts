import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, getErrorMessage } from '../../contract/errors.ts';
import { hasWorkspaceVariable } from '../../settings/connection.ts';
import { type Environment, resolveCacheFolder } from '../../settings/paths.ts';
import { allowedNames, readProjectFile } from '../../settings/project-file.ts';
import type { EffectiveSettings, ProjectSettings } from '../../settings/settings.ts';
import { globalOptions } from '../command/globals.ts';
import { guardOptions, isGuardName } from '../command/guards.ts';
import { createTextOption, type Option } from '../command/options.ts';
import type { Configuration } from './connection.ts';
import { defaultFormat } from './settings.ts';

/** The settings that a project file may have. A key or a URL could send a stored key to another service. */
const projectOptions: Readonly<Record<string, Option<unknown>>> = {
  profile: createTextOption('Profile', 'NAME'),
  format: defaultFormat,
  limit: globalOptions.limit,
  ...guardOptions,
};

/** The JSON type of a setting. */
const getType = ({ range, defaultValue }: Option<unknown>) => {
  if (range) return 'number';
  return typeof defaultValue === 'boolean' ? 'boolean' : 'string';
};

/** The environments of the runs that have announced their project files. */
const announcedRuns = new WeakSet<Environment>();

/** Applies project files, the nearest first, to stored settings, and announces them. `read` reports their errors. */
export async function applyProjectFiles(
  stored: { readonly path: string; read(): EffectiveSettings },
  paths: readonly string[],
  configuration: Configuration,
): Promise<{ readonly path: string; read(): EffectiveSettings }> {
  const projects = await announceProjectFiles(paths, configuration).catch((error: unknown) => ({ error }));
  return {
    path: stored.path,
    read: () => {
      if ('error' in projects) throw projects.error;
      const settings = stored.read();
      const isProfileSet = hasWorkspaceVariable(configuration.runtime.env);
      const project = isProfileSet ? undefined : projects.find(({ profile }) => profile !== undefined);
      const defaults = projects.map((file) => file.defaults).toReversed();
      return {
        ...settings,
        ...(project?.profile !== undefined && { active: project.profile, project }),
        defaults: Object.assign({}, settings.defaults, ...defaults),
        projects,
      };
    },
  };
}

/** Reads project files. Announces a file if its description is new. */
async function announceProjectFiles(
  paths: readonly string[],
  { runtime: { env }, messages, globals }: Configuration,
): Promise<readonly ProjectSettings[]> {
  const files = paths.map((path) => ({ path, ...loadProjectFile(path) }));
  if (messages && !globals.quiet && !announcedRuns.has(env)) {
    announcedRuns.add(env);
    for (const { path, description } of files.toReversed()) {
      if (readAnnouncements(env)[path] === description) continue;
      await messages.note(description);
      if (!messages.printsJson() || globals.jsonEnvelope) await storeAnnouncement(env, path, description);
    }
  }
  return files.flatMap(({ settings }) => settings ?? []);
}

interface LoadedProject {
  /** Undefined if the file is ignored. */
  readonly settings: ProjectSettings | undefined;
  /** The announcement. */
  readonly description: string;
}

/**
 * Reads a project file. Ignores the file of another user.
 * @throws {Failure} usage if it is damaged or has other settings
 */
export function loadProjectFile(path: string): LoadedProject {
  const values = readProjectFile(path);
  if (values === undefined)
    return { settings: undefined, description: `Ignored ${path}: it belongs to another user.` };
  const createProblem = (name: string, reason: string) =>
    new Failure('usage', `${path}: ${name}: ${reason}`, { hint: allowedNames });
  const texts = Object.entries(values).map(([name, value]): [string, string] => {
    const option = Object.hasOwn(projectOptions, name) ? projectOptions[name] : undefined;
    if (!option) throw createProblem(JSON.stringify(name), 'not supported.');
    const type = getType(option);
    if (typeof value !== type) throw createProblem(name, `not a ${type}.`);
    try {
      option.parse(String(value));
    } catch (error) {
      throw createProblem(name, getErrorMessage(error));
    }
    return [name, String(value)];
  });
  const described = texts.map(([name, value]) => `${name} ${value}`).join(', ') || 'no settings';
  const { profile } = Object.fromEntries(texts);
  const guards = Object.fromEntries(texts.filter(([name]) => isGuardName(name)));
  const defaults = Object.fromEntries(texts.filter(([name]) => name !== 'profile' && !isGuardName(name)));
  return { settings: { path, profile, defaults, guards }, description: `Using ${path}: ${described}.` };
}

/** Maximum number of project files whose announcements are stored. */
const maxAnnouncements = 200;

const resolveAnnouncementsFile = (env: Environment) => join(resolveCacheFolder(env), 'projects.json');

function readAnnouncements(env: Environment): Readonly<Record<string, unknown>> {
  try {
    return { ...JSON.parse(readFileSync(resolveAnnouncementsFile(env), 'utf8')) };
  } catch {
    return {};
  }
}

/** Stores an announcement. If that fails, the next run announces the file again. */
async function storeAnnouncement(env: Environment, path: string, description: string): Promise<void> {
  const { [path]: _, ...others } = readAnnouncements(env);
  const latestAnnouncements = Object.entries(others).slice(1 - maxAnnouncements);
  const announcements = Object.fromEntries([...latestAnnouncements, [path, description]]);
  const { writeFileAtomically } = await import('../../files/atomic-write.ts');
  await writeFileAtomically(
    resolveAnnouncementsFile(env),
    [JSON.stringify(announcements)],
    0o600,
    0o700,
  ).catch(() => {});
}
