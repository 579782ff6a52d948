import { type CommandInput, type CommandResult, toTextResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { Failure } from '../../contract/errors.ts';
import { renderReportPage } from '../../render/report/page.ts';
import type { Report } from '../../render/report/totals.ts';
import { getZoneName } from '../../values/dates.ts';
import { describeFilters } from './describe-filters.ts';

/**
 * Writes a report as an HTML page to a file that only its owner can read, or to stdout if the path is `-`. The result is empty, unless a flag sets a
 * format. `readReport` returns the report and the result with its rows.
 * @throws {Failure} usage if the file cannot be written, before anything is read
 */
export async function writePage(
  session: Session,
  path: string,
  input: CommandInput,
  readReport: () => Promise<{ readonly report: Report; readonly result: CommandResult }>,
): Promise<CommandResult> {
  const { format, json, jq, fields } = session.globals;
  const hasFormatFlag = json || [format, jq, fields].some((flag) => flag !== undefined);
  checkFlags(session, path === '-' && hasFormatFlag);
  if (path === '-') return toTextResult(await renderPage(session, (await readReport()).report, input), {});
  const file = await session.streams.openFile(path, 0o600);
  try {
    const { report, result } = await readReport();
    await file.output.write(await renderPage(session, report, input));
    file.commit();
    await session.messages.note(`Wrote the report to ${path}.`);
    return hasFormatFlag ? result : toTextResult('', {});
  } finally {
    file.discard();
  }
}

/** @throws {Failure} usage if another flag asks for another output */
function checkFlags({ globals: { watch, output } }: Session, isFormattedOnStdout: boolean): void {
  const refuse = (flags: string) => new Failure('usage', `${flags} cannot be used together.`);
  if (watch !== undefined) throw refuse('--html and --watch');
  if (output !== undefined) throw refuse('--html and --output');
  if (isFormattedOnStdout) throw refuse('--html - and a flag for another format');
}

async function renderPage(session: Session, report: Report, input: CommandInput): Promise<string> {
  const zone = typeof input.tz === 'string' ? input.tz : getZoneName();
  const filters = await describeFilters(session, input, zone);
  return renderReportPage(report, { time: session.runtime.now(), zone, filters });
}
