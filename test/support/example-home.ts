import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleFiles } from './example-files.ts';
import {
  createDemoMachine,
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  writeStoredSettings,
} from './kith.ts';

/** Creates a machine that is signed in to a fresh copy of the sample, in a folder with the files of the examples. */
function createMachineWithFiles() {
  const folder = createTemporaryFolder();
  for (const [name, text] of Object.entries(exampleFiles)) writeFileSync(join(folder, name), text);
  writeStoredSettings(folder, {
    active: 'demo',
    profiles: { demo: { database: createSampleWorkspace(folder) } },
    defaults: { user: 'rui@tidewater.example', process: 'Sales pipeline' },
    aliases: { open: 'lists list' },
  });
  return { folder, kith: createMachine(folder) };
}

type Machine = ReturnType<typeof createMachine>;

const readJson = async (kith: Machine, line: string) => JSON.parse((await kith(`${line} -q --json`)).out);

const readFirstId = async (kith: Machine, line: string) =>
  String((await readJson(kith, `${line} --limit 1`))[0].id);

const readRecording = async (kith: Machine) =>
  (await readJson(kith, 'events list --limit 1'))[0].recordings[0].id;

/** Ids in the sample. */
const sampleIds: Readonly<Record<string, (kith: Machine) => Promise<string>>> = {
  MEETING: (kith) => readFirstId(kith, 'events list'),
  EVENT: (kith) => readFirstId(kith, 'events list'),
  RECORDING: readRecording,
  SPEAKER: async (kith) =>
    (await readJson(kith, `recordings transcript ${await readRecording(kith)}`))[0].participant.name,
  ACTION: (kith) => readFirstId(kith, 'actions list'),
  NOTE: (kith) => readFirstId(kith, 'notes list'),
};

/** Ids of records that are created when a line names them. */
const createdIds: typeof sampleIds = {
  FIELD: async (kith) =>
    (
      await readJson(
        kith,
        'custom-fields create Zone --model organization --type select --option EMEA --option APAC',
      )
    ).id,
  KEY_ID: async (kith) => (await readJson(kith, 'keys create cron')).id,
};

/** The ids in the sample, which are the same in every copy. To find them takes longer than most examples. */
const foundSampleIds = new Map<string, string>();

/** A folder with the files and the alias of the examples, and a fresh copy of the sample, which is signed in to. */
export async function createExampleHome() {
  const { folder, kith } = createMachineWithFiles();
  const foundCreatedIds = new Map<string, string>();
  /** A line whose words in capitals are replaced by ids. */
  const fillIds = async (line: string) => {
    let result = line;
    const fill = async (ids: typeof sampleIds, found: Map<string, string>, createSource: () => Machine) => {
      for (const [word, find] of Object.entries(ids)) {
        if (!line.includes(word)) continue;
        const id = found.get(word) ?? (await find(createSource()));
        found.set(word, id);
        result = result.replaceAll(word, id);
      }
    };
    await fill(sampleIds, foundSampleIds, createDemoMachine);
    await fill(createdIds, foundCreatedIds, () => kith);
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
