import { defineCommand } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import {
  createFlag,
  createIntegerOption,
  createTextOption,
  makeRepeatable,
  type OptionValues,
  withDefault,
} from '../cli/command/options.ts';
import { readFirst, readOmittedCount, showRecord } from '../cli/command/records.ts';
import { conflicts } from '../cli/command/rules.ts';
import { isBulk } from '../cli/flags/bulk.ts';
import { meetingOptions, moment, parseMoment, readMeetingFilters } from '../cli/flags/moment.ts';
import { meetingArgument } from '../cli/flags/references.ts';
import { readSelection, selectionOptions, wantsFigures } from '../cli/flags/selection.ts';
import { withProgress } from '../cli/progress/progress.ts';
import { tryCall } from '../cli/references/resolve-reference.ts';
import type { Batch } from '../client/pagination.ts';
import { calendarEvents as routes } from '../contract/calendar-events.ts';
import { Failure } from '../contract/errors.ts';
import { createTimeFormatter } from '../render/display.ts';
import { sanitizeLine } from '../render/text/sanitize.ts';
import { views } from '../render/views.ts';
import { createHitFormatter } from '../transcripts/grep/format-hits.ts';
import type { MeetingHit, SearchOptions, SkippedSource } from '../transcripts/grep/grep.ts';
import { toRawJson } from '../values/raw-json.ts';
import { showsMany } from './bulk/show-many.ts';
import { eventsExport } from './events-export.ts';
import { summary, transcript } from './recordings.ts';
import { eventsShow } from './show/show.ts';

const sourceOptions = {
  out: createTextOption('Search this export folder instead of the service', 'DIR', { completion: 'folders' }),
  ...meetingOptions,
};

/** The service creates meetings from calendars; only a local workspace imports them. */
const emptyNote =
  'The list is empty. To import a calendar into a local workspace, see: kith workspace import-events --help';

const listOptions = {
  updatedAfter: moment('Only meetings updated after this time', 'latest'),
  today: createFlag('Only meetings that start today'),
  lastWeek: createFlag('Only meetings that started last week, from Monday to Sunday'),
  thisMonth: createFlag('Only meetings that start this month'),
  ...meetingOptions,
  ...selectionOptions,
};

const grep = defineCommand({
  name: 'grep',
  output: { records: ['transcript-match[]'] },
  exitCodes: [6],
  summary: 'Search the transcripts of all meetings',
  description:
    'Search the transcripts of all meetings, latest first. The pattern is plain text, may span several words, ' +
    'and ignores case unless it has a capital. Shows the sentences around each match. --out searches the folder ' +
    'of `kith meetings export` instead. Exits with 3 if nothing matches.',
  args: { pattern: { summary: 'Text to search for' } },
  options: {
    regex: createFlag('Treat the pattern as a JavaScript regular expression'),
    ignoreCase: createFlag('Ignore case even if the pattern contains capitals', { short: '-i' }),
    context: withDefault(createIntegerOption('Show N seconds of context around each match', 'N', 0, 3600), 0),
    max: createIntegerOption('Maximum number of matches', 'N', 1),
    speaker: makeRepeatable(createTextOption('Only this speaker, by full name', 'NAME')),
    ...sourceOptions,
  },
  rules: [conflicts('out', 'contact', 'organization')],
  examples: [
    'meetings grep "cold room" --starts-after 2026-05-01',
    "meetings grep '\\b(invoice|offer)s?\\b' --regex --context 20",
    'meetings grep barometer --out meetings --format ndjson',
  ],
  async run(session, { pattern: typed, regex, ignoreCase, context, max, speaker, ...where }) {
    const { parsePattern } = await import('../transcripts/grep/grep.ts');
    const pattern = parsePattern(typed, { regex, ignoreCase });
    const skipped: SkippedSource[] = [];
    const { batches, isEmpty } = await withProgress(session, async (update) => {
      const hits = await startSearch(session, where, {
        search: { pattern, speakers: speaker, context },
        // Only a worker thread can be stopped if a regular expression backtracks without end.
        findHits: regex ? (await session.services.worker()).findHits : undefined,
        onSkipped: (source) => skipped.push(source),
        onProgress: (done, total) => update({ verb: 'Searching', done, total, unit: 'meeting' }),
      });
      return readFirst(takeHits(max && max + (readOmittedCount(session) ?? 0), hits));
    });
    const getFailure = () => {
      const sources = skipped.map(({ name, reason }) => `${name} (${reason})`);
      return sources.length > 0 ? new Failure('partial', `Not searched: ${sources.join('; ')}`) : undefined;
    };
    if (isEmpty) throw getFailure() ?? noMatches(typed, pattern);
    return {
      kind: 'records',
      batches,
      view: views.hits,
      render: createHitFormatter,
      // Complete only after the last batch.
      get failure() {
        return getFailure();
      },
    };
  },
});

export const events = [
  defineCommand({
    name: 'list',
    output: { records: ['events[]'] },
    summary: routes.list.summary,
    paging: 'list',
    options: listOptions,
    examples: [
      'meetings list --limit 5',
      'meetings list --organization rl16pk --sort start_at',
      "meetings list --where 'title ~ ice or attendee ~ hanbit' --limit 3",
      'meetings list --starts-after 2026-10-01 --starts-before 2026-11-01 --tz Asia/Seoul',
      'meetings list --last-week',
      'meetings list --updated-after 7d --json --jq length',
    ],
    rules: [
      conflicts('lastWeek', 'thisMonth', 'today', 'startsAfter', 'startsBefore'),
      conflicts('thisMonth', 'today', 'startsAfter', 'startsBefore'),
    ],
    async run(session, { updatedAfter, lastWeek, thisMonth, startsAfter, startsBefore, ...selection }) {
      const [from, to] = lastWeek
        ? ['last week', 'this week'].map((text) => parseMoment(text))
        : thisMonth
          ? ['this month', 'next month'].map((text) => parseMoment(text))
          : [startsAfter, startsBefore];
      const where = { now: session.runtime.now(), zone: selection.tz };
      const times = {
        updated_after: updatedAfter?.(where),
        starts_after: from?.(where),
        starts_before: to?.(where),
      };
      const { selectMeetings, readMeetingFigures } = await import('./show/select-meetings.ts');
      if (wantsFigures(selection)) return readMeetingFigures(session, times, selection);
      const { today, tz } = selection;
      const period = lastWeek ? 'last week' : thisMonth ? 'this month' : today ? 'today' : undefined;
      const isFiltered =
        Object.values(times).some((time) => time !== undefined) || readSelection(listOptions, selection);
      return {
        kind: 'records',
        batches: await selectMeetings(session, times, selection),
        empty: isFiltered ? () => describeNone(session, period, tz) : emptyNote,
        view: views.events,
        zone: selection.tz,
      };
    },
  }),
  defineCommand({
    name: 'get',
    output: { records: ['events', 'events[]'] },
    summary: routes.get.summary,
    args: { id: { ...meetingArgument, takesMany: true } },
    examples: [
      'meetings get MEETING',
      'meetings get latest',
      'meetings get "The nose and the cat" --jq ".recordings[].id"',
    ],
    async run(session, input) {
      if (!isBulk(input, 'id')) return showRecord(session, routes.get, { id: input.id }, views.events);
      const { getMany } = await import('./bulk/read-many.ts');
      const client = await session.client();
      return getMany(session, { noun: 'events', view: views.events }, input, (path) =>
        client.record(routes.get, { id: path.id }),
      );
    },
  }),
  showsMany('events', eventsShow),
  summary,
  transcript,
  grep,
  ...eventsExport,
];

/** Says that no meeting matches, or that a period has none and which meeting was the last one. */
async function describeNone(session: Session, period: string | undefined, zone: string | undefined) {
  if (period === undefined) return 'No meetings match.';
  const { findLatestMeeting } = await import('../cli/references/meetings-by-day.ts');
  const latest = await tryCall(() => findLatestMeeting(session));
  if ('failure' in latest) return `No meetings ${period}.`;
  const { name, startsAt = '' } = latest.value;
  const time = createTimeFormatter(session.runtime.now(), zone, false)(startsAt);
  return sanitizeLine(`No meetings ${period}. The last one: ${name}, ${time}`);
}

async function startSearch(
  session: Session,
  { out, ...filterOptions }: OptionValues<typeof sourceOptions>,
  options: SearchOptions,
): Promise<AsyncGenerator<MeetingHit[]>> {
  const filters = readMeetingFilters(filterOptions, session.runtime.now());
  if (out !== undefined) {
    const { searchFolder } = await import('../transcripts/grep/search-folder.ts');
    const { starts_after, starts_before } = filters;
    return searchFolder({ ...options, folder: out, startsAfter: starts_after, startsBefore: starts_before });
  }
  const { searchService } = await import('../transcripts/grep/search-service.ts');
  const { createAttendeeFilter } = await import('./show/select-meetings.ts');
  const select = await createAttendeeFilter(session, filterOptions);
  return searchService({ ...options, client: await session.client(), filters, select });
}

async function* takeHits(
  max = Number.POSITIVE_INFINITY,
  batches: AsyncIterable<MeetingHit[]>,
): AsyncGenerator<Batch> {
  let remaining = max;
  for await (const hits of batches) {
    const records = hits.slice(0, remaining).map(toRawJson);
    // It is not known whether the other meetings have matches.
    yield { records, total: undefined, hasMore: hits.length >= remaining, isFiltered: true };
    remaining -= hits.length;
    if (remaining <= 0) return;
  }
}

function noMatches(typed: string, { ignoreCase }: RegExp): Failure {
  const hint = 'The search is case-sensitive because the pattern contains capitals; try --ignore-case.';
  return new Failure('not_found', `No matches for "${typed}".`, {
    isEmptyResult: true,
    ...(!ignoreCase && { hint }),
  });
}
