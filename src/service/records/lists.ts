import { listProcessFields } from '../../contract/list-fields.ts';
import type { List, lists } from '../../contract/lists.ts';
import { readObject } from '../../values/json-object.ts';
import * as member from '../db/record-members.ts';
import { createRecordReader } from '../db/record-reader.ts';
import type { Row } from '../db/tables.ts';
import type { Deps, Handlers } from '../deps.ts';
import { storeListFields, validateListFields, validateName } from './field-definitions.ts';
import {
  createRecordHandlers,
  createRecordLookup,
  type RecordChange,
  type RecordInput,
  type Validation,
} from './record-rows.ts';
import { closeEntries, formatStatuses, validateStatuses } from './statuses.ts';

/** Returns the handlers of lists and processes (specification, 2.1 and 4.5). */
export function listHandlers(deps: Deps): Handlers<'lists'> {
  return createRecordHandlers(deps, {
    ...createRecordLookup('list'),
    reader: listReader,
    validate: validateList,
  });
}

type ListInput = RecordInput<typeof lists.create>;

/** Validates a new list, or a change of the list `row` (specification, 2.1 and 4.5). */
async function validateList(
  check: Validation,
  input: ListInput,
  row: Row<'list'> | undefined,
): Promise<RecordChange<'list'>> {
  const { db, errors } = check;
  const isProcess = row ? row.process === 1 : input.process;
  validateName(input.name, errors, ['name']);
  if (isProcess === false) {
    for (const name of listProcessFields('lists')) {
      if (readObject(input)[name] === undefined) continue;
      errors.add([name], 'process_only', `${name} is for processes only; this is a regular list.`);
    }
  } else {
    validateName(input.identifier, errors, ['identifier']);
    if (input.statuses) await validateStatuses(check, row, input.statuses);
  }
  const fields = await validateListFields(check, row, input.fields ?? []);
  for (const name of ['identifier', 'duplicates_allowed'] as const) {
    if (row || !isProcess || input[name] !== undefined) continue;
    errors.add([name], 'required', `${name} is required for a process.`);
  }
  return {
    columns: toColumns(input, !row && isProcess ? newProcess : {}),
    async storeParts(id, time) {
      await storeListFields(db, id, fields);
      if (row && input.statuses) await closeEntries(db, id, input.statuses, time);
    },
  };
}

/** The columns of a new process that a request may omit. */
const newProcess = { entry_label: 'Entry', status_label: 'Status', statuses: formatStatuses([]) };

function toColumns(input: ListInput, defaults: Partial<typeof newProcess>) {
  const { name, process, entry_type, identifier, duplicates_allowed, statuses } = input;
  return {
    name,
    process: process === undefined ? undefined : Number(process),
    entry_type,
    identifier,
    duplicates_allowed: duplicates_allowed === undefined ? undefined : Number(duplicates_allowed),
    entry_label: input.entry_label ?? defaults.entry_label,
    status_label: input.status_label ?? defaults.status_label,
    statuses: statuses ? formatStatuses(statuses) : defaults.statuses,
  };
}

/** A member that only processes have. */
const ofProcess = ({ select, render }: member.Member): member.Member => ({
  select: (dialect) => `case when page.process then ${select(dialect)} else '' end`,
  render: (text, context) => (text === '' ? undefined : (render?.(text, context) ?? text)),
});

export const listReader = createRecordReader<List>({
  table: 'list',
  resource: 'list',
  members: {
    id: member.id('list'),
    name: member.value('name'),
    process: member.boolean('process'),
    entry_type: member.value('entry_type'),
    fields: member.definitions({ table: 'list_field', owner: 'list_id', order: 'id' }),
    identifier: ofProcess(member.value('identifier', '""')),
    duplicates_allowed: ofProcess(member.boolean('duplicates_allowed')),
    entry_label: ofProcess(member.value('entry_label', '""')),
    status_label: ofProcess(member.value('status_label', '""')),
    statuses: ofProcess(member.json('statuses', '[]')),
    ...member.stamps,
    archived_at: member.time('archived_at'),
  },
})(undefined);
