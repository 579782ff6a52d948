import type { Batch } from '../../client/pagination.ts';
import { recurringPeriods, entries as routes } from '../../contract/entries.ts';
import type { EntryType } from '../../contract/lists.ts';
import { lists } from '../../contract/lists.ts';
import { views } from '../../render/views.ts';
import { defineCommand } from '../command.ts';
import { listArgument as list, withListId } from '../connect/resolve.ts';
import type { Session } from '../context.ts';
import { buildBody, buildUpdateBody, dataOption } from '../flags/body.ts';
import { fieldChangeOptions, hasFieldChanges, resolveFieldChanges } from '../flags/field-changes.ts';
import { type DefinedField, fieldOption, parseFieldValues } from '../flags/field-values.ts';
import { choice, clearable, money, type OptionValues, text } from '../flags/options.ts';
import { atLeastOne, conflicts } from '../flags/rules.ts';
import { readPaging, showRecord } from '../records.ts';
import { deleteRecords, describeDeletePrompt, describeRecord, writeRecord } from '../writing.ts';
import { entriesImport } from './entries-import.ts';

const id = { summary: 'Entry ID' } as const;
const status = text('Status of the process', 'NAME');
const assignee = text("Assignee's email address", 'ADDRESS');
const contactId = text('Contact associated with the organization', 'ID');
const values = {
  oneTimeValue: money('One-time value'),
  recurringValue: money('Recurring value'),
  recurringPeriod: choice('Period of the recurring value:', recurringPeriods, 'PERIOD'),
};

export const entries = [
  defineCommand({
    name: 'list',
    summary: routes.list.summary,
    paging: 'list',
    args: { list },
    examples: ['entries list "Sales pipeline"', 'entries list "Sales pipeline" --all --json --jq length'],
    async run(session, { list }) {
      const client = await session.client();
      const paging = await readPaging(session);
      const batches = await withListId(session, list, (list_id) =>
        prefetchFirstPage(client.pages(routes.list, { list_id }, paging)),
      );
      return { kind: 'records', batches, view: views.entries };
    },
  }),
  defineCommand({
    name: 'get',
    summary: routes.get.summary,
    args: { list, id },
    examples: ['entries get "Sales pipeline" m7lwpy'],
    run: (session, { list, id }) =>
      withListId(session, list, (list_id) => showRecord(session, routes.get, { list_id, id }, views.entries)),
  }),
  defineCommand({
    name: 'add',
    summary: routes.create.summary,
    description:
      'Add a contact or an organization to a list or process. Only entries of a process have a status ' +
      'and values. Amounts are decimals, such as 1200.50.',
    isWrite: true,
    isCreateOnly: true,
    args: { list },
    options: {
      contact: text('Contact to add', 'ID'),
      organization: text('Organization to add', 'ID'),
      status,
      assignee,
      contactId,
      ...values,
      field: fieldOption,
      data: dataOption,
    },
    rules: [atLeastOne('contact', 'organization', 'data'), conflicts('contact', 'organization')],
    examples: [
      'entries add Newsletter --contact v49o47',
      'entries add "Sales pipeline" --organization rl16pk --status Qualified --one-time-value 1200.50',
    ],
    run: (session, { list, contact, organization, data, ...flags }) =>
      withList(session, list, flags.field !== undefined, async (list_id, definitions) => {
        const list_fields = flags.field && parseFieldValues(flags.field, definitions);
        const type: EntryType | undefined = contact ? 'Contact' : organization ? 'Organization' : undefined;
        const body = await buildBody(session, data, {
          entryable_id: contact ?? organization,
          entryable_type: type,
          ...toEntryFields(flags),
          list_fields,
        });
        return writeRecord(session, routes.create, { list_id }, body, views.entries);
      }),
  }),
  defineCommand({
    name: 'update',
    summary: routes.update.summary,
    description:
      'Update an entry. Only the given fields are sent. Amounts are decimals, such as 1200.50. --field ' +
      'replaces all values of a field; --add-field and --remove-field change one value of a field with ' +
      'several.',
    isWrite: true,
    args: { list, id },
    options: {
      status,
      assignee: clearable(assignee),
      contactId: clearable(contactId),
      ...values,
      ...fieldChangeOptions,
      data: dataOption,
    },
    examples: [
      'entries update "Sales pipeline" m7lwpy --status Won',
      'entries update "Sales pipeline" m7lwpy --recurring-value 99 --recurring-period monthly --dry-run',
    ],
    run: (session, { list, id, data, ...flags }) =>
      withList(session, list, hasFieldChanges(flags), async (list_id, definitions) => {
        const list_fields = await resolveFieldChanges(session, flags, {
          definitions: async () => definitions,
          values: async () => (await (await session.client()).read(routes.get, { list_id, id })).list_fields,
        });
        const body = await buildUpdateBody(session, data, { ...toEntryFields(flags), list_fields });
        return writeRecord(session, routes.update, { list_id, id }, body, views.entries);
      }),
  }),
  defineCommand({
    name: 'delete',
    summary: 'Delete entries; their contacts and organizations are kept',
    isWrite: true,
    describeInteraction: describeDeletePrompt,
    args: { list, id: { ...id, isRepeatable: true } },
    examples: ['entries delete "Sales pipeline" m7lwpy --yes'],
    run: (session, { list, id }) =>
      withListId(session, list, async (list_id) => {
        // With several ids a missing entry is reported, so check first that the list exists.
        if (id.length > 1 && !session.globals.dryRun)
          await (await session.client()).read(lists.get, { list_id });
        return deleteRecords(session, {
          what: 'entry',
          ids: id,
          route: routes.delete,
          params: (id) => ({ list_id, id }),
          named: async (id) => {
            const { key, entryable_type, entryable_id } = await (await session.client()).read(routes.get, {
              list_id,
              id,
            });
            return describeRecord(key ?? id, entryable_id && `${entryable_type} ${entryable_id}`);
          },
        });
      }),
  }),
  entriesImport,
];

/** Calls `use` with the id of a list, and with the definitions of its fields if values are flags for them. */
async function withList<T>(
  session: Session,
  list: string,
  hasValues: boolean,
  use: (list_id: string, definitions: readonly DefinedField[]) => Promise<T>,
): Promise<T> {
  if (!hasValues) return withListId(session, list, (list_id) => use(list_id, []));
  const client = await session.client();
  const { id, fields } = await withListId(session, list, (list_id) => client.read(lists.get, { list_id }));
  return use(id ?? list, fields ?? []);
}

/** Reads the first page now, so that a list that does not exist is reported as such, and not while printing. */
async function prefetchFirstPage(pages: AsyncIterable<Batch>): Promise<AsyncIterable<Batch>> {
  const iterator = pages[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    try {
      for (let page = first; !page.done; page = await iterator.next()) yield page.value;
    } finally {
      await iterator.return?.();
    }
  })();
}

/** The values of the flags that `add` and `update` share. */
type EntryFlags = Readonly<Record<'status' | 'assignee' | 'contactId', string | null | undefined>> &
  OptionValues<typeof values>;

function toEntryFields(flags: EntryFlags): Readonly<Record<string, unknown>> {
  return {
    status: flags.status,
    assignee_email: flags.assignee,
    contact_id: flags.contactId,
    one_time_value_cents: flags.oneTimeValue,
    recurring_value_cents: flags.recurringValue,
    recurring_value_period: flags.recurringPeriod,
  };
}
