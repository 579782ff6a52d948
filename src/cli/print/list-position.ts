import { createHash } from 'node:crypto';
import type { Batch } from '../../client/pagination.ts';
import type { PaginationDocument } from '../../contract/documents/schemas.ts';
import { Failure } from '../../contract/errors.ts';
import { parseTimeOffset, readDays } from '../../values/dates.ts';
import { isObject, readObject } from '../../values/json-object.ts';
import type { RawJson } from '../../values/raw-json.ts';
import type { CommandInput, ParsedCommand } from '../command/command.ts';
import type { ListPosition, Session } from '../command/context.ts';

/** A list whose end a cursor can describe. */
interface ContinuedList {
  readonly path: readonly string[];
  /** The parsed arguments and flags. Only the same ones continue the list. */
  readonly input: CommandInput;
}

const cursorVersion = 1;

/** Returns four letters and digits that differ with the arguments and the flags. Flags for times are not compared. */
const hashInput = ({ path, input }: ContinuedList) =>
  createHash('sha256')
    .update(JSON.stringify([path, input]))
    .digest('base64url')
    .slice(0, 6);

/** Encodes a position as the value of --after. */
export function formatCursor(list: ContinuedList, { offset, lastId, isInResult }: ListPosition): string {
  const members = [cursorVersion, isInResult ? 1 : 0, offset, lastId ?? '', hashInput(list)];
  return Buffer.from(JSON.stringify(members)).toString('base64url');
}

/** Decodes the value of --after. @throws {Failure} usage if it is invalid, or belongs to another list */
export function parseCursor(text: string, list: ContinuedList): ListPosition {
  const [version, isInResult, offset, lastId, hash] = decodeMembers(text);
  if (version !== cursorVersion || !Number.isSafeInteger(offset) || typeof lastId !== 'string')
    throw new Failure('usage', `--after: "${text}" is not a cursor.`, {
      hint:
        readDays(text, '2026-01-01') || parseTimeOffset(text)
          ? `For a time, use ${'startsAfter' in list.input ? '--starts-after' : '--where'}: kith help scripting`
          : 'Use pagination.next of the same command with --json-envelope.',
    });
  if (hash !== hashInput(list))
    throw new Failure('usage', '--after: the cursor belongs to a command with other arguments or filters.');
  return { isInResult: isInResult === 1, offset: Number(offset), lastId: lastId || undefined };
}

function decodeMembers(text: string): readonly unknown[] {
  try {
    const members: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(members) ? members : [];
  } catch {
    return [];
  }
}

/**
 * Returns sessions to continue a list: one to run the command, whose limit includes the skipped records, and one to
 * print the result.
 * @throws {Failure} usage if the cursor is invalid, or the command prints a figure
 */
export function continueList(session: Session, cursor: string, { path, input }: ParsedCommand) {
  if (input.count === true || input.sum !== undefined)
    throw new Failure('usage', `--after and ${input.count ? '--count' : '--sum'} cannot be used together.`);
  const start = parseCursor(cursor, { path, input });
  const printSession: Session = { ...session, call: { ...session.call, start } };
  if (!start.isInResult) return { runSession: printSession, printSession };
  const { globals, preferences } = session;
  const runSession: Session = {
    ...printSession,
    globals: { ...globals, limit: globals.limit && globals.limit + start.offset },
    preferences: async () => {
      const values = await preferences();
      return { ...values, limit: values.limit + start.offset };
    },
  };
  return { runSession, printSession };
}

const changedNote = 'The list has changed since the cursor was printed: records may be missing or repeated.';

/**
 * Skips the records before the start of a list, and tracks its end. In the returned functions, `last` is the last batch,
 * and `count` the number of printed records.
 */
export function trackList({ call: { commandLine, start } }: Session, source: AsyncIterable<Batch>) {
  const skippedCount = start?.isInResult ? start.offset : 0;
  let read = 0;
  let hasChanged = false;
  let last: { readonly record: RawJson; readonly findEnd: Batch['findEnd'] } | undefined;
  const readBatches = async function* () {
    for await (const batch of source) {
      const skipped = batch.records.slice(0, Math.max(0, skippedCount - read));
      read += batch.records.length;
      hasChanged ||= batch.isShifted === true;
      const isStart = skipped.length > 0 && read >= skippedCount;
      const before = skipped.at(-1);
      if (isStart && start?.lastId !== undefined && before && readId(before) !== start.lastId)
        hasChanged = true;
      const records = batch.records.slice(skipped.length);
      const record = records.at(-1);
      if (record) last = { record, findEnd: batch.findEnd };
      if (skipped.length === 0) yield batch;
      else if (records.length > 0 || !batch.hasMore) yield { ...batch, records };
    }
    hasChanged ||= read < skippedCount;
  };
  const getEnd = (): ListPosition | undefined => {
    if (!last) return undefined;
    const offset = last.findEnd?.(last.record);
    return { offset: offset ?? read, isInResult: offset === undefined, lastId: readId(last.record) };
  };
  const startOffset = start?.offset ?? 0;
  // The start moves if records before it are deleted. The offset of a match is not its number among the matches.
  const countShown = ({ isFiltered }: Batch, count: number) =>
    isFiltered ? startOffset + count : (getEnd()?.offset ?? startOffset);
  return {
    batches: readBatches(),
    /** Returns the number of records up to the last one, including the records before the start. */
    countShown,
    describeChange: () => (hasChanged ? [changedNote] : []),
    describePagination(last: Batch, count: number, isTruncated: boolean): PaginationDocument {
      const shownCount = countShown(last, count);
      // If a filtered list continues at an offset of the service, the number of earlier matches is unknown.
      const isKnown = !isTruncated && !(last.isFiltered && start && !start.isInResult);
      const total = last.total === undefined ? undefined : Math.max(last.total, shownCount);
      const end = isTruncated && commandLine?.command.paging === 'list' ? getEnd() : undefined;
      return {
        returned: count,
        total: total ?? (isKnown ? shownCount : null),
        truncated: isTruncated,
        next: end && commandLine ? formatCursor(commandLine, end) : null,
      };
    },
  };
}

/** Returns the id of a record, if it is a text. */
function readId({ value }: RawJson): string | undefined {
  const { id } = isObject(value) ? value : readObject(undefined);
  return typeof id === 'string' ? id : undefined;
}
