import { join } from 'node:path';
import { type Measurement, measureRatios } from './measure.ts';
import { readOutput } from './processes.ts';
import { type Bench, nameRatioColumns, type Section } from './report.ts';
import { fillRelationships } from './workspaces.ts';

const contacts = 100_000;
const rounds = 15;

/** Measures how long a brief and the follow-ups of a large workspace take, as a multiple of `node -e 0`. */
export async function measureBrief(bench: Bench): Promise<Section> {
  const file = join(bench.folder, 'brief.sqlite');
  await fillRelationships(file, contacts);
  const builds = bench.builds.map(({ entry }, index) => ({
    entry,
    env: { ...bench.env, KITH_DATABASE_URL: file, KITH_CONFIG_DIR: join(bench.folder, `brief-${index}`) },
  }));
  for (const { entry, env } of builds) readOutput(bench, [entry, 'index', 'update'], env);
  const floor: Measurement = { run: () => readOutput(bench, ['-e', '0'], bench.env) };
  const rows: string[][] = [];
  for (const words of [['brief', 'Organization 7'], ['brief'], ['brief', 'DEAL-1007'], ['followup']]) {
    const measurements = builds.map(({ entry, env }) => ({
      run: () => readOutput(bench, [entry, ...words], env),
    }));
    rows.push([`\`kith ${words.join(' ')}\``, ...(await measureRatios(floor, measurements, rounds))]);
  }
  const text = `Time of a whole command in a workspace file with ${contacts.toLocaleString('en')} contacts, 10,000 recorded meetings, 20,000 notes and 5,000 deals, compared with \`node -e 0\` (${rounds} runs). The index is up to date. The goal for a brief is 400 ms more than \`node -e 0\`.`;
  const columns = ['command', ...nameRatioColumns(bench, 'ratio to `node -e 0`')];
  return { title: 'Brief and follow-ups', tables: [{ text, columns, rows }] };
}
