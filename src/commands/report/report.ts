import { type CommandInput, type CommandResult, toBatch, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { requireProcess } from '../../cli/command/records.ts';
import { readCurrency } from '../../cli/connect/settings.ts';
import { readSelection, reportOptions } from '../../cli/flags/selection.ts';
import type { Batch } from '../../client/pagination.ts';
import { type Entry, entries as routes } from '../../contract/entries.ts';
import type { List } from '../../contract/lists.ts';
import type { Received } from '../../contract/received.ts';
import { repeatIfChanged, requireUnchanged } from '../../records/read-all.ts';
import { renderReportChart } from '../../render/report/chart.ts';
import { createGroupTotals, type Report } from '../../render/report/totals.ts';
import type { JsonObject } from '../../values/json-object.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { quoteShellWord } from '../../values/text.ts';
import { type Grouping, groupByStatus, noValue } from './grouping.ts';

/** Reports the entries of a list that the flags select, in groups. */
export async function reportList(
  session: Session,
  list: Received<List>,
  input: CommandInput,
): Promise<CommandResult> {
  const { html, compare } = input;
  if (typeof compare === 'string') return compareList(session, list, input, compare);
  const read = () => repeatIfChanged(() => readReport(session, list, input));
  const isPage = session.globals.format === 'html';
  if (typeof html !== 'string' && !isPage) return (await read()).result;
  const { renderListPage, writePage } = await import('./write-page.ts');
  const readPage = async () => {
    const { report, result } = await read();
    return { result, renderPage: () => renderListPage(session, report, input) };
  };
  if (typeof html === 'string') return writePage(session, html, readPage);
  return toTextResult(await (await readPage()).renderPage(), {});
}

/** Reports how the entries that the flags select changed since an archive was made. */
async function compareList(
  session: Session,
  list: Received<List>,
  input: CommandInput,
  path: string,
): Promise<CommandResult> {
  const { reportChanges } = await import('./report-changes.ts');
  const [client, selection] = [await session.client(), readSelection(reportOptions, input)];
  const { toEntryList } = await import('../../cli/selection/noun-records.ts');
  const { selectRecords } = await import('../../cli/selection/select-records.ts');
  const readEntries = () => selectRecords(session, toEntryList(session, client, list), selection ?? {});
  return reportChanges(session, list, readEntries, selection !== undefined, path, readZone(input));
}

async function readReport(
  session: Session,
  list: Received<List>,
  input: CommandInput,
): Promise<{ report: Report; result: CommandResult }> {
  const { grouping, batches } = await openEntries(session, list, input);
  const { report, rows } = await buildReport(list, grouping, batches, await readCurrency(session));
  if (report.isOverlapping)
    await session.messages.note(
      `An entry with several values counts in the row of each value, so the rows add up to more than ${report.total.entries} entries.`,
    );
  const result: CommandResult = {
    kind: 'records',
    batches: toBatch(rows.map(toRawJson)),
    view: grouping.view,
    render: (style) => () => renderReportChart(report, style),
  };
  return { report, result };
}

/** Returns the entries that the flags select, and how to group them. Without flags, loads no filters. */
async function openEntries(
  session: Session,
  list: Received<List>,
  input: CommandInput,
): Promise<{ grouping: Grouping; batches: AsyncIterable<Batch> }> {
  const by = typeof input.by === 'string' ? input.by : undefined;
  if (by === undefined)
    requireProcess(list, `Group by a field: kith lists report ${quoteShellWord(list.name)} --by FIELD`);
  const client = await session.client();
  const selection = readSelection(reportOptions, input);
  if (!selection && by === undefined)
    return { grouping: groupByStatus(list), batches: client.pages(routes.list, { list_id: list.id }) };
  const { toEntryList } = await import('../../cli/selection/noun-records.ts');
  const { selectRecords } = await import('../../cli/selection/select-records.ts');
  const entries = toEntryList(session, client, list);
  const grouping =
    by === undefined
      ? groupByStatus(list)
      : await (await import('./field-grouping.ts')).chooseGrouping(
          session,
          list,
          entries,
          by,
          readZone(input),
        );
  return { grouping, batches: await selectRecords(session, entries, selection ?? {}) };
}

const readZone = ({ tz }: CommandInput) => (typeof tz === 'string' ? tz : undefined);

/** Totals entries by group, as a stream. */
async function buildReport(
  { name, process }: Received<List>,
  grouping: Grouping,
  batches: AsyncIterable<Batch>,
  currency: string | undefined,
): Promise<{ report: Report; rows: readonly JsonObject[] }> {
  const totals = createGroupTotals(grouping.keys);
  let isOverlapping = false;
  for await (const { records } of requireUnchanged(batches)) {
    const entries = records.map(({ value }) => value as Received<Entry>); // they are from the list of entries
    await grouping.load?.(entries);
    for (const entry of entries) {
      const keys = new Set(grouping.readKeys(entry));
      isOverlapping ||= keys.size > 1;
      totals.add(entry, keys.size > 0 ? keys : new Set([noValue]));
    }
  }
  const keys = totals.listKeys();
  const orderedKeys = await grouping.arrange(
    keys.filter((key) => key !== noValue),
    totals,
  );
  const allKeys = [...orderedKeys, ...(keys.includes(noValue) ? [noValue] : [])];
  const groups = allKeys.map((key) => ({ ...grouping.describe(key), totals: totals.get(key) }));
  return {
    report: {
      name,
      heading: grouping.heading,
      groups: groups.map(({ label, tone, totals }) => ({ ...totals, label, tone })),
      total: totals.getTotal(),
      hasValues: process === true,
      isOverlapping,
      currency,
      largest: totals.listLargest(),
    },
    rows: groups.map(({ fields, totals }) => ({ ...fields, ...totals, currency: currency ?? null })),
  };
}
