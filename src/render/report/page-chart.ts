import { escapeMarkup } from '../../values/markup.ts';
import { formatCount } from '../../values/text.ts';
import { stripUnsafe } from '../text/sanitize.ts';
import { truncate } from '../text/width.ts';
import type { Measure } from './page-measures.ts';
import type { Report, ReportGroup } from './totals.ts';

/** Maximum number of groups in a chart. The table has all groups. */
const maxBars = 24;

/** Maximum number of groups in one picture. A printed page can break only between two pictures. */
const maxBarsPerPicture = 8;

/** Maximum width of a name on a wide and on a narrow page, in columns of text. The table has the whole name. */
const labelWidths = { wide: 44, narrow: 30 };

const rowHeight = 38;
const barHeight = 8;

/** The longest number that leaves the usual room for a name. */
const maxNumberLength = 14;

/** A measure of a report, with its largest value. */
interface Chart {
  readonly measure: Measure;
  readonly most: number;
  /** The title of a picture: `Entries by Stage`. */
  readonly title: string;
}

/** Renders a measure of the groups as an SVG bar chart of any width. `id`: unique on the page. */
export function renderBarChart(report: Report, measure: Measure, id: string): string {
  const groups = report.groups.slice(0, maxBars);
  const most = report.groups.reduce((most, group) => Math.max(most, measure.read(group)), 0);
  const chart = { measure, most, title: `${measure.title} by ${stripUnsafe(report.heading)}` };
  const pictures: string[] = [];
  for (let start = 0; start < groups.length; start += maxBarsPerPicture)
    pictures.push(renderPicture(chart, groups.slice(start, start + maxBarsPerPicture), `${id}-${start}`));
  const more = report.groups.length - groups.length;
  return [
    '<figure>',
    `<h2>${escapeMarkup(measure.title)}</h2>`,
    ...pictures,
    ...(more > 0 ? [`<figcaption>${formatCount(more, 'more row')} in the table</figcaption>`] : []),
    '</figure>',
  ].join('\n');
}

function renderPicture(chart: Chart, groups: readonly ReportGroup[], id: string): string {
  const { measure, title } = chart;
  const texts = groups.map((group) => `${stripUnsafe(group.label)}: ${measure.format(group)}.`);
  return [
    `<svg role="img" aria-labelledby="${id}-title ${id}-text" height="${groups.length * rowHeight}">`,
    `<title id="${id}-title">${escapeMarkup(title)}</title>`,
    `<desc id="${id}-text">${escapeMarkup(texts.join(' '))}</desc>`,
    ...groups.map((group, index) => renderRow(chart, group, index * rowHeight)),
    '</svg>',
  ].join('\n');
}

/** Renders a name and a number above a bar. The name ends before the number, however wide its letters are. */
function renderRow({ measure, most }: Chart, group: ReportGroup, y: number): string {
  const label = stripUnsafe(group.label);
  const number = measure.format(group);
  const part = most > 0 ? (measure.read(group) / most) * 100 : 0;
  const box = `y="${y + 21}" height="${barHeight}" rx="${barHeight / 2}"`;
  const room = number.length > maxNumberLength ? 45 : 68;
  return [
    `<g><title>${escapeMarkup(`${label}: ${number}`)}</title>`,
    `<svg y="${y}" width="${room}%" height="20">${renderLabel(label)}</svg>`,
    `<text class="number" x="100%" y="${y + 14}">${escapeMarkup(number)}</text>`,
    `<rect class="track" width="100%" ${box}/>`,
    part > 0 ? `<rect class="bar ${group.tone ?? ''}" width="${part.toFixed(2)}%" ${box}/>` : '',
    '</g>',
  ].join('');
}

/** Renders a name once for wide pages and once for narrow pages. The style sheet hides the other text. */
function renderLabel(label: string): string {
  // Isolates the direction of the name, as <bdi> does in HTML. The ellipsis is then at its end in every script.
  const [wide, narrow] = [labelWidths.wide, labelWidths.narrow].map((width) =>
    escapeMarkup(`\u2068${truncate(label, width)}\u2069`),
  );
  if (wide === narrow) return `<text y="14">${wide}</text>`;
  return `<text class="wide" y="14">${wide}</text><text class="narrow" y="14">${narrow}</text>`;
}
