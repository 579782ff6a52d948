import type { Session } from '../../cli/command/context.ts';
import { isReference } from '../../cli/flags/references.ts';
import { createValueReader, type ValueReader } from '../../cli/references/field-input.ts';
import { requireValue } from '../../contract/field-types.ts';
import { orderedNouns } from '../../contract/singular-nouns.ts';
import type { EditedFile, LocalChanges } from './local-changes.ts';
import type { FileError } from './local-files.ts';
import { type EditedRecord, readEdited } from './push/read-edited.ts';
import { type NewRecord, NewRecordReader, presetNewReferences } from './push/read-new.ts';
import type { Definitions } from './record-files.ts';
import type { WorkingCopy } from './working-copy.ts';

/** The values in the changed files of a working copy. */
export interface ReadChanges {
  readonly edited: readonly EditedRecord[];
  readonly records: readonly NewRecord[];
  /** Sorted by file and line. */
  readonly errors: readonly FileError[];
}

/** Leaves references as they are typed. */
const readLocally: ValueReader = async (text, field) =>
  isReference(field.type) ? text : requireValue(text, field);

/** Reads all changed files. Adds new lists and fields to `definitions`. `isLocal`: sends no request. */
export async function readChanges(
  session: Session,
  copy: WorkingCopy,
  local: LocalChanges,
  definitions: Definitions,
  isLocal = false,
): Promise<ReadChanges> {
  const read = isLocal ? readLocally : createValueReader(session);
  const errors: FileError[] = [...local.errors];
  const edited: EditedRecord[] = [];
  presetNewReferences(session, copy, local.created);
  const reader = new NewRecordReader(read, copy, definitions, local.created);
  const readFile = async (file: EditedFile) => {
    const result = await readEdited(read, copy, file, definitions);
    if (!('changes' in result)) return void errors.push(...result);
    edited.push(result);
    if (result.noun === 'lists') defineList(definitions, result);
  };
  for (const noun of orderedNouns) {
    // A new field of a list, or a new status, is in its edited file.
    await reader.read(noun);
    for (const file of local.edited) if (file.entry.noun === noun) await readFile(file);
  }
  errors.push(...reader.errors);
  errors.sort((left, right) => left.file.localeCompare(right.file) || left.line - right.line);
  return { edited, records: reader.records, errors };
}

/** Lets entries use the statuses and fields that an edited list.yaml adds. */
function defineList({ lists: known }: Definitions, { entry, changes }: EditedRecord): void {
  const list = known.get(entry.id);
  if (!list) return;
  const values = Object.fromEntries(
    changes
      .filter(({ field }) => field.key === 'statuses' || field.key === 'fields')
      .map(({ field, after }) => [field.key, after]),
  );
  known.set(entry.id, { ...list, ...values });
}
