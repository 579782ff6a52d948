import type { DroppedValues, WorkspaceRecords } from '../../contract/workspace.ts';

type Noun = keyof WorkspaceRecords;

/** The number of ids that name the records of dropped values. */
const maxIds = 10;

/** Collects the values and records that a restore cannot store. */
export function createDroppedValues() {
  const groups = new Map<string, DroppedValues & { count: number; ids: string[] }>();
  /** The dropped values of the current batch. */
  const current = new Set<string>();
  return {
    /** Adds a value of a record, or the whole record if `field` is undefined. */
    add(noun: Noun, id: string, field: string | undefined, reason: string): void {
      current.add(`${id} ${field}`);
      const key = `${noun} ${field} ${reason}`;
      const group = groups.get(key) ?? { noun, field, reason, count: 0, ids: [] };
      groups.set(key, group);
      group.count += 1;
      if (group.ids.length < maxIds && !group.ids.includes(id)) group.ids.push(id);
    },
    /** Whether a value of a record of the current batch was dropped. */
    has: (id: string, field: string) => current.has(`${id} ${field}`),
    beginBatch: () => current.clear(),
    list: (): DroppedValues[] => [...groups.values()],
  };
}

export type DroppedValueLog = ReturnType<typeof createDroppedValues>;
