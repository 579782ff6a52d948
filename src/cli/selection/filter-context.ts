import type { FilterContext } from '../../filter/kinds.ts';
import { createDayFormat } from '../../values/dates.ts';
import { foldName, type ReferenceKind } from '../../values/names.ts';
import type { Session } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';
import { readUser } from '../flags/settings.ts';
import { kinds } from '../references/kinds.ts';
import { resolveReference } from '../references/resolve-reference.ts';

/** Creates the context in which a session evaluates the values of an expression, with times in a zone. */
export function createFilterContext(session: Session, zone: string | undefined): FilterContext {
  const now = session.now();
  const formatDay = createDayFormat(zone);
  return {
    now,
    readTime: (text) => parseMoment(text)({ now, zone }),
    toDay: formatDay,
    resolve: (kind, text) => resolveReference(session, kind, text),
    async search(kind, text) {
      const part = foldName(text);
      const ids: string[] = [];
      for await (const { id, keys } of readCandidates(session, kind))
        if (keys.some((key) => key.includes(part))) ids.push(id);
      return ids;
    },
    readUser: () => readUser(session),
  };
}

/** Returns the names of all records of a kind by id. */
export async function readNames(session: Session, kind: ReferenceKind): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, name } of readCandidates(session, kind)) names.set(id, name);
  return names;
}

async function* readCandidates(session: Session, kind: ReferenceKind) {
  const { pageSize } = await session.preferences();
  for await (const { candidates } of kinds[kind].list(session, await session.client(), pageSize))
    yield* candidates;
}
