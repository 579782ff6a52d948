import { Failure } from '../../contract/errors.ts';
import { type Database, transact } from '../db/database.ts';
import { readSample } from './files.ts';
import { writeMeeting } from './meeting.ts';
import { writeRecords } from './records.ts';

/**
 * Fills an empty workspace with the sample (service.md, "The workspace file"), the same on every machine. One
 * that holds the sample already stays as it is. Throws `usage` where there is anything else.
 */
export async function fillSample(db: Database): Promise<{ filled: boolean }> {
  return transact(db, async (db) => {
    const { sample } = await db.selectFrom('workspace').select('sample').executeTakeFirstOrThrow();
    if (sample === 1) return { filled: false };
    const tallied = await db.selectFrom('tally').select('scope').where('records', '>', 0).executeTakeFirst();
    if (tallied) {
      throw new Failure(
        'usage',
        'This workspace holds records of your own; the sample is for an empty one.',
        {
          hint: 'Name another file with --database.',
        },
      );
    }
    const files = await readSample();
    await writeRecords(db, files);
    for (const meeting of files.meetings) await writeMeeting(db, meeting);
    await db.updateTable('workspace').set({ sample: 1 }).execute();
    return { filled: true };
  });
}
