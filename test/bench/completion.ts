import { join } from 'node:path';
import { type Measurement, measureRatios } from './measure.ts';
import { connectTo, readOutput, startServer, withService } from './processes.ts';
import { type Bench, nameRatioColumns, type Section } from './report.ts';
import { createSearchContact } from './search-corpus.ts';
import { fillContacts } from './workspaces.ts';

const contacts = 100_000;
const rounds = 30;

/** A row of the table: what a person completes, the arguments, and the environment with the workspace. */
type Row = readonly [name: string, args: readonly string[], env: NodeJS.ProcessEnv];

/** Measures how long Tab takes to offer names, as a multiple of `node -e 0`. */
export async function measureCompletion(bench: Bench): Promise<Section> {
  const rows = [...(await createFileRows(bench)), ...(await createIndexRows(bench))];
  const floor: Measurement = { run: () => readOutput(bench, ['-e', '0'], bench.env) };
  const cells: string[][] = [];
  for (const [name, args, env] of rows) {
    const measurements = bench.builds.map(({ entry }) => ({
      run: () => readOutput(bench, [entry, 'complete', ...args], env),
    }));
    cells.push([name, ...(await measureRatios(floor, measurements, rounds))]);
  }
  const text = `Time from Tab to the names, without that of the shell, compared with \`node -e 0\` (${rounds} runs). The goal is 60 ms.`;
  const columns = ['completed', ...nameRatioColumns(bench, 'ratio to `node -e 0`')];
  return { title: 'Completion', tables: [{ text, columns, rows: cells }] };
}

async function createFileRows(bench: Bench): Promise<Row[]> {
  const { folder, env } = bench;
  const [{ entry }] = bench.builds;
  const large = join(folder, 'completion.sqlite');
  await fillContacts(large, contacts);
  const filled = { ...env, KITH_DATABASE_URL: large };
  for (const words of [
    ['index', 'update'],
    ['lists', 'list'],
  ])
    readOutput(bench, [entry, ...words], filled);
  const where = 'of 100,000 of a workspace file';
  return [
    ['a list', ['lists'], filled],
    [`a contact, nothing typed, ${where}`, ['contacts'], filled],
    [`a contact by a name, ${where}`, ['contacts', '--word=First 77777'], filled],
    [`a contact that does not exist, ${where}`, ['contacts', '--word=Zzz'], filled],
  ];
}

async function createIndexRows(bench: Bench): Promise<Row[]> {
  const [{ entry }] = bench.builds;
  const { first_name, last_name } = createSearchContact(77_777);
  const env = await withService(startServer('search', contacts, 0, 1), async (service) => {
    const env = connectTo(service, { ...bench.env, KITH_CONFIG_DIR: join(bench.folder, 'completion') });
    readOutput(bench, [entry, 'index', 'update'], env);
    return env;
  });
  const where = 'of 100,000 of a hosted workspace';
  return [
    [`a contact by a name, ${where}`, ['contacts', `--word=${first_name} ${last_name}`], env],
    [`a contact that does not exist, ${where}`, ['contacts', '--word=Zzzzz'], env],
  ];
}
