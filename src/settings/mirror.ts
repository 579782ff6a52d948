import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { Failure } from '../contract/errors.ts';
import { accessFile } from '../files/disk-errors.ts';
import { type FileFormat, isNewerFailure, readDocument } from '../files/durable-file.ts';
import { type ResolvedIdentity, toWorkspaceName } from '../files/workspace-identity.ts';
import { formatAge } from '../values/age.ts';
import { identifyConnection, type ResolvedConnection } from './connection.ts';
import { type Environment, resolveDataFolder } from './paths.ts';

/** The description of a mirror. A pull writes it last. No command uses a mirror without it. */
const MirrorState = v.object({
  /** The version of the format. */
  kith_mirror: v.literal(1),
  /** The version of kith that wrote the workspace file. */
  kith_version: v.string(),
  /** The size of the workspace file. A file of another size is damaged. */
  bytes: v.number(),
  /** When the oldest of its records was read. */
  read_at: v.pipe(v.string(), v.isoTimestamp()),
  /** The SHA-256 sums of the archive's files from which the workspace file was written. */
  sums: v.record(v.string(), v.string()),
});
export type MirrorState = Readonly<v.InferOutput<typeof MirrorState>>;

export const mirrorFormat: FileFormat<typeof MirrorState> = {
  what: 'description of the offline copy',
  version: 1,
  versionMember: 'kith_mirror',
  schema: MirrorState,
};

/** The files of the mirror of a hosted workspace. */
export interface MirrorFiles {
  readonly folder: string;
  readonly archive: string;
  /** A workspace file that is never changed, only replaced. */
  readonly database: string;
  readonly state: string;
  readonly lock: string;
}

/** A copy of a hosted workspace on this machine. */
export interface Mirror {
  /** The profile, or the host of the base URL. */
  readonly name: string;
  readonly files: MirrorFiles;
  readonly readAt: Date;
}

export function findMirrorFiles(env: Environment, workspace: ResolvedIdentity): MirrorFiles {
  const folder = join(resolveDataFolder(env), 'mirrors', toWorkspaceName(workspace));
  return {
    folder,
    archive: join(folder, 'archive'),
    database: join(folder, 'workspace.sqlite'),
    state: join(folder, 'mirror.json'),
    // Next to the folder, so that the folder can be removed while the lock is held.
    lock: `${folder}.lock`,
  };
}

/**
 * Reads the description of a mirror; undefined if there is no usable mirror: the next pull writes it again.
 * @throws {Failure} failed if a newer version of kith wrote it
 */
export function readMirrorState({ state, database }: MirrorFiles): MirrorState | undefined {
  try {
    const found = readDocument(mirrorFormat, state);
    return found?.bytes === statSync(database).size ? found : undefined;
  } catch (error) {
    if (isNewerFailure(error)) throw error;
    return undefined;
  }
}

/** Finds the mirror of a connection; undefined if there is no usable one. */
export function findMirror(env: Environment, connection: ResolvedConnection): Mirror | undefined {
  try {
    return connection.kind === 'local' ? undefined : readMirror(env, connection);
  } catch {
    return undefined; // a command that needs the mirror reports that it is newer
  }
}

function readMirror(env: Environment, connection: HostedConnection): Mirror | undefined {
  const files = findMirrorFiles(env, identifyConnection(connection));
  const state = readMirrorState(files);
  return state && { name: nameWorkspace(connection), files, readAt: new Date(state.read_at) };
}

/** Finds the mirror of a connection. @throws {Failure} offline if there is none, failed if a newer version of kith wrote it */
export function requireMirror(env: Environment, connection: HostedConnection): Mirror {
  const mirror = readMirror(env, connection);
  if (mirror) return mirror;
  throw new Failure('offline', `There is no offline copy of ${nameWorkspace(connection)} on this machine.`, {
    hint: 'When the service can be reached: kith workspace pull',
  });
}

type HostedConnection = Extract<ResolvedConnection, { readonly kind: 'hosted' }>;

/** Returns the profile of a hosted workspace, or the host of its base URL. */
export const nameWorkspace = ({ profile, baseUrl }: HostedConnection): string =>
  profile ?? new URL(baseUrl).host;

/** Formats the age of a mirror: `3 hours`. */
export const formatMirrorAge = ({ readAt }: Mirror, now: Date): string =>
  formatAge(Math.max(0, (now.getTime() - readAt.getTime()) / 1000));

/** Describes the mirror that a run reads: `Reading the offline copy of work from 3 hours ago.` */
export const describeMirror = (mirror: Mirror, now: Date): string =>
  `Reading the offline copy of ${mirror.name} from ${formatMirrorAge(mirror, now)} ago.`;

/** Removes a mirror. Removes the description first, so that no command uses half a mirror. */
export function removeMirror({ folder, state }: MirrorFiles): boolean {
  const isRemoved = existsSync(folder);
  accessFile('write', folder, () => {
    rmSync(state, { force: true });
    rmSync(folder, { recursive: true, force: true });
  });
  return isRemoved;
}
