import { Failure, type FailureDetail } from '../../contract/errors.ts';
import type { Reference } from '../../render/names.ts';
import type { ReferenceKind } from '../../values/names.ts';
import { quoteShellWord } from '../../values/text.ts';
import type { Session } from '../context.ts';
import { isInteractive } from '../interaction.ts';
import { type Candidate, kinds } from './kinds.ts';
import { createNames } from './names.ts';

/** Maximum number of candidates that a failure lists. */
const maxListed = 10;

/** Returns the failure for a reference that matches no record, with the closest names and the failed request's detail. */
export function createNoMatchFailure(
  kind: ReferenceKind,
  text: string,
  closest: readonly Candidate[],
  detail: FailureDetail,
): Failure {
  const { noun, command, describe } = kinds[kind];
  const names = closest.map(({ id, name }) => `${name} (${id})`);
  const problem = `No ${noun} has the ${describe(text)} "${text}".`;
  if (names.length === 0)
    return new Failure('not_found', problem, { ...detail, hint: `kith ${command} list` });
  return new Failure('not_found', `${problem} Closest names: ${names.join(', ')}.`, detail);
}

/**
 * Returns the id of the only candidate; of several, the one that the person at the terminal chooses.
 * @throws {Failure} usage with the candidates if there are several and no terminal, interrupted on Escape
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
    const { chooseItem, toItem } = await import('../ask/choose-item.ts');
    const items = candidates.map((candidate) => toItem(candidate, [candidate.id]));
    return chooseItem(session, {
      message: () => `${problem}. Which one?`,
      read: async function* () {
        yield items;
      },
      empty: () => createNoMatchFailure(kind, text, [], {}),
    });
  }
  const descriptions = await describeCandidates(session, candidates.slice(0, maxListed));
  const more = candidates.length > maxListed ? `, and ${candidates.length - maxListed} more` : '';
  throw new Failure('usage', `${problem}: ${descriptions.join(', ')}${more}.`, {
    hint: `Use the id, such as ${quoteShellWord(first?.id ?? '')}.`,
  });
}

/** Describes candidates by their ids and what tells them from each other. */
async function describeCandidates(session: Session, candidates: readonly Candidate[]): Promise<string[]> {
  const names = createNames(session);
  const toReferences = ({ detail, organizationId: id }: Candidate): Reference[] =>
    detail || !id ? [] : [{ kind: 'organization', id }];
  await names.load(candidates.flatMap(toReferences));
  return candidates.map((candidate) => {
    const [owner] = toReferences(candidate);
    const difference = owner ? names.get(owner.kind, owner.id) : candidate.detail;
    return difference ? `${candidate.id} (${difference})` : candidate.id;
  });
}
