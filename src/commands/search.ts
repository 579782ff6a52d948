import { defineCommand, toMessageResult, toRecordResult } from '../cli/command/command.ts';
import type { Session } from '../cli/command/context.ts';
import { createFlag, type Option } from '../cli/command/options.ts';
import { readLimit, readOmittedCount, readStart } from '../cli/command/records.ts';
import { maxAgeOption, moment, timeZoneOption } from '../cli/flags/moment.ts';
import type { Batch } from '../client/pagination.ts';
import { Failure } from '../contract/errors.ts';
import { createTimeFormatter } from '../render/display.ts';
import { createSearchFormatter, indexView, searchView } from '../render/search-results.ts';
import { type Kind, kinds } from '../search/kinds.ts';
import { type RawJson, toRawJson } from '../values/raw-json.ts';
import { formatCount } from '../values/text.ts';

const kindsOption: Option<readonly Kind[] | undefined> = {
  summary: `Search only these kinds, comma-separated: ${kinds.join(', ')}`,
  placeholder: 'KINDS',
  isCommaSeparated: true,
  parse(text) {
    return text.split(',').map((word) => {
      const kind = kinds.find((known) => known === word.trim());
      if (kind) return kind;
      throw new Failure('usage', `"${word}" is not one of ${kinds.join(', ')}.`);
    });
  },
};

const loadIndex = async (session: Session) =>
  (await import('../cli/connect/search-index.ts')).findSearchIndex(session);

export const search = defineCommand({
  name: 'search',
  output: { records: ['search-result[]'] },
  paging: 'list',
  summary: 'Search contacts, organizations, entries, notes and meetings',
  description:
    'Search contacts, organizations, the entries of all lists, notes, and meetings with their summaries and ' +
    'transcripts. All words must match; the last one may be the beginning of a word. Double quotes make a ' +
    'phrase, and a minus sign excludes a word. Uses an index on this machine. Exits with 3 if nothing matches. ' +
    'See kith help search.',
  args: { words: { summary: 'Words and phrases to search for', isRepeatable: true } },
  options: {
    in: kindsOption,
    since: moment('Only meetings that start, and records updated, at or after this time', 'latest'),
    tz: timeZoneOption,
    maxAge: maxAgeOption,
  },
  examples: [
    'search jiwoo',
    'search cold room alarm --in meetings,notes',
    `search '"cold room" -alarm'`,
    'search 010-5550-1234 --json',
    'search barometer --since 2026-01-01 --limit 5',
  ],
  async run(session, { words, in: only = kinds, since, tz, maxAge }) {
    const { quoteSearch, search } = await import('../search/results.ts');
    const { client } = session;
    const { stdout } = session.streams;
    const text = words.join(' ');
    const skip = readStart(session).offset;
    const { records, total, end } = await search(await loadIndex(session), {
      text,
      client,
      columns: stdout.isTerminal ? (stdout.columns ?? 80) : undefined,
      kinds: kinds.filter((kind) => only.includes(kind)),
      since: since?.({ now: session.runtime.now(), zone: tz }),
      maxAge,
      limit: (await readLimit(session)) ?? Number.MAX_SAFE_INTEGER,
      skip,
      isUngrouped: readOmittedCount(session) !== undefined,
    });
    if (records.length === 0 && skip === 0)
      throw new Failure('not_found', `No matches for ${quoteSearch(text)}.`, {
        isEmptyResult: true,
        hint: 'Use fewer words, or update the index first: kith index update',
      });
    return {
      kind: 'records',
      batches: toPage(records.map(toRawJson), { total: Math.max(total, end), end }),
      view: searchView,
      render: (style) => createSearchFormatter(style, createTimeFormatter(session.runtime.now(), tz, false)),
    };
  },
});

/** Returns results as one batch whose end is known. */
async function* toPage(
  records: readonly RawJson[],
  { total, end }: { readonly total: number; readonly end: number },
): AsyncGenerator<Batch> {
  yield { records, total, hasMore: end < total, findEnd: () => end };
}

export const index = [
  defineCommand({
    name: 'update',
    summary: 'Update the search index from the service',
    description:
      'Update the search index from the service. Writes only records that have changed, and fetches only new and ' +
      'changed meetings. An interrupted update resumes with the next one.',
    output: { text: ['index-update'] },
    options: { full: createFlag('Read everything again, including unchanged meetings') },
    examples: ['index update', 'index update --full'],
    async run(session, { full }) {
      const index = await loadIndex(session);
      const { changes } = await index.refresh({ isFull: full, timeout: 60_000 });
      const status = index.readStatus();
      const text = `Indexed ${formatCount(status.records, 'record')} (${formatCount(changes, 'change')}).\n`;
      return toMessageResult(session, text, { changes, ...status });
    },
  }),
  defineCommand({
    name: 'status',
    output: { records: ['index-status'] },
    unusedExitCodes: [3, 5, 9],
    summary: 'Show the size and age of the search index',
    examples: ['index status'],
    async run(session) {
      return toRecordResult((await loadIndex(session)).readStatus(), indexView);
    },
  }),
  defineCommand({
    name: 'clear',
    unusedExitCodes: [3, 5, 9],
    effects: 'prunes',
    summary: 'Remove the search index',
    output: { text: ['removal'] },
    examples: ['index clear'],
    async run(session) {
      const isRemoved = await (await loadIndex(session)).clear();
      const text = isRemoved ? 'Removed the search index.\n' : 'No search index to remove.\n';
      return toMessageResult(session, text, { removed: isRemoved });
    },
  }),
];
