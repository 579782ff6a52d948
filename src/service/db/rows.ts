/** Rows by the key that each belongs to, in their order. */
export function grouped<Row, Key>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

/** The one record of a list that has one, because its row was just read. */
export function only<T>(records: readonly T[]): T {
  const [record] = records;
  if (record === undefined) throw new Error('A row that was read has a record.');
  return record;
}

/** A text without content counts as none. */
export function filled(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text;
}
