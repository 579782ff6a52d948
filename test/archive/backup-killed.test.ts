import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEnv, runKith } from '../support/binary.ts';
import { countRounds, createRandom } from '../support/rounds.ts';
import {
  createMeeting,
  createRecords,
  readArchive,
  readIds,
  readRecords,
  type ServiceRecords,
  startArchiveMachine,
} from './archive-service.ts';

const random = createRandom(0);

/** Kills at random moments: by default, and with KITH_LONG=1. */
const killCounts = [4, 50] as const;

const meetings = 24;

/** Renames every third meeting, adds a contact, and deletes a meeting now and then. */
function changeRecords(records: ServiceRecords, times: number): void {
  const updated_at = new Date().toISOString();
  records.meetings = records.meetings.map((meeting, index) =>
    (index + times) % 3 > 0 ? meeting : { ...meeting, title: `Renamed ${times}`, updated_at },
  );
  records.contacts.push({ id: `new${times}`, first_name: '새사람' });
  if (times % 7 === 6) records.meetings.splice(3, 1);
  if (times % 7 === 2)
    records.meetings.push({ ...createMeeting(meetings + times, 'done', updated_at), recordings: [] });
}

/** Returns the paths of the recordings that a killed backup has written, and that the next backup does not request again. */
function listWritten(archive: string, { meetings }: ServiceRecords): string[] {
  const next = join(archive, '.next');
  if (!existsSync(join(next, 'recordings.ndjson'))) return [];
  const written = readIds(next, 'recordings');
  // With its manifest the backup is complete, so the next backup requests the recordings of changed meetings.
  const isComplete = existsSync(join(next, 'manifest.json'));
  const texts = readRecords(existsSync(join(next, 'events.ndjson')) ? next : archive, 'events');
  const changed = meetings.filter((meeting) => isComplete && !texts.includes(JSON.stringify(meeting)));
  const changedIds = changed.flatMap(({ recordings }) => recordings.map(({ id }): unknown => id));
  return written.filter((id) => !changedIds.includes(id)).map((id) => `/v1/recordings/${id}`);
}

test('after kills at random moments, an archive is complete and equals the archive of a single backup', async () => {
  const service = await startArchiveMachine(createRecords(meetings));
  const { archive, home, records, responses, receiveRemaining, takeRequests, kith } = service;
  const env = createEnv(home, service.env);
  let remaining = 0;
  let kill = () => {};
  responses.set('/v1/', (_, respond) => {
    remaining -= 1;
    if (remaining > -1 && remaining <= 0) setTimeout(() => kill(), random() * 12);
    setTimeout(respond, 2);
  });
  const backUp = (isKilled: boolean) =>
    runKith(['workspace', 'backup', archive, '--keep', '2', '--retries', '0'], {
      env,
      onStart: (child) => {
        child.stdin?.end();
        kill = () => child.kill('SIGKILL');
        // Most moments are in the requests; some are counted from the start of the process.
        if (isKilled && random() < 0.2) setTimeout(kill, 150 + random() * 400);
      },
    });
  const repeated: string[] = [];
  const written = { none: 0, some: 0 };
  const rounds = countRounds(...killCounts);
  // At least one backup is killed after it has written recordings.
  for (let wasKilled = true, run = 0; !wasKilled || !rounds.next().done || written.some === 0; run += 1) {
    const before = listWritten(archive, records);
    takeRequests();
    remaining = random() * 34;
    const { code, err } = await backUp(true);
    await receiveRemaining();
    wasKilled = code === -2;
    if (!wasKilled) expect({ code, err }).toEqual({ code: 0, err: '' });
    repeated.push(...takeRequests().filter((url) => before.includes(url)));
    written[listWritten(archive, records).length > 0 ? 'some' : 'none'] += 1;
    if (existsSync(join(archive, 'manifest.json')))
      expect(await kith(`workspace verify ${archive}`)).toMatchObject({ code: 0, err: '' });
    if (!wasKilled || run % 3 === 0) changeRecords(records, run);
  }
  remaining = 0;
  // The last run completes the killed backup, and the next one adds the changes that were made after it.
  for (let run = 0; run < 2; run += 1) expect(await backUp(false)).toMatchObject({ code: 0, err: '' });
  expect(repeated).toEqual([]);
  const single = join(home, 'single');
  await kith(`workspace backup ${single}`);
  expect(readArchive(archive)).toEqual(readArchive(single));
  expect(readdirSync(archive).sort()).toEqual([...readdirSync(single), 'older'].sort());
  for (const name of readdirSync(join(archive, 'older')))
    expect((await kith(`workspace verify ${join(archive, 'older', name)}`)).code).toBe(0);
}, 600_000);
