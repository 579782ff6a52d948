import type { CommandInput, CommandResult } from '../../cli/command/command.ts';
import type { Session } from '../../cli/command/context.ts';
import { readStart } from '../../cli/command/records.ts';
import { filterBatches } from '../../cli/selection/batches.ts';
import {
  createAttendingContactField,
  createAttendingOrganizationField,
} from '../../cli/selection/related-fields.ts';
import { compileFlags, type SelectableList, selectRecords } from '../../cli/selection/select-records.ts';
import type { Client } from '../../client/client.ts';
import type { Batch } from '../../client/pagination.ts';
import { calendarEvents } from '../../contract/calendar-events.ts';
import type { Input } from '../../contract/grammar.ts';
import type { CompiledComparison, Filter } from '../../filter/filter.ts';
import { listFilterFields } from '../../filter/noun-fields.ts';
import { verifyStartTimes } from '../../transcripts/grep/search-service.ts';

/** The query parameters of the list of meetings (specification, 4.7). */
type MeetingQuery = Omit<Input<typeof calendarEvents.list>, 'first' | 'after'>;

/**
 * Returns the meetings that the flags select. `times`: the flags for times, as query parameters. Sends each filter that
 * the service supports, and applies it here too.
 */
export async function selectMeetings(
  session: Session,
  times: MeetingQuery,
  input: CommandInput,
): Promise<AsyncIterable<Batch>> {
  return selectRecords(session, await createMeetingList(session, times), input);
}

/** Counts the meetings that the flags select. */
export async function readMeetingFigures(
  session: Session,
  times: MeetingQuery,
  input: CommandInput,
): Promise<CommandResult> {
  const { readFigures } = await import('../../cli/selection/figures.ts');
  return readFigures(session, await createMeetingList(session, times), input);
}

async function createMeetingList(session: Session, times: MeetingQuery): Promise<SelectableList> {
  const client = await session.client();
  const { updated_after } = times;
  return {
    fields: createMeetingFields(session, client),
    today: 'start_at',
    isServiceFiltered: true,
    filters: updated_after === undefined ? [] : [createUpdateFilter(updated_after)],
    readPages: (paging, required) =>
      verifyStartTimes(
        client.pages(calendarEvents.list, narrowQuery(times, required), {
          start: readStart(session),
          ...paging,
        }),
        times,
      ),
  };
}

/**
 * Returns a function that drops the meetings of a list that the contact or the organization of the flags did not attend:
 * a service may ignore these filters.
 */
export async function createAttendeeFilter(
  session: Session,
  { contact, organization }: { readonly contact?: unknown; readonly organization?: unknown },
) {
  const list = { fields: createMeetingFields(session, await session.client()) };
  const filters = await compileFlags(session, list, { contact, organization });
  return <T>(batches: AsyncIterable<Batch<T>>): AsyncIterable<Batch<T>> =>
    filters.length === 0 ? batches : filterBatches(batches, filters, { limit: undefined, isSent: true });
}

const createMeetingFields = (session: Session, client: Client) => [
  ...listFilterFields('events'),
  createAttendingContactField(session),
  createAttendingOrganizationField(client),
];

/**
 * Drops meetings that were not updated after a time, in seconds. Such a meeting is not an error, because the
 * specification does not define an update. Keeps meetings without `updated_at`, which cannot be checked.
 */
function createUpdateFilter(updatedAfter: number): Filter {
  return {
    required: [],
    fields: ['updated_at'],
    isExhausted: () => false,
    load: async () => {},
    matches: ({ updated_at }) =>
      typeof updated_at !== 'string' || !(Date.parse(updated_at) <= updatedAfter * 1000),
  };
}

/** Adds the comparisons that the service supports to a query. The service may return more meetings than match. */
function narrowQuery(query: MeetingQuery, required: readonly CompiledComparison[]): MeetingQuery {
  let parameters = query;
  for (const { field, operator, ranges } of required) {
    const [range] = ranges;
    if (!range || ranges.length > 1 || range.low === '') continue;
    const low = Number(range.low) / 1000;
    const high = Number(range.high) / 1000;
    const isFrom = ['=', '>', '>='].includes(operator);
    const { starts_after = 0, starts_before = Number.MAX_SAFE_INTEGER, updated_after = 0 } = parameters;
    if (operator === '=' && field.name === 'contact')
      parameters = { ...parameters, contact_id: String(range.low) };
    if (operator === '=' && field.name === 'organization')
      parameters = { ...parameters, organization_id: String(range.low) };
    if (isFrom && field.name === 'start_at')
      parameters = { ...parameters, starts_after: Math.max(starts_after, Math.floor(low)) };
    if (['=', '<', '<='].includes(operator) && field.name === 'start_at')
      parameters = { ...parameters, starts_before: Math.min(starts_before, Math.floor(high) + 1) };
    if (isFrom && field.name === 'updated_at')
      parameters = { ...parameters, updated_after: Math.max(updated_after, Math.ceil(low) - 1) };
  }
  return parameters;
}
