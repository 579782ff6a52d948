import type { RecordPath, Write } from '../records/nouns.ts';
import { type Reversal, revertValues } from '../records/reversal.ts';
import { isFieldContainer } from '../values/field-values.ts';
import type { JsonObject } from '../values/json-object.ts';
import { pickSentValues, toCreateBody } from './bodies.ts';
import type { StoredCommand, StoredWrite } from './journal.ts';
import type { Related } from './related.ts';

/** A request that undoes a write or a part of it. */
export interface UndoStep extends Write {
  /** Its name in the journal. */
  readonly key: string;
  /** The record that it creates again. */
  readonly from?: RecordPath;
  /** Whether it restores a record, or values of a record, that went with the deletion of another one. */
  readonly isRelated?: boolean;
}

/** Yields the steps that undo a command, in the order in which they are sent. */
export function* listSteps(command: StoredCommand): Generator<UndoStep> {
  for (const write of command.writes.toReversed()) {
    for (const [part, step] of revertWrite(write).entries())
      yield { ...step, key: `${write.number}.${part}` };
    yield* listRelatedSteps(write);
  }
}

/** Returns the steps that restore what a deletion affected; none for another write. */
export const listRelatedSteps = ({ number, related }: StoredWrite): UndoStep[] =>
  // Part 0 is the step of the deleted record itself.
  related.map((one, index) => ({ ...restoreRelated(one), isRelated: true, key: `${number}.${index + 1}` }));

type Step = Omit<UndoStep, 'key'>;

function revertWrite(write: StoredWrite): readonly Step[] {
  const { before, after } = write;
  if (write.action === 'create')
    return after ? [{ ...toPath(write), id: String(after.id), action: 'delete', body: {} }] : [];
  if (write.action === 'delete') return before ? [createAgain(toPath(write), before)] : [];
  return findReversal(write).writes;
}

/** Returns how the values of an updated record are restored. */
export function findReversal(write: StoredWrite): Reversal {
  const { body, before, after } = write;
  if (!before || !after) return { writes: [], lost: [] };
  return revertValues(toPath(write), pickSentValues(body, before), pickSentValues(body, after));
}

const restoreRelated = (related: Related): Step =>
  'record' in related
    ? createAgain(related, related.record)
    : { ...toPath(related), action: 'update', body: related.body };

const createAgain = ({ what, list_id, id }: RecordPath, record: JsonObject): Step => ({
  what,
  list_id,
  action: 'create',
  body: toCreateBody(what, record),
  from: { what, list_id, id },
});

const toPath = ({ what, list_id, id }: RecordPath): RecordPath => ({ what, list_id, id });

/**
 * Returns a step with the new ids of records that were created again. A new record leaves out `pending` ones, which are
 * created later: their own steps add the references.
 */
export function mapIds(
  step: UndoStep,
  newIds: ReadonlyMap<string, string>,
  pending: ReadonlySet<string>,
): UndoStep {
  const map = (id: string | undefined) => (id === undefined ? undefined : (newIds.get(id) ?? id));
  return {
    ...step,
    list_id: map(step.list_id),
    id: map(step.id),
    body: mapReferences(step, newIds, pending),
  };
}

/** The fields of a body that have ids. */
const referenceFields = ['organization_id', 'entryable_id', 'contact_id'];

function mapReferences(
  { action, body }: UndoStep,
  newIds: ReadonlyMap<string, string>,
  pending: ReadonlySet<string>,
): JsonObject {
  const isPending = (value: unknown) =>
    action === 'create' && [value].flat().some((id) => pending.has(String(id)) && !newIds.has(String(id)));
  const map = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(map) : typeof value === 'string' ? (newIds.get(value) ?? value) : value;
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (referenceFields.includes(name)) return isPending(value) ? [] : [[name, map(value)]];
      if (!isFieldContainer(name) || !Array.isArray(value)) return [[name, value]];
      const items = value.filter((item) => !isPending(item.value));
      return [[name, items.map((item) => ({ ...item, value: map(item.value) }))]];
    }),
  );
}
