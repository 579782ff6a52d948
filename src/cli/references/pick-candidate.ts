import { Failure } from '../../contract/errors.ts';
import type { RecordKind } from '../command/command.ts';
import type { Session } from '../command/context.ts';
import { chooseItem, toItem } from './choose-item.ts';
import { sources } from './pick-sources.ts';
import type { Candidate } from './reference-kinds.ts';

/**
 * Lets the person at the terminal choose the record that a reference means, and returns its id. `searchText`: the initial
 * search text; if undefined, only candidates are listed.
 * @throws {Failure} interrupted on Escape
 */
export function pickCandidate(
  session: Session,
  record: RecordKind,
  candidates: readonly Candidate[],
  message: string,
  searchText: string | undefined,
): Promise<string> {
  const { nouns, read } = sources[record];
  const ids = new Set(candidates.map(({ id }) => id));
  return chooseItem(session, {
    message: () => message,
    initialText: searchText,
    read: async function* (background) {
      yield candidates.map((candidate) => toItem(candidate, [candidate.id], searchText));
      if (searchText === undefined) return;
      for await (const { items } of read({ session, background, parentId: '' }))
        yield items.filter(({ id }) => !ids.has(id));
    },
    empty: () => new Failure('not_found', `There are no ${nouns} to choose from.`),
  });
}
