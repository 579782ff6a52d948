import { escapeMarkup } from '../../values/markup.ts';
import { stripUnsafe } from '../text/sanitize.ts';
import { renderBarChart } from './page-chart.ts';
import { listMeasures, type Measure } from './page-measures.ts';
import { pageStyle } from './page-style.ts';
import type { GroupTotals, Report } from './totals.ts';

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
const toName = (text: string) => `<bdi>${toHtml(text)}</bdi>`;

/** Renders a report as an HTML page that needs no other file and runs no script. */
export function renderReportPage(report: Report, origin: ReportOrigin): string {
  const title = `${report.name} by ${report.heading}`;
  const measures = listMeasures(report);
  const charts = measures.map((measure, index) => renderBarChart(report, measure, `chart-${index + 1}`));
  return [
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
    renderHeader(report, origin),
    renderFigures(report, measures),
    ...(report.groups.length > 0
      ? [`<section class="charts${charts.length === 1 ? ' single' : ''}">`, ...charts, '</section>']
      : []),
    renderTable(report, measures),
    renderFooter(report),
    '</main>',
    '</body>',
    '</html>\n',
  ].join('\n');
}

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

function renderFigures({ total }: Report, measures: readonly Measure[]): string {
  const figures = measures.map(
    ({ title, format }) =>
      `<div><dt>${escapeMarkup(title)}</dt><dd>${escapeMarkup(format(total))}</dd></div>`,
  );
  return `<dl class="figures">${figures.join('')}</dl>`;
}

function renderTable(report: Report, measures: readonly Measure[]): string {
  const [entries, ...amounts] = measures;
  const titles = [...(entries ? [entries.title] : []), 'Share', ...amounts.map(({ title }) => title)];
  const head = titles.map((title) => `<th scope="col">${escapeMarkup(title)}</th>`).join('');
  const formatRow = (label: string, totals: GroupTotals, share: string) => {
    const cells = [
      ...(entries ? [formatCell(entries, totals)] : []),
      `<td>${share}</td>`,
      ...amounts.map((amount) => formatCell(amount, totals)),
    ];
    return `<th scope="row">${toName(label)}</th>${cells.join('')}`;
  };
  const rows = report.groups.map(({ label, tone, ...totals }) => {
    const row = formatRow(label, totals, `${totals.share.toFixed(1)}%`);
    return `<tr${tone === 'none' ? ' class="none"' : ''}>${row}</tr>`;
  });
  return [
    '<div class="numbers" role="region" aria-labelledby="numbers" tabindex="0">',
    '<table>',
    '<caption id="numbers">All numbers</caption>',
    `<thead><tr><th scope="col">${toName(report.heading)}</th>${head}</tr></thead>`,
    `<tbody>\n${rows.join('\n')}\n</tbody>`,
    `<tfoot><tr>${formatRow('All', report.total, '')}</tr></tfoot>`,
    '</table>',
    '</div>',
  ].join('\n');
}

const formatCell = ({ read, format }: Measure, totals: GroupTotals) =>
  `<td${read(totals) === 0 ? ' class="zero"' : ''}>${escapeMarkup(format(totals))}</td>`;

function renderFooter({ isOverlapping }: Report): string {
  const notes = [
    ...(isOverlapping
      ? ['An entry with several values counts in the row of each value, and once in the total.']
      : []),
    'Made with kith.',
  ];
  return `<footer>${notes.map((note) => `<p>${note}</p>`).join('')}</footer>`;
}
