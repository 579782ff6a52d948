import type { Batch } from '../../client/pagination.ts';
import { Failure } from '../../contract/errors.ts';
import { views } from '../../render/views.ts';
import { createHitFormatter } from '../../search/format-hits.ts';
import type { MeetingHit, SearchOptions, SkippedSource } from '../../search/search.ts';
import { parsePattern } from '../../search/search.ts';
import { toRawJson } from '../../values/raw-json.ts';
import { defineCommand } from '../command.ts';
import type { Session } from '../context.ts';
import { meetingOptions, readMeetingFilters } from '../flags/meeting-filters.ts';
import { flag, integer, type OptionValues, repeated, text, withDefault } from '../flags/options.ts';
import { conflicts } from '../flags/rules.ts';
import { startProgress } from '../print/progress.ts';

const options = {
  regex: flag('The pattern is a regular expression of JavaScript'),
  ignoreCase: flag('Take no notice of case, also where the pattern has capitals', { short: '-i' }),
  context: withDefault(
    integer('Also what anybody says so many seconds before and after', 'SECONDS', { min: 0, max: 3600 }),
    0,
  ),
  max: integer('Hits at the most', 'N', { min: 1 }),
  out: text('Search what `kith events export` wrote into this folder; needs no service', 'DIR', {
    completion: 'folders',
  }),
  speaker: repeated(text('Only what this person says, by the whole name', 'NAME')),
  ...meetingOptions,
};

export const eventsGrep = defineCommand({
  name: 'grep',
  summary: 'Search what was said in all meetings',
  description:
    'Search what was said in all meetings, latest first, over the service or in what `kith events export` has ' +
    'written. A hit is a turn of one speaker: it is shown by the sentences that the pattern is in. The pattern is ' +
    'a plain text that may go over several words; without a capital in it, it takes no notice of case. In a ' +
    'terminal hits stand under their meeting, with the id of the recording; in a pipe they are records. Ends with ' +
    'exit code 3 when nothing matches.',
  args: { pattern: 'What to look for' },
  options,
  rules: [conflicts('out', 'contact'), conflicts('out', 'organization')],
  examples: [
    'events grep "cold room" --starts-after 2026-05-01',
    "events grep '\\b(invoice|offer)s?\\b' --regex --context 20",
    'events grep barometer --out meetings --format ndjson',
  ],
  async run(session, { pattern: typed, regex, ignoreCase, context, max, speaker, ...where }) {
    const pattern = parsePattern(typed, { regex, ignoreCase });
    const notSearched: SkippedSource[] = [];
    const progress = startProgress(session);
    const hits = takeHits(
      max,
      await startSearch(session, where, {
        search: { pattern, speakers: speaker, context },
        // A regular expression may take years for one text.
        elsewhere: regex ? (await session.worker()).findHits : undefined,
        onNotSearched: (what) => notSearched.push(what),
        onProgress: (done, total) =>
          progress.update(`Searching ${done}${total ? ` of ${total}` : ''} meetings`),
      }),
    );
    const first = await hits.next().finally(() => progress.end());
    const isPartial = () => (notSearched.length > 0 ? partialFailure(notSearched) : undefined);
    if (first.done) throw isPartial() ?? noMatches(typed, pattern);
    return {
      kind: 'records',
      batches: toBatches(first.value, hits),
      view: views.hits,
      renderStream: createHitFormatter,
      // Known when all is printed.
      get failure() {
        return isPartial();
      },
    };
  },
});

type Where = Omit<OptionValues<typeof options>, 'regex' | 'ignoreCase' | 'context' | 'max' | 'speaker'>;

/** The hits of a folder, for which no client is made, or of the service. */
async function startSearch(
  session: Session,
  { out, ...where }: Where,
  searching: SearchOptions,
): Promise<AsyncGenerator<MeetingHit[]>> {
  const filters = readMeetingFilters(where, session.now());
  if (out !== undefined) {
    const { searchFolder } = await import('../../search/search-folder.ts');
    const { starts_after, starts_before } = filters;
    return searchFolder({
      ...searching,
      folder: out,
      startsAfter: starts_after,
      startsBefore: starts_before,
    });
  }
  const { searchService } = await import('../../search/search-service.ts');
  return searchService({ ...searching, client: await session.client(), filters });
}

/** So many of the hits at the most; after the last one nothing more is searched. */
async function* takeHits(
  max: number | undefined,
  hits: AsyncIterable<MeetingHit[]>,
): AsyncGenerator<MeetingHit[]> {
  let left = max ?? Number.POSITIVE_INFINITY;
  for await (const found of hits) {
    yield found.slice(0, left);
    left -= found.length;
    if (left <= 0) return;
  }
}

async function* toBatches(first: MeetingHit[], rest: AsyncGenerator<MeetingHit[]>): AsyncGenerator<Batch> {
  const batch = (found: MeetingHit[]) => ({
    records: found.map(toRawJson),
    total: undefined,
    hasMore: false,
  });
  yield batch(first);
  for await (const found of rest) yield batch(found);
}

function noMatches(typed: string, { ignoreCase }: RegExp): Failure {
  return new Failure('not_found', `Nobody says anything that matches "${typed}".`, {
    hint: ignoreCase ? undefined : 'The pattern has capitals: --ignore-case takes no notice of them.',
  });
}

function partialFailure(notSearched: readonly SkippedSource[]): Failure {
  const named = notSearched.map(({ name, reason }) => `${name} (${reason})`);
  return new Failure('partial', `Not searched: ${named.join('; ')}`);
}
