import { escapeMarkup } from '../../values/markup.ts';
import { stripUnsafe } from '../text/sanitize.ts';
import { listMeasures, type Measure } from './page-measures.ts';
import { pageStyle } from './page-style.ts';
import { firstYearFormula, type Report } from './totals.ts';

/** A filter of a report, for people: `Assignee` and an address. A flag has no value. */
export interface ReportFilter {
  readonly label: string;
  readonly value?: string;
}

/** How a report was made. */
export interface ReportOrigin {
  readonly time: Date;
  readonly zone: string;
  readonly filters: readonly ReportFilter[];
}

/** Escapes a text of the service for the content of an element. The page has no such text in an attribute. */
const toHtml = (text: string) => escapeMarkup(stripUnsafe(text));

/** Isolates the direction of a name, which may be in Arabic or Hebrew. */
export const toName = (text: string) => `<bdi>${toHtml(text)}</bdi>`;

/** The titles and the rows of the entries. */
export interface PageTable {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Renders a report as an HTML page. */
export function renderReportPage(report: Report, entries: PageTable, origin: ReportOrigin): string {
  const measures = listMeasures(report);
  return renderPage(`${report.name} by ${report.heading}`, [
    renderHeader(report, origin),
    renderFigures(report, measures),
    ...(report.groups.length > 0 ? [renderGroups(report, measures)] : []),
    ...(entries.rows.length > 0 ? [renderEntries(report, entries)] : []),
    renderFooter(report),
  ]);
}

/** Renders parts as an HTML page that needs no other file and runs no script. */
export const renderPage = (title: string, parts: readonly string[]): string =>
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${toHtml(title)}</title>`,
    `<style>${pageStyle}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...parts,
    '</main>',
    '</body>',
    '</html>\n',
  ].join('\n');

function renderHeader({ name, heading }: Report, { time, zone, filters }: ReportOrigin): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: zone });
  const texts = filters.map(({ label, value }) =>
    value === undefined ? `<b>${toHtml(label)}</b>` : `${toHtml(label)} <b>${toName(value)}</b>`,
  );
  const facts = [
    `<time datetime="${time.toISOString()}">${format.format(time)}</time> (${toHtml(zone)})`,
    ...(texts.length > 0 ? texts : ['All entries']),
  ];
  return [
    '<header>',
    `<h1>${toName(name)}</h1>`,
    `<p class="subject">Entries by ${toName(heading)}</p>`,
    `<ul class="facts">${facts.map((fact) => `<li>${fact}</li>`).join('')}</ul>`,
    '</header>',
  ].join('\n');
}

function renderFigures({ total, hasValues }: Report, measures: readonly Measure[]): string {
  const figures = measures.map(
    ({ title, format }) =>
      `<div><dt>${escapeMarkup(title)}</dt><dd>${escapeMarkup(format(total))}</dd></div>`,
  );
  const formula = hasValues ? `<p class="formula">First-year value: ${firstYearFormula}.</p>` : '';
  return `<dl class="figures">${figures.join('')}</dl>${formula}`;
}

/** Renders the numbers of each group above a bar. The totals are the figures above the table. */
function renderGroups(report: Report, measures: readonly Measure[]): string {
  const most = measures.map(({ read }) => Math.max(...report.groups.map(read)));
  const rows = report.groups.map((group) => {
    const cells = measures.map((measure, index) => {
      const text =
        measure === measures[0]
          ? `${measure.format(group)} <small>${group.share.toFixed(1)}%</small>`
          : escapeMarkup(measure.format(group));
      const part = Math.max(0, measure.read(group)) / (most[index] || 1);
      return `<td>${text}<i><b style="width:${(part * 100).toFixed(2)}%"></b></i></td>`;
    });
    return `<tr class="${group.tone ?? ''}"><th scope="row">${toName(group.label)}</th>${cells.join('')}</tr>`;
  });
  return renderTable('groups', 'Numbers', [report.heading, ...measures.map(({ title }) => title)], rows);
}

function renderEntries({ total, hasValues }: Report, { titles, rows }: PageTable): string {
  const isTruncated = rows.length < total.entries;
  const kind = hasValues ? 'largest' : 'first';
  const caption = isTruncated ? `The ${rows.length} ${kind} of all entries` : 'Entries';
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${toName(cell)}</td>`).join('')}</tr>`);
  return renderTable('entries', caption, titles, lines);
}

const renderTable = (id: string, caption: string, titles: readonly string[], rows: readonly string[]) =>
  [
    `<div class="numbers ${id}" role="region" aria-labelledby="${id}" tabindex="0">`,
    '<table>',
    `<caption id="${id}">${caption}</caption>`,
    `<thead><tr>${titles.map((title) => `<th scope="col">${toName(title)}</th>`).join('')}</tr></thead>`,
    `<tbody>\n${rows.join('\n')}\n</tbody>`,
    '</table>',
    '</div>',
  ].join('\n');

function renderFooter({ isOverlapping }: Report): string {
  const notes = [
    ...(isOverlapping
      ? ['An entry with several values counts in the row of each value, and once in the total.']
      : []),
    'Made with kith.',
  ];
  return `<footer>${notes.map((note) => `<p>${note}</p>`).join('')}</footer>`;
}
