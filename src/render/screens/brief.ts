import type { Result } from '../../contract/documents/results.ts';
import { formatClock } from '../../transcripts/transcript.ts';
import { createDayFormat } from '../../values/dates.ts';
import {
  type Block,
  createHeading,
  createRows,
  createSection,
  createText,
  flexibleColumn,
  listMore,
  renderBlocks,
  titleColumn,
} from '../blocks.ts';
import type { TableStyle } from '../text/paint.ts';
import { formatEntryValue } from './relationship.ts';

type Brief = Result<'brief'>;

/** A line of a brief. */
interface BriefItem {
  readonly id: string;
  readonly date: string | null;
  readonly text: string;
  readonly detail: string;
}

/** A part of a brief, as screens, Markdown, pages and rows show it. */
export interface BriefSection {
  readonly name: string;
  readonly heading: string;
  readonly items: readonly BriefItem[];
  readonly more: number;
  /** Whether the detail is shown next to the text. */
  readonly isCompact?: true;
}

/** Returns the sections of a brief that have lines. `zone`: the time zone of days. */
export function listBriefSections(brief: Brief, now: Date, zone: string | undefined): BriefSection[] {
  const formatDay = createDayFormat(zone);
  const toDay = (time: string | null) => (time?.includes('T') ? formatDay(Date.parse(time)) : (time ?? ''));
  const join = (...parts: readonly (string | null | undefined)[]) => parts.filter(Boolean).join(' · ');
  const { us, them } = brief.last_contact;
  const sides = [
    { side: 'They', mention: them },
    { side: 'We', mention: us },
  ];
  const sections: readonly Omit<BriefSection, 'more'>[] = [
    {
      name: 'people',
      heading: 'People',
      isCompact: true,
      items: brief.people.map(({ id, name, email, last_met_at }) => ({
        id,
        date: last_met_at,
        text: name,
        detail: join(email, last_met_at && `met ${toDay(last_met_at)}`),
      })),
    },
    {
      name: 'deals',
      heading: 'Open deals',
      items: brief.deals.map((deal) => ({
        id: deal.id,
        date: deal.expected_close,
        text: join(deal.key ?? deal.id, formatStatus(deal, now), formatEntryValue(deal as never)),
        detail: join(
          deal.next_step && `next: ${deal.next_step}`,
          deal.expected_close && `expected close ${toDay(deal.expected_close)}`,
          `changed ${toDay(deal.updated_at)}`,
        ),
      })),
    },
    {
      name: 'passages',
      heading: 'Said and promised',
      items: brief.passages.map(
        ({ quote, speaker, title, start_at, recording_id, start, reasons, accepted_by }) => ({
          id: recording_id,
          date: start_at,
          text: `“${quote}”`,
          detail: join(
            accepted_by === null ? speaker : `${speaker}, accepted by ${accepted_by}`,
            `${recording_id}${start === null ? '' : ` at ${formatClock(start)}`}`,
            reasons.join(', '),
            `${toDay(start_at)} ${title}`,
          ),
          recording_id,
          start,
        }),
      ),
    },
    {
      name: 'actions',
      heading: 'Open action items',
      items: brief.actions.map(({ id, text, title, start_at }) => ({
        id,
        date: start_at,
        text,
        detail: join(id, toDay(start_at), title),
      })),
    },
    {
      name: 'changes',
      heading: 'Changes since the last meeting',
      items: brief.changes.map(({ kind, id, at, text, is_new }) => ({
        id,
        date: at,
        text: `${is_new ? 'New' : 'Changed'} ${kind}: ${text}`,
        detail: join(id, toDay(at)),
      })),
    },
    {
      name: 'last_contact',
      heading: 'Last contact',
      items: sides.flatMap(({ side, mention }) =>
        mention === null
          ? []
          : [
              {
                id: mention.id,
                date: mention.at,
                text: `${side}: ${toDay(mention.at)}, ${mention.kind}`,
                detail: mention.text,
              },
            ],
      ),
      isCompact: true,
    },
    {
      name: 'unclear',
      heading: 'Unclear',
      items: brief.unclear.map((text) => ({ id: '', date: null, text, detail: '' })),
    },
  ];
  return sections
    .filter(({ items }) => items.length > 0)
    .map((section) => ({ ...section, more: brief.more[section.name] ?? 0 }));
}

function formatStatus({ status, status_since }: Brief['deals'][number], now: Date): string {
  const days =
    status_since === null ? 0 : Math.floor((now.getTime() - Date.parse(status_since)) / 86_400_000);
  return days === 0 ? (status ?? '') : `${status} for at least ${days} ${days === 1 ? 'day' : 'days'}`;
}

/** Returns the lines of all sections as rows of a table. */
export const toBriefRows = (sections: readonly BriefSection[]) =>
  sections.flatMap(({ name, items }) => items.map((item) => ({ section: name, ...item })));

/** Maximum number of lines of a text, and of the line with the facts about the subject. */
const maxLines = { text: 2, about: 2 };

/** Renders a brief as one screen. */
export function renderBrief(
  { name, about, passages }: Brief,
  sections: readonly BriefSection[],
  style: Pick<TableStyle, 'width' | 'paint'>,
): string {
  const [passage] = passages;
  const time = passage && `--at ${formatClock(passage.start ?? 0)}`;
  const hint = passage ? `Open a passage: kith recordings transcript ${passage.recording_id} ${time}` : '';
  return renderBlocks(
    [
      createHeading(name),
      createText(about.join(' · '), { style: 'dim', maxLines: maxLines.about }),
      ...sections.flatMap(({ heading, items, more, isCompact }) =>
        createSection(heading, [
          ...(isCompact ? [createCompactRows(items)] : items.flatMap(listItemBlocks)),
          ...listMore(more),
        ]),
      ),
      ...(hint === '' ? [] : [createText(''), createText(hint, { style: 'dim', maxLines: 1 })]),
    ],
    style,
  );
}

const createCompactRows = (items: readonly BriefItem[]) =>
  createRows(
    [titleColumn, flexibleColumn],
    items.map(({ text, detail }) => [text, detail]),
  );

const listItemBlocks = ({ text, detail }: BriefItem): Block[] => [
  createText(text, { maxLines: maxLines.text }),
  ...(detail === '' ? [] : [createText(detail, { indent: 2, style: 'dim', maxLines: 1 })]),
];

/** Escapes the characters with which Markdown formats a line. */
const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');

/** Formats a brief as Markdown. */
export function formatBriefMarkdown({ name, about }: Brief, sections: readonly BriefSection[]): string {
  const parts = sections.map(({ heading, items }) => {
    const lines = items.map(
      ({ text, detail }) => `- ${[text, detail].filter(Boolean).map(escapeMarkdown).join('  \n  ')}\n`,
    );
    return `\n## ${escapeMarkdown(heading)}\n\n${lines.join('')}`;
  });
  return `# ${escapeMarkdown(name)}\n\n${escapeMarkdown(about.join(' · '))}\n${parts.join('')}`;
}
