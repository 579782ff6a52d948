import { type CommandInput, type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { type Option, toFlagName } from '../../cli/command/options.ts';
import { readUser } from '../../cli/connect/settings.ts';
import type { Moment } from '../../cli/flags/moment.ts';
import { reportOptions } from '../../cli/flags/selection.ts';
import { createNameLoader } from '../../cli/print/format-table.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import { Failure } from '../../contract/errors.ts';
import { collectReferences } from '../../render/collect-references.ts';
import type { Column } from '../../render/columns.ts';
import { createTimeFormatter, type Display, formatColumn, formatLabel } from '../../render/display.ts';
import { type PageTable, type ReportFilter, renderReportPage } from '../../render/report/page.ts';
import type { Report } from '../../render/report/totals.ts';
import { views } from '../../render/views.ts';
import { getZoneName } from '../../values/dates.ts';
import { createAmountFormat } from '../../values/money.ts';
import { capitalize } from '../../values/text.ts';

/**
 * Writes an HTML page to a file that only its owner can read, or to stdout if the path is `-`. The result is empty, unless a
 * flag sets a format. `read` returns the renderer of the page, and the result with its rows.
 * @throws {Failure} usage if the file cannot be written, before anything is read
 */
export async function writePage(
  session: Session,
  path: string,
  read: () => Promise<{
    readonly renderPage: () => string | Promise<string>;
    readonly result: CommandResult;
  }>,
): Promise<CommandResult> {
  const { format, json, jq, fields } = session.globals;
  const hasFormatFlag = json || [format, jq, fields].some((flag) => flag !== undefined);
  checkFlags(session, path === '-' && hasFormatFlag);
  if (path === '-') return toTextResult(await (await read()).renderPage(), {});
  const file = await session.streams.openFile(path, 0o600);
  try {
    const { renderPage, result } = await read();
    await file.output.write(await renderPage());
    file.commit();
    await session.messages.note(`Wrote the ${session.call.commandLine?.command.name ?? 'page'} to ${path}.`);
    return hasFormatFlag ? result : toTextResult('', {});
  } finally {
    file.discard();
  }
}

/** @throws {Failure} usage if another flag asks for another output */
function checkFlags({ globals: { output } }: Session, isFormattedOnStdout: boolean): void {
  const refuse = (flags: string) => new Failure('usage', `${flags} cannot be used together.`);
  if (output !== undefined) throw refuse('--html and --output');
  if (isFormattedOnStdout) throw refuse('--html - and a flag for another format');
}

export async function renderListPage(session: Session, report: Report, input: CommandInput): Promise<string> {
  const zone = typeof input.tz === 'string' ? input.tz : getZoneName();
  const filters = await describeFilters(session, input, zone);
  const entries = await formatEntries(session, report, zone);
  return renderReportPage(report, entries, { time: session.runtime.now(), zone, filters });
}

/** Formats the largest entries as a table does, with names instead of ids, and one value. */
async function formatEntries(session: Session, report: Report, zone: string): Promise<PageTable> {
  const { largest, hasValues, currency } = report;
  const { loadNames, getName } = createNameLoader(session);
  const formatTime = createTimeFormatter(session.runtime.now(), zone, true);
  const display: Display = { getName, formatTime, isFull: false };
  const columns = views.entries(largest.map(({ entry }) => entry));
  const selectPlace = (selected: Column['place']) =>
    columns.filter(({ place, name }) => place === selected && !/^id$|_value$/.test(name));
  const ordered = [...selectPlace('lead'), ...selectPlace(undefined)];
  const formatAmount = createAmountFormat(currency);
  const format = (display: Display) =>
    largest.map(({ entry, first_year_value_cents: cents }) => [
      ...ordered.map((column) => formatColumn(column, entry, display)),
      ...(hasValues ? [formatAmount(cents)] : []),
    ]);
  await loadNames(collectReferences((getName) => format({ ...display, getName })));
  const titles = [...ordered.map(formatLabel), ...(hasValues ? ['First-year value'] : [])];
  return { titles, rows: format(display) };
}

/** Describes the flags that select the entries of a report, for readers who do not know kith. */
async function describeFilters(
  session: Session,
  input: CommandInput,
  zone: string,
): Promise<readonly ReportFilter[]> {
  const filters: ReportFilter[] = [];
  for (const [name, option] of Object.entries(reportOptions)) {
    const value = input[name];
    if (name === 'tz' || value === undefined || value === false) continue;
    const isUser = name === 'mine' || value === 'me';
    const label = isUser ? 'Assignee' : capitalize(toFlagName(name).slice(2).replaceAll('-', ' ')); // `Closed after`
    if (isUser) filters.push({ label, value: await readUser(session) });
    else if (value === true) filters.push({ label });
    else filters.push({ label, value: await formatValue(session, option, value, zone) });
  }
  return filters;
}

async function formatValue(
  session: Session,
  { reference, placeholder }: Option<unknown>,
  value: unknown,
  zone: string,
): Promise<string> {
  if (typeof value === 'function') {
    const now = session.runtime.now();
    const time = new Date((value as Moment)({ now, zone }) * 1000); // the only option with a function
    return createTimeFormatter(now, zone, true)(time.toISOString()).replace(/ 00:00| \(.*\)$/g, '');
  }
  const text = String(value);
  if (!reference) return placeholder === 'DAYS' ? `${text} days` : text;
  const names = createNames(session);
  await names.load([{ kind: reference.kind, id: text }]);
  return names.get(reference.kind, text);
}
