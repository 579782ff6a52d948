import { Failure } from '../../contract/errors.ts';
import { createLocalFormat } from '../../values/dates.ts';
import {
  type Block,
  createHeading,
  createRows,
  createSection,
  createText,
  extraColumn,
  flexibleColumn,
  keptColumn,
  listMore,
  renderBlocks,
  titleColumn,
} from '../blocks.ts';
import { shortenAddress } from '../display.ts';
import type { TableStyle } from '../text/paint.ts';
import type { Day, DayAction, DayActions, DayDeal, DayMeeting } from './day.ts';
import { listFollowUpBlocks } from './follow-up-screen.ts';
import { formatEntryValue, formatFailure, type Part, type Section } from './relationship.ts';

/** The columns of `listMeetingBlocks`, `listDueCells` and `listStaleCells`. */
const meetingColumns = [keptColumn, keptColumn, titleColumn];
const dueColumns = [
  ...[keptColumn, keptColumn, keptColumn, titleColumn],
  ...[flexibleColumn, extraColumn, extraColumn, extraColumn, extraColumn],
];
const staleColumns = [
  ...[keptColumn, keptColumn, titleColumn],
  ...[flexibleColumn, extraColumn, extraColumn, extraColumn],
];

/** Maximum number of lines for the people of a meeting, an action item, and the names of the empty sections. */
const maxLines = { people: 2, action: 3, emptyNames: 2 };

/** Renders a day as one screen. `zone`: the time zone in which times are shown. */
export function renderDay(
  day: Day,
  { width, paint, zone }: Pick<TableStyle, 'width' | 'paint'> & { readonly zone: string | undefined },
): string {
  const { date, user } = day;
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(date));
  const sections = listSections(day, createTimeFormat(zone));
  const emptyNames = sections.flatMap(({ section, emptyName, others = 0 }) =>
    !(section instanceof Failure) && section.records.length + others === 0 ? [emptyName] : [],
  );
  const emptyLine = `No ${new Intl.ListFormat('en', { type: 'disjunction' }).format(emptyNames)}.`;
  return renderBlocks(
    [
      createHeading(`${weekday}, ${date}`),
      createText(user ?? 'Everyone. For your own day: kith config set user ADDRESS', {
        style: 'dim',
        maxLines: 1,
      }),
      ...(emptyNames.length > 0
        ? [createText(''), createText(emptyLine, { style: 'dim', maxLines: maxLines.emptyNames })]
        : []),
      ...sections.flatMap(listSectionBlocks),
    ],
    { width, paint },
  );
}

/** A section of the screen. */
interface ScreenSection {
  readonly heading: string;
  /** The name in the line of empty sections if the section is empty. */
  readonly emptyName: string;
  readonly section: Part<Section<unknown>>;
  readonly blocks: readonly Block[];
  /** The command that lists the omitted records. */
  readonly moreCommand?: string;
  /** The number of records of other people. */
  readonly others?: number;
}

function listSections(
  { user, meetings, deals, actions, stale, staleDays, followUps }: Day,
  format: TimeFormat,
): readonly ScreenSection[] {
  const isOfUser = user !== undefined;
  const ownActions = actions instanceof Failure ? actions : splitOwn(actions);
  const list = <T>(section: Part<Section<T>>, toBlocks: (records: readonly T[]) => readonly Block[]) => ({
    section,
    blocks: section instanceof Failure ? [] : toBlocks(section.records),
  });
  const toRows = (
    columns: Parameters<typeof createRows>[0],
    listCells: (deal: DayDeal, format: TimeFormat, isOfUser: boolean) => string[],
  ) => {
    return (records: readonly DayDeal[]) => [
      createRows(
        columns,
        records.map((deal) => listCells(deal, format, isOfUser)),
      ),
    ];
  };
  return [
    {
      heading: 'Meetings',
      emptyName: 'meetings',
      ...list(meetings, (records) => records.flatMap((meeting) => listMeetingBlocks(meeting, format))),
    },
    { heading: 'Due deals', emptyName: 'due deals', ...list(deals, toRows(dueColumns, listDueCells)) },
    {
      heading: 'Open action items',
      emptyName: 'open action items',
      moreCommand: isOfUser ? 'kith actions list --open --mine' : 'kith actions list --open',
      others: ownActions instanceof Failure ? 0 : ownActions.others,
      ...list(ownActions, (records) => records.flatMap((action) => listActionBlocks(action, format))),
    },
    ...(stale === undefined
      ? []
      : [
          {
            heading: `Deals not updated for ${staleDays} days`,
            emptyName: 'stale deals',
            ...list(stale, toRows(staleColumns, listStaleCells)),
          },
        ]),
    ...(followUps === undefined
      ? []
      : [
          {
            heading: 'Follow up',
            emptyName: 'follow-ups',
            moreCommand: isOfUser ? `kith followup --user ${user}` : 'kith followup',
            ...list(followUps, (records) =>
              records.flatMap(({ reasons, ...line }) =>
                listFollowUpBlocks({ ...line, reasons: reasons.slice(0, 1) }, false),
              ),
            ),
          },
        ]),
  ];
}

function splitOwn({ records, more, ownCount }: DayActions) {
  const own = records.slice(0, ownCount);
  return { records: own, more: ownCount - own.length, others: records.length + more - ownCount };
}

function listSectionBlocks({ heading, section, blocks, moreCommand, others = 0 }: ScreenSection): Block[] {
  if (section instanceof Failure)
    return createSection(heading, [createText(formatFailure(section), { style: 'red' })]);
  if (section.records.length + others === 0) return [];
  const otherText = `${blocks.length > 0 ? 'and ' : ''}${others} of others: kith actions list --open`;
  return createSection(heading, [
    ...blocks,
    ...listMore(section.more, moreCommand),
    ...(others > 0 ? [createText(otherText, { style: 'dim' })] : []),
  ]);
}

/** Formats the date, the time of day, or both. Returns a text that is not a time, such as a date, unchanged. */
interface TimeFormat {
  readonly toDay: (text: string) => string;
  readonly toClock: (text: string) => string;
  readonly toMinute: (text: string) => string;
}

export function createTimeFormat(zone: string | undefined): TimeFormat {
  const formatLocal = createLocalFormat(zone);
  const create = (start: number, end: number) => (text: string) => {
    const time = text.includes('T') ? Date.parse(text) : Number.NaN;
    return Number.isNaN(time) ? text : formatLocal(time).replace('T', ' ').slice(start, end);
  };
  const [day, minute] = ['2026-05-01'.length, '2026-05-01 09:30'.length];
  return { toDay: create(0, day), toClock: create(day + 1, minute), toMinute: create(0, minute) };
}

function listMeetingBlocks({ event, attendees }: DayMeeting, { toClock }: TimeFormat): Block[] {
  const { id, title, start_at, end_at } = event;
  const time = [start_at, end_at].filter(Boolean).map(toClock).join('-');
  const people = attendees.map(({ name, email, organization }) =>
    organization === undefined ? (name ?? email) : `${name ?? email} (${organization})`,
  );
  return [
    createRows(meetingColumns, [[time, id, title]]),
    ...(people.length > 0 ? [createText(people.join(', '), { indent: 2, maxLines: maxLines.people })] : []),
  ];
}

function listDueCells(
  { entry, list, name, due }: DayDeal,
  { toMinute }: TimeFormat,
  isOfUser: boolean,
): string[] {
  const [first] = due;
  const { id, key, status } = entry;
  const state = first?.isOverdue ? 'overdue' : 'due';
  const cells = [key || id, toMinute(first?.value ?? ''), state, name, status ?? ''];
  return [...cells, formatOwner(entry, isOfUser), formatEntryValue(entry), first?.name ?? '', list.name];
}

function listStaleCells({ entry, list, name }: DayDeal, { toDay }: TimeFormat, isOfUser: boolean): string[] {
  const { id, key, status, updated_at } = entry;
  const cells = [key || id, toDay(updated_at), name, status ?? '', formatOwner(entry, isOfUser)];
  return [...cells, formatEntryValue(entry), list.name];
}

/** Formats the assignee of a deal, if the deals are those of everyone. */
const formatOwner = ({ assignee }: DayDeal['entry'], isOfUser: boolean) =>
  isOfUser ? '' : shortenAddress(assignee?.email ?? '');

const listActionBlocks = ({ id, text, title, start_at }: DayAction, { toDay }: TimeFormat): Block[] => [
  createText(text, { mark: '[ ] ', maxLines: maxLines.action }),
  createText([id, toDay(start_at ?? ''), title].filter(Boolean).join('  '), {
    indent: '[ ] '.length,
    style: 'dim',
    maxLines: 1,
  }),
];
