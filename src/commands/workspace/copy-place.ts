import { existsSync } from 'node:fs';
import { type CommandResult, toRecordsResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { findConnection, resolveConnectionWithKey } from '../../cli/connect/connection.ts';
import { withProgress } from '../../cli/progress/progress.ts';
import { calendarEvents } from '../../contract/calendar-events.ts';
import { contacts } from '../../contract/contacts.ts';
import { customFields } from '../../contract/custom-fields.ts';
import { Failure } from '../../contract/errors.ts';
import type { Route } from '../../contract/grammar.ts';
import { lists } from '../../contract/lists.ts';
import { organizations } from '../../contract/organizations.ts';
import { toTypedNoun } from '../../contract/singular-nouns.ts';
import type { DroppedValues } from '../../contract/workspace.ts';
import { toWorkspaceName } from '../../files/workspace-identity.ts';
import { views } from '../../render/views.ts';
import { identifyConnection } from '../../settings/connection.ts';
import { isDatabaseUrl } from '../../values/database-url.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { quote, quoteShellWord } from '../../values/text.ts';
import {
  archiveName,
  formatNounCount,
  type Place,
  resolvePlace,
  resolveSource,
  restoreArchive,
  withArchive,
  withTypedNoun,
} from './place.ts';

interface CopyInput {
  readonly from: string;
  readonly to: string;
  /** Whether to print each record. */
  readonly verbose: boolean;
  readonly concurrency: number | undefined;
}

/** Copies a place to another one, in the way that keeps the most. */
export async function copyPlace(
  session: Session,
  { from, to, verbose, concurrency }: CopyInput,
): Promise<CommandResult> {
  requireNoProfile(session);
  const source = await resolveCopyPlace(session, from, 'FROM');
  const target = await resolveCopyPlace(session, to, 'TO');
  await requireDifferent(session, source, target);
  const { place } = target;
  if ('archive' in place) return backUpPlace(source, place.archive, session.globals.dryRun);
  if ('database' in place && (await isEmpty(target.session, place.database)))
    return fillDatabase(source, target, place.database);
  const { transfer } = await import('./transfer/transfer.ts');
  return withArchive(session, source.place, (archive) =>
    transfer(archive, { session: target.session, place, name: to, isVerbose: verbose, concurrency }),
  );
}

/** @throws {Failure} usage if a flag names a workspace */
function requireNoProfile({ globals: { profile, baseUrl } }: Session): void {
  for (const [flag, value] of [
    ['--profile', profile],
    ['--base-url', baseUrl],
  ] as const)
    if (value)
      throw new Failure('usage', `${flag} is not supported by \`kith workspace copy\`.`, {
        hint: 'Name a profile as FROM or TO: kith workspace copy FROM TO',
      });
}

/** FROM or TO. */
interface CopyPlace {
  /** The place as it was typed. */
  readonly word: string;
  /** The file or database of a local profile. */
  readonly place: Place;
  /** The session on the workspace, with the guards of its profile; for an archive, the session of the command. */
  readonly session: Session;
}

/** Returns the place that a word names. @throws {Failure} usage */
async function resolveCopyPlace(session: Session, word: string, argument: 'FROM' | 'TO'): Promise<CopyPlace> {
  const isSource = argument === 'FROM';
  const place = await (isSource ? resolveSource : resolvePlace)(session, word, argument);
  if ('archive' in place) return { word, place, session };
  const own = session.forWorkspace(place);
  if ('profile' in place) {
    const connection = await findConnection(own);
    const isLocal = connection.kind === 'local';
    return { word, place: isLocal ? { database: connection.database } : place, session: own };
  }
  // A mistyped profile must not become a file.
  const isPlainWord = !isDatabaseUrl(word) && /^[^./\\]+$/.test(word) && !existsSync(place.database);
  if (!isPlainWord) return { word, place, session: own };
  throw new Failure('usage', `${argument}: ${quote(word)} is neither a profile nor an existing file.`, {
    hint: `For a new file: ./${quoteShellWord(word)}. Profiles: kith auth list`,
  });
}

/** @throws {Failure} usage if both places are the same */
async function requireDifferent(session: Session, source: CopyPlace, target: CopyPlace): Promise<void> {
  const [from, to] = [source.place, target.place];
  if ('database' in from && 'database' in to)
    return (await session.services.workspace()).checkDifferent(from.database, to.database);
  if (!('profile' in from && 'profile' in to)) return;
  const [left, right] = await Promise.all([identifyHosted(source), identifyHosted(target)]);
  if (from.profile === to.profile || left === right)
    throw new Failure('usage', `FROM and TO are the same workspace: ${target.word}`);
}

async function identifyHosted({ session }: CopyPlace): Promise<string> {
  return toWorkspaceName(identifyConnection(await resolveConnectionWithKey(session)));
}

/** Whether a file or database is missing or has no records. `session`: on this workspace. */
async function isEmpty(session: Session, database: string): Promise<boolean> {
  if (!isDatabaseUrl(database) && !existsSync(database)) return true;
  const client = await session.client();
  const routes: readonly Route[] = [
    organizations.list,
    contacts.list,
    lists.list,
    customFields.list,
    calendarEvents.list,
  ];
  for (const route of routes) if ((await client.page(route, { first: 1 })).data.length > 0) return false;
  return true;
}

async function backUpPlace(source: CopyPlace, path: string, isDryRun: boolean): Promise<CommandResult> {
  const { place, word, session } = source;
  if ('archive' in place)
    throw new Failure('usage', 'FROM and TO are both archives.', { hint: 'Copy the files: cp -r FROM TO' });
  if (isDryRun)
    return toTextResult(`Would back up ${word} to ${path}.\n`, { action: 'backup', from: word, to: path });
  const { backUpWorkspace } = await import('./backup.ts');
  const [dir, archive] = archiveName.test(path) ? [undefined, path] : [path, undefined];
  const result = await backUpWorkspace(session, { dir, archive, keep: undefined, force: false });
  return { ...result, isReadOnly: true };
}

/** Copies a place to an empty file or database, with its ids, keys and times. */
async function fillDatabase(
  source: CopyPlace,
  { session, word }: CopyPlace,
  database: string,
): Promise<CommandResult> {
  const { place } = source;
  const words = { from: source.word, to: word };
  if (session.globals.dryRun)
    return toTextResult(`Would copy ${source.word} to ${word} with all ids, keys and times.\n`, {
      action: 'database' in place ? 'copy' : 'restore',
      ...words,
    });
  await session.guards.checkCommand({ effects: 'stores' }, {}, ['workspace', 'copy']);
  if ('database' in place) return copyRows(session, place.database, database);
  const { findIncompleteness } = await import('./incomplete-archive.ts');
  const { rows, dropped, incomplete } = await withArchive(source.session, place, async (archive) => ({
    ...(await restoreArchive(session, archive, database)),
    incomplete: findIncompleteness(archive),
  }));
  const failure = dropped.length > 0 ? createDroppedFailure(dropped) : incomplete;
  const records = rows.map(({ noun, rows }) => ({ table: toTypedNoun(noun), rows }));
  return {
    ...toRecordsResult(records, views.copiedRows),
    ...(failure && { document: toRawJson({ rows: records, dropped: dropped.map(withTypedNoun) }), failure }),
  };
}

/** Names the records and values that a workspace cannot store. */
function createDroppedFailure(dropped: readonly DroppedValues[]): Failure {
  const texts = dropped.map(({ noun, field, reason, count, ids }) => {
    const records = `${formatNounCount(noun, count)} (${ids.join(', ')}${count > ids.length ? ', …' : ''})`;
    return `${field === undefined ? '' : `${field} of `}${records}: ${reason.replace(/\.$/, '')}`;
  });
  return new Failure('partial', `Not copied: ${texts.join('; ')}.`, {
    hint: 'Everything else was copied. FROM still has these values.',
  });
}

async function copyRows(session: Session, source: string, target: string): Promise<CommandResult> {
  const workspace = await session.services.workspace();
  const copied = await withProgress(session, (update) =>
    workspace.copy(
      source,
      target,
      (phase, done, total) =>
        update({ verb: phase === 'copy' ? 'Copying' : 'Comparing', done, total, unit: 'row' }),
      session.signal,
    ),
  );
  return toRecordsResult(copied, views.copiedRows);
}
