import { expect, test } from 'vitest';
import { createSortedList } from '../../src/values/sorted-list.ts';

test.each([
  [undefined, ['b1', 'b2', 'c1', 'c2', 'c3']],
  [4, ['b1', 'b2', 'c1', 'c2']],
  [0, []],
])(
  'keeps the first items in order, and equal ones as they were added, up to a limit of %s',
  (limit, first) => {
    const list = createSortedList<string>((one, other) => one.charCodeAt(0) - other.charCodeAt(0), limit);
    for (const item of ['c1', 'c2', 'b1', 'c3', 'b2']) list.add(item);
    expect([list.toArray(), list.getCount()]).toEqual([first, 5]);
  },
);
