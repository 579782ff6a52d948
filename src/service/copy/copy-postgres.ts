import sql, { raw } from 'sql-template-tag';
import type { CopyEngine } from './copy.ts';

/** The steps of a copy in a PostgreSQL database. */
export const postgresCopy: CopyEngine = {
  async readLastIds(db, tables) {
    const lastIds = new Map<string, number>();
    for (const name of tables) {
      const row = await db.first<{ id: number | null }>(
        sql`select pg_sequence_last_value(pg_get_serial_sequence(${name}, 'id')::regclass) as id`,
      );
      if (row?.id) lastIds.set(name, row.id);
    }
    return lastIds;
  },
  async prepare(db, tables) {
    // Other processes can read, but their writes wait.
    await db.run(sql`lock table ${raw(tables.join(', '))} in share row exclusive mode`);
    // This trigger would refuse the duplicates of a list that no longer allows them.
    await db.run(sql`alter table entry disable trigger entry_sole`);
  },
  async updatePlans(db, tables) {
    await db.run(sql`analyze ${raw(tables.join(', '))}`);
  },
  async finish(db, lastIds) {
    // The trigger `list_sole` does the same.
    await db.run(sql`update entry set sole_list_id = list_id where id in (
      select min(entry.id) from entry join list on list.id = list_id
      where duplicates_allowed is not true group by list_id, entryable_contact_id, entryable_organization_id)`);
    await db.run(sql`alter table entry enable trigger entry_sole`);
    for (const [name, id] of lastIds) {
      // Never decrease a sequence: it may be ahead because a copy was rolled back, or `id` may be behind the table.
      await db.first(sql`select setval(sequence, greatest(
          ${id}::bigint, pg_sequence_last_value(sequence), (select max(id) from ${raw(name)})))
        from (select pg_get_serial_sequence(${name}, 'id')::regclass as sequence) as numbers`);
    }
  },
};
