import sql from 'sql-template-tag';
import type { CopyEngine } from './copy.ts';

/** The steps of a copy in a workspace file. */
export const sqliteCopy: CopyEngine = {
  async readLastIds(db) {
    const rows = await db.all<{ name: string; id: number }>(sql`select name, seq as id from sqlite_sequence`);
    return new Map(rows.map(({ name, id }) => [name, id]));
  },
  async prepare() {
    // The transaction locks the file, and no trigger refuses rows.
  },
  async updatePlans() {
    // Without statistics, SQLite always uses an index.
  },
  async finish(db, lastIds) {
    for (const [name, id] of lastIds) {
      await db.run(sql`insert into sqlite_sequence (name, seq)
        select ${name}, 0 where not exists (select 1 from sqlite_sequence where name = ${name})`);
      await db.run(sql`update sqlite_sequence set seq = max(seq, ${id}) where name = ${name}`);
    }
  },
};
