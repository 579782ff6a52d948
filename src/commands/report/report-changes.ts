import { type CommandResult, toRecordsResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import type { Batch } from '../../client/pagination.ts';
import type { Entry } from '../../contract/entries.ts';
import { Failure } from '../../contract/errors.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import type { GetName } from '../../render/collect-references.ts';
import { createTimeFormatter } from '../../render/display.ts';
import { views } from '../../render/views.ts';
import { getZoneName } from '../../values/dates.ts';
import { checkIntact } from '../workspace/incomplete-archive.ts';
import { resolveSource, withArchive } from '../workspace/place.ts';
import { DealComparison, type DealRow, dealChanges } from './compare-deals.ts';

/**
 * Reports the entries that were added, removed, moved, won or lost since an archive was made. `isSelection`: whether flags
 * select some of the entries, so that missing entries may still exist.
 */
export async function reportChanges(
  session: Session,
  list: Received<List>,
  readEntries: () => Promise<AsyncIterable<Batch>>,
  isSelection: boolean,
  path: string,
  zone = getZoneName(),
): Promise<CommandResult> {
  const place = await resolveSource(session, path, '--compare');
  if (!('archive' in place))
    throw new Failure('usage', `--compare: "${path}" is not an archive.`, {
      hint: 'Create one: kith workspace backup DIR',
    });
  return withArchive(session, place, async (archive) => {
    checkIntact(archive);
    const { unread } = archive.manifest;
    if (unread?.nouns.includes('lists') || unread?.lists.includes(list.id))
      await session.messages.warn(
        `The backup could not read the entries of "${list.name}", so the archive lacks the entries or has their earlier state.`,
      );
    const rows = await repeatIfChanged(async () => {
      const comparison = new DealComparison(archive, list);
      const found: DealRow[] = [];
      for await (const { records } of requireUnchanged(await readEntries()))
        for (const { value } of records) {
          const row = comparison.compare(value as Received<Entry>); // they are from the list of entries
          if (row) found.push(row);
        }
      return isSelection ? found : [...found, ...comparison.listRemoved()];
    });
    const since = new Date(archive.manifest.completed_at);
    const time = createTimeFormatter(session.runtime.now(), zone, true)(since.toISOString());
    await session.messages.note(`Since ${time}: ${describeChanges(rows)}.`);
    const named = await addNames(session, rows);
    const order = (row: DealRow) => dealChanges.indexOf(row.change);
    return toRecordsResult(
      named.toSorted((left, right) => order(left) - order(right)),
      views.dealChanges,
    );
  });
}

function describeChanges(rows: readonly DealRow[]): string {
  const counts = dealChanges.flatMap((kind) => {
    const count = rows.filter(({ change }) => change === kind).length;
    return count > 0 ? [`${count} ${kind === 'value' ? 'with another value' : kind}`] : [];
  });
  return counts.join(', ') || 'no changes';
}

/** Adds the names of records that the archive does not contain. */
async function addNames(session: Session, rows: readonly DealRow[]): Promise<DealRow[]> {
  const kindOf = ({ entryable_type }: DealRow) =>
    entryable_type === 'Organization' ? ('organization' as const) : ('contact' as const);
  const nameless = rows.filter(({ name }) => name === '');
  const names = createNames(session);
  await names.load(nameless.map((row) => ({ kind: kindOf(row), id: String(row.entryable_id) })));
  const getName: GetName = names.get;
  return rows.map((row) =>
    row.name === '' ? { ...row, name: getName(kindOf(row), String(row.entryable_id)) } : row,
  );
}
