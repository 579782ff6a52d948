import type { Client } from '../client/client.ts';
import { Failure, isRecordFailure } from '../contract/errors.ts';
import { type Fields, plain } from '../render/fields.ts';
import { changed, type MapValues } from './change.ts';
import { Refusal, type Step } from './outcome.ts';
import { recordAt } from './recovery.ts';
import type { Shelf } from './shelf.ts';
import type { Worker } from './worker.ts';

/** A record that a row needs and that was not found. */
export interface Creation {
  readonly body: Fields;
  /** What the record would be found by. */
  readonly keys: readonly string[];
  /** Whether a record with this body would be the one that the row needs; if omitted, any with a common key is. */
  readonly isMatch?: (body: Fields) => boolean;
  /** Looks the record up on the service, whatever was read of it before. */
  readonly lookUp: () => Promise<Fields | undefined>;
  /** The same just before the record is created, in as few requests as can be: another run may have created it. */
  readonly lookUpNew: () => Promise<Fields | undefined>;
}

/** Creates and updates the records of one kind, and knows which of its writes have an unknown outcome. */
export interface RecordWriter {
  /**
   * Creates a record. If a create with one of its keys had an unknown outcome, the record is looked up first; one that
   * is found is returned with `isNew` false.
   * @throws {Failure} unknown if such a record cannot be seen
   */
  create(worker: Worker, creation: Creation): Promise<{ readonly record: Fields; readonly isNew: boolean }>;
  /** Gives a record the fields and values that differ. */
  update(worker: Worker, current: Fields, differing: Fields, values: MapValues): Promise<Fields>;
  /** Returns the record, read again if an update of it had an unknown outcome. */
  latest(record: Fields): Promise<Fields>;
}

/** A create whose response was lost. */
interface LostCreate {
  readonly row: number;
  readonly body: Fields;
}

/** Writes records of the kind that is on the shelf; `place` names the kind, and for entries their list. */
export function recordWriter(
  client: Client,
  shelf: Shelf,
  place: Pick<Step, 'what' | 'list_id'>,
): RecordWriter {
  const lostCreates = new Map<string, LostCreate[]>();
  const lostUpdates = new Set<string>();
  const lostCreateOf = ({ keys, isMatch }: Creation) =>
    keys.flatMap((key) => lostCreates.get(key) ?? []).find(({ body }) => !isMatch || isMatch(body));
  return {
    async create(worker, creation) {
      const lost = lostCreateOf(creation);
      if (lost) {
        const record = await creation.lookUp();
        if (record) return { record, isNew: false };
        throw new Failure(
          'unknown',
          `Row ${lost.row} may have created this ${place.what}: its response was lost, and the service does not show it yet.`,
        );
      }
      const { body, keys } = creation;
      if (!worker.isRehearsal && keys.length > 0) {
        const record = await creation.lookUpNew();
        if (record) return { record, isNew: false };
      }
      try {
        return { record: await worker.write({ ...place, body }), isNew: true };
      } catch (error) {
        if (isLost(error)) {
          const one = { row: worker.row, body };
          for (const key of keys) lostCreates.set(key, [...(lostCreates.get(key) ?? []), one]);
          await mustAnswer(creation.lookUp);
        }
        throw error;
      }
    },
    async update(worker, current, differing, values) {
      try {
        return await changed(worker, place, current, differing, values);
      } catch (error) {
        if (isLost(error)) {
          lostUpdates.add(plain(current.id));
          await mustAnswer(() => recordAt(client, place, plain(current.id)));
        }
        throw error;
      }
    },
    async latest(record) {
      const id = plain(record.id);
      if (!lostUpdates.has(id)) return record;
      const read = await recordAt(client, place, id);
      lostUpdates.delete(id);
      if (read) shelf.put(read);
      return read ?? record;
    },
  };
}

/**
 * Reads from the service after a lost response. A service that is gone, or no longer accepts the key, ends the import
 * here: all other rows would be lost the same way.
 * @throws {Failure} of any code that is not about one record
 */
async function mustAnswer(read: () => Promise<unknown>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!isRecordFailure(error) && !(error instanceof Refusal)) throw error;
  }
}

/** Whether a write was sent and its response lost. */
const isLost = (error: unknown) => error instanceof Failure && error.code === 'unknown';
