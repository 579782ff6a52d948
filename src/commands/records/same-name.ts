import type { Session } from '../../cli/command/context.ts';
import { isInteractive, requireConsent } from '../../cli/command/interaction.ts';
import { findIndexedIds } from '../../cli/references/index-lookups.ts';
import { type Candidate, kinds } from '../../cli/references/reference-kinds.ts';
import { Failure } from '../../contract/errors.ts';
import { pageSize } from '../../contract/grammar.ts';
import { toMatchKey } from '../../records/match.ts';
import { foldName } from '../../values/names.ts';

/** Maximum number of cached names that begin with the name of a new organization. */
const maxCached = 200;

/**
 * Asks in a terminal, or else warns, if an organization with the same name exists. Looks in the name cache and the search
 * index, and sends at most one request: for the organization found there, or else, in a terminal, for the first page.
 * @throws {Failure} cancelled if declined
 */
export async function checkSameName(session: Session, name: unknown): Promise<void> {
  if (typeof name !== 'string' || foldName(name) === '') return;
  const match = await findSameName(session, name).catch((error: unknown) => {
    session.signal.throwIfAborted();
    // A service may refuse to read organizations and accept a new one. A guard stops the command.
    if (!(error instanceof Failure) || error.code === 'limit_reached') throw error;
    return undefined;
  });
  if (!match) return;
  const problem = `An organization named "${match.name}" already exists: ${match.id}`;
  const { quiet, yes, dryRun } = session.globals;
  if (quiet || yes || dryRun || !isInteractive(session)) await session.messages.warn(problem);
  else await requireConsent(session, `${problem}. Create another?`);
}

async function findSameName(session: Session, name: string): Promise<Candidate | undefined> {
  const { organization } = kinds;
  const client = await session.client();
  const key = toMatchKey('name', name);
  const isSame = ({ keys }: Candidate) => keys.includes(key);
  const cached = await session.references.names.findNamed('organizations', name.trim(), maxCached);
  const ids = cached.flatMap(({ id, names }) =>
    names.some((known) => toMatchKey('name', known) === key) ? [id] : [],
  );
  const [id] = ids.length > 0 ? ids : await findIndexedIds(session, 'organization', name, 'whole');
  if (id !== undefined) {
    // Someone may have renamed or deleted it since.
    const known = await organization.read(client, id);
    return isSame(known) ? known : undefined;
  }
  if (session.globals.quiet || !isInteractive(session)) return undefined;
  const pages = organization.list(client, { size: pageSize.max, limit: pageSize.max });
  for await (const { candidates } of pages) return candidates.find(isSame);
  return undefined;
}
