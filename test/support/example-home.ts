import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleFiles } from './example-files.ts';
import { createDemoMachine, createTemporaryFolder } from './kith.ts';

/** A folder with the files and the alias of the examples, and a fresh copy of the sample, which is signed in to. */
export async function createExampleHome() {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
  const kith = createDemoMachine(folder);
  await kith(['alias', 'set', 'open', 'lists list']);
  await kith('config set user rui@tidewater.example');
  await kith(['config', 'set', 'process', 'Sales pipeline']);
  const readJson = async (line: string) => JSON.parse((await kith(`${line} -q --json`)).out);
  const readFirstId = async (line: string) => String((await readJson(`${line} --limit 1`))[0].id);
  const ids: Readonly<Record<string, () => Promise<string>>> = {
    MEETING: () => readFirstId('events list'),
    EVENT: () => readFirstId('events list'),
    RECORDING: async () => (await readJson('events list --limit 1'))[0].recordings[0].id,
    SPEAKER: async () =>
      (await readJson(`recordings transcript ${await ids.RECORDING?.()}`))[0].participant.name,
    ACTION: () => readFirstId('actions list'),
    NOTE: () => readFirstId('notes list'),
    FIELD: async () =>
      (
        await readJson(
          'custom-fields create Zone --model organization --type select --option EMEA --option APAC',
        )
      ).id,
    KEY_ID: async () => (await readJson('keys create cron')).id,
  };
  const foundIds = new Map<string, string>();
  /** A line whose words in capitals are replaced by ids. */
  const fillIds = async (line: string) => {
    let result = line;
    for (const [word, find] of Object.entries(ids)) {
      if (!line.includes(word)) continue;
      const id = foundIds.get(word) ?? (await find());
      foundIds.set(word, id);
      result = result.replaceAll(word, id);
    }
    return result;
  };
  /** The same for a line that is not run in the folder. */
  const fillPaths = async (line: string) =>
    (await fillIds(line)).replace(
      /(?<=[ @])([\w-]+\.(md|html|yaml|ics|vtt|srt|report\.csv|csv|xlsx|sqlite|ndjson|tar\.gz)|meetings$|meetings(?= --)|kith-backup|crm(?= |$))/g,
      `${folder}/$1`,
    );
  return { folder, kith, fillIds, fillPaths };
}
