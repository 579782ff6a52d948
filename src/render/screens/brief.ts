import type { Result } from '../../contract/documents/results.ts';
import { unknownSpeaker } from '../../contract/speakers.ts';
import { formatCount } from '../../values/text.ts';
import {
  type Block,
  createHeading,
  createSection,
  createText,
  formatMore,
  listMore,
  renderBlocks,
} from '../blocks.ts';
import type { TableStyle } from '../text/paint.ts';
import { stripUnsafe } from '../text/sanitize.ts';
import { wrap } from '../text/width.ts';
import { createTimeFormat } from './day-screen.ts';
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
  const { toDay } = createTimeFormat(zone);
  const { them, us } = brief.last_contact;
  const toContactLine = (side: string, { id, at, kind, text }: NonNullable<typeof us>) => ({
    id,
    date: at,
    text: `${side}: ${toDay(at)}`,
    detail: join(kind, text),
  });
  const people = brief.people.map(({ id, name, email, last_met_at }) => {
    const met = last_met_at === null ? '' : `met ${toDay(last_met_at)}`;
    return { id, date: last_met_at, text: name, detail: join(met, email) };
  });
  const contact = [
    ...(them ? [toContactLine('By them', them)] : []),
    ...(us ? [toContactLine('By us', us)] : []),
  ];
  const deals = brief.deals.map((deal) => {
    const { id, key, expected_close, next_step, updated_at } = deal;
    const close = expected_close === null ? '' : `close ${toDay(expected_close)}`;
    const changed = `changed ${toDay(updated_at)}`;
    const text = join(key ?? id, formatStatus(deal, now), formatEntryValue(deal), close, changed);
    return { id, date: expected_close, text, detail: next_step === null ? '' : `Next: ${next_step}` };
  });
  const passages = brief.passages.map((passage) => {
    const { quote, speaker, title, start_at, recording_id, time, reasons, accepted_by } = passage;
    const person = `${speaker || unknownSpeaker}${accepted_by === null ? '' : `, accepted by ${accepted_by}`}`;
    const place = time === null ? recording_id : `${recording_id} at ${time}`;
    const detail = join(person, place, reasons.join(', '), `${toDay(start_at)} ${title}`);
    return { id: recording_id, date: start_at, text: `“${quote}”`, detail };
  });
  const actions = brief.actions.map(({ id, text, title, start_at }) => {
    return { id, date: start_at, text, detail: join(id, toDay(start_at ?? ''), title) };
  });
  const changes = brief.changes.map(({ kind, id, at, text: about, is_new }) => {
    const text = `${is_new ? 'New' : 'Changed'} ${kind}, ${toDay(at)}: ${about}`;
    return { id, date: at, text, detail: '' };
  });
  const unclear = brief.unclear.map((text) => ({ id: '', date: null, text, detail: '' }));
  const sections: Readonly<Record<string, readonly [heading: string, lines: readonly BriefLine[]]>> = {
    people: ['People', people],
    last_contact: ['Last contact', contact],
    deals: ['Deals', deals],
    passages: ['Said and promised', passages],
    actions: ['Open action items', actions],
    changes: [them ? 'Changes since the last meeting' : 'Changes', changes],
    unclear: ['Unclear', unclear],
  };
  return Object.entries(sections)
    .map(([name, [heading, lines]]) => ({ name, heading, lines, more: brief.more[name] ?? 0 }))
    .filter(({ lines }) => lines.length > 0);
}

const join = (...parts: readonly (string | null)[]) => parts.filter(Boolean).join(' · ');

function formatStatus({ status, status_since }: Brief['deals'][number], now: Date): string | null {
  const age = status_since === null ? 0 : now.getTime() - Date.parse(status_since);
  const days = Math.floor(age / 86_400_000);
  return !status || days === 0 ? status : `${status} for at least ${formatCount(days, 'day')}`;
}

/** Maximum number of lines of the facts about the subject, of a text, and of its detail. */
const maxLines = { fact: 2, text: 2, detail: 1 };

/** The sections in which a line shows only its text. */
const shortSections: readonly string[] = ['actions', 'changes', 'unclear'];

/** Renders a brief as one screen. The people and the last contact are facts, with one line each. */
export function renderBrief(
  { name, about, passages: [passage] }: Brief,
  sections: readonly BriefSection[],
  { width, paint }: Pick<TableStyle, 'width' | 'paint'>,
): string {
  const command = passage?.time && `kith recordings transcript ${passage.recording_id} --at ${passage.time}`;
  const isFact = (section: BriefSection) => ['people', 'last_contact'].includes(section.name);
  const facts = sections.filter(isFact).map(({ heading, lines, more }) => {
    const texts = lines.map(({ text, detail }) => (detail ? `${text} (${detail.split(' · ')[0]})` : text));
    return { label: heading, texts: [[...texts, ...(more > 0 ? [formatMore(more)] : [])].join(', ')] };
  });
  const fields: Block = {
    kind: 'fields',
    fields: [...(about.length > 0 ? [{ label: 'About', texts: [about.join(' · ')] }] : []), ...facts],
    paintLabel: paint.dim,
    wrapText: (text, room) => wrap(text, room, maxLines.fact),
  };
  return renderBlocks(
    [
      createHeading(name),
      fields,
      ...sections
        .filter((section) => !isFact(section))
        .flatMap((section) =>
          createSection(section.heading, [...listLineBlocks(section), ...listMore(section.more)]),
        ),
      ...(sections.length > 0 ? [] : [createText('No people, deals, notes or meetings.', { style: 'dim' })]),
      ...(command ? [createText(''), createText(`Read on: ${command}`, { style: 'dim' })] : []),
    ],
    { width, paint },
  );
}

function listLineBlocks({ name, lines }: BriefSection): Block[] {
  if (shortSections.includes(name)) return lines.map(({ text }) => createText(text, { maxLines: 1 }));
  return lines.flatMap(({ text, detail }) => [
    createText(text, { maxLines: maxLines.text }),
    ...(detail === '' ? [] : [createText(detail, { indent: 2, style: 'dim', maxLines: maxLines.detail })]),
  ]);
}

/** Lists the texts of each line, and how many lines are omitted. */
export const listItems = ({ lines, more }: BriefSection): string[][] => [
  ...lines.map(({ text, detail }) => [text, detail].filter(Boolean)),
  ...(more > 0 ? [[formatMore(more)]] : []),
];

/** Escapes the characters with which Markdown formats a line. */
const escapeMarkdown = (text: string) => stripUnsafe(text).replace(/[\\`*_[\]<>#|&]/g, '\\$&');

/** Formats a brief as Markdown. */
export function formatBriefMarkdown({ name, about }: Brief, sections: readonly BriefSection[]): string {
  const texts = sections.map((section) => {
    const items = listItems(section).map((parts) => `- ${parts.map(escapeMarkdown).join('  \n  ')}\n`);
    return `\n## ${section.heading}\n\n${items.join('')}`;
  });
  return `# ${escapeMarkdown(name)}\n\n${escapeMarkdown(about.join(' · '))}\n${texts.join('')}`;
}
