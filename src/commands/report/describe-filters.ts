import type { CommandInput } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { type Option, toFlagName } from '../../cli/command/options.ts';
import { readUser } from '../../cli/connect/settings.ts';
import type { Moment } from '../../cli/flags/moment.ts';
import { reportOptions } from '../../cli/flags/selection.ts';
import { createNames } from '../../cli/references/name-loader.ts';
import { createTimeFormatter } from '../../render/display.ts';
import type { ReportFilter } from '../../render/report/page.ts';
import { capitalize } from '../../values/text.ts';

/** Describes the flags that select the entries of a report, for readers who do not know kith. */
export async function describeFilters(
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
