import { dirname } from 'node:path';
import type { Manifest } from '../../archive/manifest.ts';
import { defineCommand, toMessageResult } from '../../cli/command/command.ts';
import { createFlag } from '../../cli/command/options.ts';
import { findConnection } from '../../cli/connect/connection.ts';
import { createOfflineFailure, isOffline } from '../../cli/connect/offline.ts';
import { Failure } from '../../contract/errors.ts';
import type { DroppedValues } from '../../contract/workspace.ts';
import { accessFile } from '../../files/disk-errors.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/permissions.ts';
import { identifyConnection } from '../../settings/connection.ts';
import { formatCount } from '../../values/text.ts';
import { formatNoun, formatNounCount, withTypedNoun } from './place.ts';

export const pull = defineCommand({
  name: 'pull',
  effects: 'prunes',
  exitCodes: [6],
  summary: 'Copy a hosted workspace to this machine, to read it with --offline',
  description:
    'Write the offline copy of a hosted workspace to this machine, and update the search index. With --offline ' +
    'or KITH_OFFLINE=1, commands that read use it, and say how old it is. Later runs fetch only new and changed ' +
    'meetings. An interrupted pull changes nothing. `kith auth logout` removes the copy.',
  output: { text: ['pull-result', 'removal'] },
  options: { remove: createFlag('Remove the offline copy') },
  examples: ['workspace pull', 'workspace pull --profile work --quiet', 'workspace pull --remove'],
  async run(session, { remove }) {
    const { globals, signal } = session;
    const { env, lockHolder } = session.runtime;
    const connection = await findConnection(session);
    if (connection.kind === 'local')
      throw new Failure(
        'usage',
        'This workspace is on this machine already. Only a hosted workspace has an offline copy.',
        {
          hint: 'Choose a hosted profile with --profile. To list profiles: kith auth list',
        },
      );
    const { findMirrorFiles, nameWorkspace, removeMirror } = await import('../../settings/mirror.ts');
    const name = nameWorkspace(connection);
    const files = findMirrorFiles(env, identifyConnection(connection));
    if (!remove && isOffline(globals, env))
      throw createOfflineFailure('workspace pull is not possible offline: it reads the service.', globals);
    const lock = { path: files.lock, work: `is pulling the workspace ${name}` };
    accessFile('write', files.folder, () => makeFolder(dirname(files.folder), 0o700));
    const run = <T>(work: () => Promise<T>) => withLock(lock, { ...lockHolder, signal }, work);
    if (remove) {
      const isRemoved = await run(async () => removeMirror(files));
      const text = isRemoved
        ? `Removed the offline copy of ${name}.\n`
        : `There is no offline copy of ${name}.\n`;
      return toMessageResult(session, text, { removed: isRemoved });
    }
    const { pullWorkspace } = await import('./pull-workspace.ts');
    const { manifest, isChanged, dropped } = await run(() => pullWorkspace(session, files));
    for (const group of dropped) await session.messages.note(describeDropped(group));
    const { createUnreadFailure } = await import('./backup.ts');
    const { unread } = manifest;
    const json = {
      profile: connection.profile ?? null,
      workspace: connection.baseUrl,
      file: files.database,
      archive: files.archive,
      changed: isChanged,
      ...countRecords(manifest),
      pulled_at: manifest.started_at,
      age_seconds: Math.round((session.runtime.now().getTime() - Date.parse(manifest.started_at)) / 1000),
      dropped: dropped.map(withTypedNoun),
      ...(unread && { unread }),
    };
    const text = describePull(name, manifest, isChanged);
    return {
      ...toMessageResult(session, text, json),
      failure: createUnreadFailure(
        unread,
        'The offline copy has all other records. The next pull requests the missing records again.',
      ),
    };
  },
});

function countRecords({ files }: Manifest) {
  const counts = Object.entries(files).map(([noun, { records }]) => [noun, records] as const);
  return { records: counts.reduce((sum, [, count]) => sum + count, 0), ...Object.fromEntries(counts) };
}

function describePull(name: string, manifest: Manifest, isChanged: boolean): string {
  const count = formatCount(countRecords(manifest).records, 'record');
  if (!isChanged) return `The offline copy of ${name} is up to date: ${count}.\n`;
  return `Pulled ${name}: ${count}. To read them without the service, add --offline to a command.\n`;
}

/** Describes values that a workspace file cannot store: `Not in the offline copy: 3 values of photo (contacts: unknown field).` */
function describeDropped({ noun, field, count, reason }: DroppedValues): string {
  const values =
    field === undefined ? formatNounCount(noun, count) : `${formatCount(count, 'value')} of ${field}`;
  return `Not in the offline copy: ${values} (${formatNoun(noun)}: ${reason}).`;
}
