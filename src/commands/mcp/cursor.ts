import { createHash } from 'node:crypto';
import { Failure } from '../../contract/errors.ts';
import type { ToolInput } from './command-line.ts';

/**
 * Returns functions that write and read the cursors of a call: the number of records or characters to skip, and a digest
 * of the call, so that a cursor of another call is an error instead of a gap. The limit may change between calls.
 */
export function createCursors(tool: string, values: ToolInput) {
  const { cursor, limit: _, ...others } = values;
  const sorted = Object.entries(others).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash('sha256')
    .update(JSON.stringify([tool, sorted]))
    .digest('hex')
    .slice(0, 8);
  return {
    format: (offset: number) => `${offset}.${digest}`,
    /** Returns the offset of the call; 0 without a cursor. @throws {Failure} usage if it belongs to another call */
    read(): number {
      if (cursor === undefined) return 0;
      const [, offset, mark] = /^(\d{1,15})\.(\w+)$/.exec(String(cursor)) ?? [];
      if (offset !== undefined && mark === digest) return Number(offset);
      const reason = offset === undefined ? 'is not a cursor' : 'belongs to a call with other values';
      throw new Failure('usage', `cursor: ${JSON.stringify(cursor)} ${reason}.`, {
        hint: 'Repeat the values of the call that returned the cursor, or omit it.',
      });
    },
  };
}

export type Cursors = ReturnType<typeof createCursors>;
