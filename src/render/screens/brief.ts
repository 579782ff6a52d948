import type { Result } from '../../contract/documents/results.ts';
import { unknownSpeaker } from '../../contract/speakers.ts';
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
  const { them, us } = brief.last_contact;
  const sections: Readonly<Record<string, readonly [heading: string, lines: readonly BriefLine[]]>> = {
    people: ['People', brief.people.map((person) => toPersonLine(person, toDay))],
    last_contact: [
      'Last contact',
      [...listContactLines('They', them, toDay), ...listContactLines('We', us, toDay)],
    ],
    deals: ['Open deals', brief.deals.map((deal) => toDealLine(deal, now, toDay))],
    passages: ['Said and promised', brief.passages.map((passage) => toPassageLine(passage, toDay))],
    actions: ['Open action items', brief.actions.map((action) => toActionLine(action, toDay))],
    changes: ['Changes since the last meeting', brief.changes.map((change) => toChangeLine(change, toDay))],
    unclear: ['Unclear', brief.unclear.map((text) => ({ id: '', date: null, text, detail: '' }))],
  };
  return Object.entries(sections).flatMap(([name, [heading, lines]]) =>
    lines.length > 0 ? [{ name, heading, lines, more: brief.more[name] ?? 0 }] : [],
  );
}

/** Formats the day of a time. */
type DayFormat = (time: string) => string;

function toPersonLine(
  { id, name, email, last_met_at }: Brief['people'][number],
  toDay: DayFormat,
): BriefLine {
  const met = last_met_at === null ? '' : `met ${toDay(last_met_at)}`;
  return { id, date: last_met_at, text: name, detail: join(email, met) };
}

function listContactLines(side: string, mention: Brief['last_contact']['us'], toDay: DayFormat): BriefLine[] {
  if (mention === null) return [];
  const { id, at, kind, text } = mention;
  return [{ id, date: at, text: `${side}: ${toDay(at)}`, detail: join(kind, text) }];
}

function toDealLine(deal: Brief['deals'][number], now: Date, toDay: DayFormat): BriefLine {
  const { id, key, expected_close, next_step, updated_at } = deal;
  const close = expected_close === null ? '' : `close ${toDay(expected_close)}`;
  const changed = `changed ${toDay(updated_at)}`;
  return {
    id,
    date: expected_close,
    text: join(key ?? id, formatStatus(deal, now), formatEntryValue(deal), close, changed),
    detail: next_step === null ? '' : `Next: ${next_step}`,
  };
}

function toPassageLine(passage: Brief['passages'][number], toDay: DayFormat): BriefLine {
  const { quote, speaker, title, start_at, recording_id, time, reasons, accepted_by } = passage;
  const person = `${speaker || unknownSpeaker}${accepted_by === null ? '' : `, accepted by ${accepted_by}`}`;
  const place = time === null ? recording_id : `${recording_id} at ${time}`;
  const detail = join(person, place, reasons.join(', '), `${toDay(start_at)} ${title}`);
  return { id: recording_id, date: start_at, text: `“${quote}”`, detail };
}

const toActionLine = (
  { id, text, title, start_at }: Brief['actions'][number],
  toDay: DayFormat,
): BriefLine => ({
  ...{ id, text, date: start_at },
  detail: join(id, toDay(start_at ?? ''), title),
});

const toChangeLine = (
  { kind, id, at, text, is_new }: Brief['changes'][number],
  toDay: DayFormat,
): BriefLine => ({
  ...{ id, date: at, detail: '' },
  text: `${is_new ? 'New' : 'Changed'} ${kind}, ${toDay(at)}: ${text}`,
});

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
  const command = passage?.time && `kith recordings transcript ${passage.recording_id} --at ${passage.time}`;
  const facts = createText(about.join(' · '), { style: 'dim', maxLines: maxLines.about });
  return renderBlocks(
    [
      createHeading(name),
      ...(about.length > 0 ? [facts] : []),
      ...sections.flatMap((section) =>
        createSection(section.heading, [...listLineBlocks(section), ...listMore(section.more)]),
      ),
      ...(command ? [createText(''), createText(`To read on: ${command}`, { style: 'dim' })] : []),
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
