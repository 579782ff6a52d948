import { Failure, type FailureDetail } from '../../contract/errors.ts';
import { organizations } from '../../contract/organizations.ts';
import { sanitizeLine } from '../../render/sanitize.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../context.ts';
import { isInteractive, prompt } from '../interaction.ts';
import { type Candidate, kinds, type ReferenceKind } from './kinds.ts';

/** Maximum number of candidates that a failure lists. */
const maxListed = 10;

/** Returns the failure for a reference that names no record, with the closest names. `detail`: of the failed request. */
export function createNoMatchFailure(
  kind: ReferenceKind,
  text: string,
  closest: readonly Candidate[],
  detail: FailureDetail,
): Failure {
  const { noun, command, describe } = kinds[kind];
  const names = closest.map(({ id, name }) => `${name} (${id})`);
  const hint = names.length > 0 ? `Closest names: ${names.join(', ')}.` : `kith ${command} list`;
  return new Failure('not_found', `No ${noun} has the ${describe(text)} "${text}".`, { ...detail, hint });
}

/**
 * Returns the id of the only candidate; of several, the one that the person at the terminal chooses.
 * @throws {Failure} usage with the candidates if there are several and nobody to ask, interrupted on Escape
 */
export async function chooseCandidate(
  session: Session,
  kind: ReferenceKind,
  text: string,
  candidates: readonly Candidate[],
): Promise<string> {
  const [first, ...others] = candidates;
  if (first && others.length === 0) return first.id;
  const problem = `${candidates.length} ${kinds[kind].command} match "${text}"`;
  if (isInteractive(session) && !session.globals.quiet) {
    const choices = candidates.map(({ id, name, detail }) => ({
      value: id,
      label: sanitizeLine([name, detail].filter(Boolean).join(', ')),
      hint: sanitizeLine(id),
    }));
    return prompt(({ select }) => select(sanitizeLine(`${problem}. Which one?`), choices), session);
  }
  const listed = await Promise.all(
    candidates.slice(0, maxListed).map((candidate) => describeCandidate(session, candidate)),
  );
  const more = candidates.length > maxListed ? `, and ${candidates.length - maxListed} more` : '';
  throw new Failure('usage', `${problem}: ${listed.join(', ')}${more}.`, {
    hint: `Use the id, such as ${quoteShellWord(first?.id ?? '')}.`,
  });
}

/** Describes a candidate by its id and what tells it from the others. */
async function describeCandidate(
  session: Session,
  { id, detail, organizationId }: Candidate,
): Promise<string> {
  const difference = detail ?? (organizationId && (await readOrganizationName(session, organizationId)));
  return difference ? `${id} (${difference})` : id;
}

/** Returns the name of an organization, or its id if it cannot be read. */
async function readOrganizationName(session: Session, organization_id: string): Promise<string> {
  try {
    const { name } = await (await session.client()).read(organizations.get, { organization_id });
    return name ?? organization_id;
  } catch (error) {
    if (error instanceof Failure) return organization_id;
    throw error;
  }
}
