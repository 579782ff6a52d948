import type { Result } from '../../contract/documents/results.ts';
import { unknownSpeaker } from '../../contract/speakers.ts';
import { formatClock } from '../../transcripts/transcript.ts';
import { createDayFormat } from '../../values/dates.ts';
import { formatCount } from '../../values/text.ts';
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

interface BriefLine {
  /** The id of the record, or of the recording. */
  readonly id: string;
  readonly date: string | null;
  readonly text: string;
  readonly detail: string;
}

/** A part of a brief, as screens, Markdown, pages and tables show it. */
export interface BriefSection {
  /** The name of the member of the document. */
  readonly name: string;
  readonly heading: string;
  readonly lines: readonly BriefLine[];
  /** The number of omitted lines. */
  readonly more: number;
}

/** Returns the sections of a brief that have lines. `zone`: the time zone of days. */
export function listBriefSections(brief: Brief, now: Date, zone: string | undefined): BriefSection[] {
  const formatDay = createDayFormat(zone);
  const toDay = (time: string) => (time.includes('T') ? formatDay(Date.parse(time)) : time);
  const create = (name: keyof Brief, heading: string, lines: readonly BriefLine[]): BriefSection => ({
    ...{ name, heading, lines },
    more: brief.more[name] ?? 0,
  });
  const { them, us } = brief.last_contact;
  const sides = Object.entries({ They: them, We: us });
  const sections = [
    create(
      'people',
      'People',
      brief.people.map(({ id, name, email, last_met_at }) => {
        const met = last_met_at === null ? '' : `met ${toDay(last_met_at)}`;
        return { id, date: last_met_at, text: name, detail: join(email, met) };
      }),
    ),
    create(
      'last_contact',
      'Last contact',
      sides
        .flatMap(([side, mention]) => (mention ? [{ ...mention, side }] : []))
        .map((mention) => ({
          id: mention.id,
          date: mention.at,
          text: `${mention.side}: ${toDay(mention.at)}`,
          detail: `${mention.kind} · ${mention.text}`,
        })),
    ),
    create(
      'deals',
      'Open deals',
      brief.deals.map((deal) => ({
        id: deal.id,
        date: deal.expected_close,
        text: join(
          deal.key ?? deal.id,
          formatStatus(deal, now),
          formatEntryValue(deal),
          deal.expected_close && `close ${toDay(deal.expected_close)}`,
          `changed ${toDay(deal.updated_at)}`,
        ),
        detail: deal.next_step === null ? '' : `Next: ${deal.next_step}`,
      })),
    ),
    create(
      'passages',
      'Said and promised',
      brief.passages.map(
        ({ quote, speaker, title, start_at, recording_id, start, reasons, accepted_by }) => ({
          id: recording_id,
          date: start_at,
          text: `“${quote}”`,
          detail: join(
            `${speaker || unknownSpeaker}${accepted_by === null ? '' : `, accepted by ${accepted_by}`}`,
            start === null ? recording_id : `${recording_id} at ${formatClock(start)}`,
            reasons.join(', '),
            `${toDay(start_at)} ${title}`,
          ),
        }),
      ),
    ),
    create(
      'actions',
      'Open action items',
      brief.actions.map(({ id, text, title, start_at }) => ({
        ...{ id, text, date: start_at },
        detail: join(id, toDay(start_at ?? ''), title),
      })),
    ),
    create(
      'changes',
      'Changes since the last meeting',
      brief.changes.map(({ kind, id, at, text, is_new }) => ({
        ...{ id, date: at, detail: '' },
        text: `${is_new ? 'New' : 'Changed'} ${kind}, ${toDay(at)}: ${text}`,
      })),
    ),
    create(
      'unclear',
      'Unclear',
      brief.unclear.map((text) => ({ id: '', date: null, text, detail: '' })),
    ),
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

const join = (...parts: readonly (string | null)[]) => parts.filter(Boolean).join(' · ');

function formatStatus({ status, status_since }: Brief['deals'][number], now: Date): string | null {
  const age = status_since === null ? 0 : now.getTime() - Date.parse(status_since);
  const days = Math.floor(age / 86_400_000);
  return days === 0 ? status : `${status} for at least ${formatCount(days, 'day')}`;
}

/** Maximum number of lines of a text, of its detail, and of the facts about the subject. */
const maxLines = { text: 2, detail: 1, about: 2 };

/** The sections whose texts and details are two columns. */
const columnSections = ['people', 'last_contact'];

/** Renders a brief as one screen. */
export function renderBrief(
  { name, about, passages: [passage] }: Brief,
  sections: readonly BriefSection[],
  style: Pick<TableStyle, 'width' | 'paint'>,
): string {
  const at = passage?.start ?? undefined;
  const command = `kith recordings transcript ${passage?.recording_id} --at ${formatClock(at ?? 0)}`;
  const facts = createText(about.join(' · '), { style: 'dim', maxLines: maxLines.about });
  return renderBlocks(
    [
      createHeading(name),
      ...(about.length > 0 ? [facts] : []),
      ...sections.flatMap((section) =>
        createSection(section.heading, [...listLineBlocks(section), ...listMore(section.more)]),
      ),
      ...(at === undefined ? [] : [createText(''), createText(`To read on: ${command}`, { style: 'dim' })]),
    ],
    style,
  );
}

function listLineBlocks({ name, lines }: BriefSection): Block[] {
  if (columnSections.includes(name)) {
    const rows = lines.map(({ text, detail }) => [text, detail]);
    return [createRows([titleColumn, flexibleColumn], rows)];
  }
  return lines.flatMap(({ text, detail }) => [
    createText(text, { maxLines: maxLines.text }),
    ...(detail === '' ? [] : [createText(detail, { indent: 2, style: 'dim', maxLines: maxLines.detail })]),
  ]);
}

/** Escapes the characters with which Markdown formats a line. */
const escapeMarkdown = (text: string) => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');

/** Formats a brief as Markdown. */
export function formatBriefMarkdown({ name, about }: Brief, sections: readonly BriefSection[]): string {
  const texts = sections.map(({ heading, lines }) => {
    const items = lines.map(({ text, detail }) => [text, detail].filter(Boolean).map(escapeMarkdown));
    return `\n## ${heading}\n\n${items.map((parts) => `- ${parts.join('  \n  ')}\n`).join('')}`;
  });
  return `# ${escapeMarkdown(name)}\n\n${escapeMarkdown(about.join(' · '))}\n${texts.join('')}`;
}
