import type { Session } from '../cli/command/context.ts';
import { atLeastOne, conflicts } from '../cli/command/rules.ts';
import type { Body } from '../cli/flags/body.ts';
import { stdinWord } from '../cli/flags/bulk.ts';
import { createFieldOptions } from '../cli/flags/field-options.ts';
import { createReferenceOption, toEntryKind } from '../cli/flags/references.ts';
import { entryRules, entryShortcuts } from '../cli/flags/selection.ts';
import { completeAddress } from '../cli/references/complete-address.ts';
import { type Entry, entries as routes } from '../contract/entries.ts';
import { type EntryType, lists } from '../contract/lists.ts';
import type { Received } from '../contract/received.ts';
import { sanitizeLine } from '../render/text/sanitize.ts';
import { findName } from '../values/names.ts';
import { showsMany } from './bulk/show-many.ts';
import { entriesImport } from './import/import.ts';
import { defineRecordCommands } from './records/record-commands.ts';
import { entriesShow } from './show/show.ts';

const { list, get, create, update, edit, remove } = defineRecordCommands('entries', routes);

const createOptions = (action: 'create' | 'update') =>
  createFieldOptions('entries', action, {
    status: { completion: 'statuses' },
    assignee: { label: "Assignee's email address, its part before the @, or me" },
  });

export const entries = [
  list({
    description:
      `${routes.list.summary}. --overdue and --due-before select open entries by all date fields of the ` +
      'process. A date is overdue from the next day on, a date with a time once it has passed. To check only one ' +
      'field, use --open and --where.',
    shortcuts: entryShortcuts,
    rules: entryRules,
    examples: [
      'entries list "Sales pipeline"',
      'entries list "Sales pipeline" --wide',
      'entries list "Sales pipeline" --all --json --jq length',
      'entries list "Sales pipeline" --status Proposal --assignee mina@tidewater.example',
      'entries list "Sales pipeline" --status Won,Lost --updated-after "last month"',
      'entries list "Sales pipeline" --due-before "end of month"',
      'entries list "Sales pipeline" --open --sum one_time_value',
      "entries list 'Sales pipeline' --where 'one_time_value > 5000 and Rooms < 10' --sort -one_time_value",
    ],
  }),
  get(['entries get DEAL-1', 'entries get "Sales pipeline" m7lwpy --json']),
  showsMany('entries', entriesShow),
  create({
    name: 'add',
    description:
      'Add a contact or an organization to a list or process; `--contact -` adds the contacts on stdin. Only entries of a ' +
      'process have a status and values. Amounts are decimals, such as 1200.50. Without flags, asks in a terminal for the fields.',
    options: {
      contact: createReferenceOption('contact', 'Contact to add', stdinWord),
      organization: createReferenceOption('organization', 'Organization to add', stdinWord),
      ...createOptions('create'),
    },
    rules: [atLeastOne('contact', 'organization', 'data'), conflicts('contact', 'organization')],
    examples: [
      'entries add Newsletter --contact dohyun.park@hanbit-cold.example',
      'entries add "Sales pipeline" --organization rl16pk --status Qualified --one-time-value 1200.50',
    ],
    async body(session, { contact, organization }, request) {
      const type: EntryType | undefined = contact ? 'Contact' : organization ? 'Organization' : undefined;
      const fields = await resolveFields(session, request);
      return { entryable_id: contact ?? organization, entryable_type: type, ...fields };
    },
  }),
  update(
    {
      description:
        'Update an entry. Sends only the fields that you pass. Amounts are decimals, such as 1200.50. --field ' +
        'replaces all values of a field; --add-field and --remove-field change one of them. Without flags, asks ' +
        'in a terminal which fields to change.',
      options: createOptions('update'),
      examples: [
        'entries update DEAL-1 --status Won',
        'entries update "Sales pipeline" m7lwpy --recurring-value 99 --recurring-period monthly --dry-run',
      ],
      body: (session, _, request) => resolveFields(session, request),
    },
    async (session, readTarget) =>
      (await import('./forms/update-form.ts')).updateFromForm(session, readTarget),
  ),
  edit(['entries edit DEAL-1']),
  remove({
    summary: 'Delete entries; their contacts and organizations are kept',
    examples: ['entries delete DEAL-1 --yes', 'entries delete "Sales pipeline" m7lwpy --yes'],
    describe: async (session, entry) => ({ name: await readMemberName(session, entry) }),
  }),
  entriesImport,
];

/**
 * Returns the name of a status as its process has it; if the process has no such status, as typed. A script that types
 * the exact name of a known list causes no request.
 */
async function resolveStatus(session: Session, list_id: string, status: string): Promise<string> {
  const known = (await session.references.names.listLists()).find(({ id }) => id === list_id)?.statuses;
  const isUnchanged = known && [status, undefined].includes(findName(known, status));
  if (isUnchanged) return status;
  const { statuses = [] } = await (await session.client()).read(lists.get, { list_id });
  const names = statuses.map(({ name }) => name);
  return findName(names, status) ?? status;
}

/** Returns the fields of an entry with the name of their status as its process has it, and the complete address of the assignee. */
async function resolveFields(
  session: Session,
  { path, fields }: { readonly path: { readonly list_id: string }; readonly fields: Body },
): Promise<Body> {
  const { status, assignee_email: assignee } = fields;
  return {
    ...fields,
    ...(typeof status === 'string' && { status: await resolveStatus(session, path.list_id, status) }),
    ...(typeof assignee === 'string' && {
      assignee_email: await completeAddress(session, assignee, path.list_id),
    }),
  };
}

/** Returns the name of the contact or organization of an entry; empty if it cannot be read. */
async function readMemberName(session: Session, { entryable_type, entryable_id: id }: Received<Entry>) {
  if (!id) return '';
  const kind = toEntryKind(entryable_type);
  const { createNames } = await import('../cli/references/name-loader.ts');
  const names = createNames(session);
  await names.load([{ kind, id }]);
  const name = names.get(kind, id);
  return name === id ? '' : sanitizeLine(name);
}
