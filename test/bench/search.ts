import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { formatQuartiles, runInTurn } from './measure.ts';
import { connectTo, measureRun, readOutput, runNode, startServer, withService } from './processes.ts';
import type { Bench, Section, Table } from './report.ts';
import { createSearchContact, createSearchMeeting, measureTexts } from './search-corpus.ts';

const contacts = 100_000;
const meetings = 10_000;
/** Words of half an hour. */
const words = 4500;
const rounds = 15;

const formatMegabytes = (bytes: number) => (bytes / 1e6).toFixed(0);

/** Measures how long an index takes to be built and updated, how large it is, and how fast it answers. */
export async function measureSearch(bench: Bench): Promise<Section> {
  const contactRow = await measureBuild(bench, contacts, 0);
  const folder = join(bench.folder, 'search');
  const env = { ...bench.env, KITH_CONFIG_DIR: folder };
  const { row, table } = await withService(
    startServer('search', contacts, meetings, words),
    async (service) => {
      const served = connectTo(service, env);
      const row = await buildIndex(bench, served, contacts, meetings);
      return { row, table: await measureQueries(bench, served) };
    },
  );
  const build = {
    text: `\`kith index update\` of a new index, and again when nothing has changed, from a service on this machine. Transcripts are of half an hour (${words.toLocaleString('en')} words); the size of the text is without JSON.`,
    columns: ['workspace', 'seconds', 'again', 'MB of memory', 'MB of index', 'MB of text', 'index / text'],
    rows: [contactRow, row],
  };
  return { title: 'Search', tables: [table, build] };
}

async function measureBuild(bench: Bench, contacts: number, meetings: number): Promise<string[]> {
  const folder = join(bench.folder, 'search-contacts');
  return withService(startServer('search', contacts, meetings, words), (service) => {
    const env = connectTo(service, { ...bench.env, KITH_CONFIG_DIR: folder });
    return buildIndex(bench, env, contacts, meetings);
  }).finally(() => rmSync(folder, { recursive: true, force: true }));
}

async function buildIndex(bench: Bench, env: NodeJS.ProcessEnv, contacts: number, meetings: number) {
  const [{ entry }] = bench.builds;
  const update = () => measureRun(bench, [entry, 'index', 'update'], env);
  const first = await update();
  const again = await update();
  const { bytes } = JSON.parse(readOutput(bench, [entry, 'index', 'status', '--json'], env));
  const text = measureTexts(contacts, meetings, words);
  const name = [contacts, meetings].map((count) => count.toLocaleString('en'));
  return [
    `${name[0]} contacts${meetings > 0 ? `, ${name[1]} meetings` : ''}`,
    (first.milliseconds / 1000).toFixed(1),
    (again.milliseconds / 1000).toFixed(1),
    first.memory.toFixed(0),
    formatMegabytes(bytes),
    formatMegabytes(text),
    (bytes / text).toFixed(2),
  ];
}

/** Measures searches of a whole index, as processes from start to exit. */
async function measureQueries(bench: Bench, env: NodeJS.ProcessEnv): Promise<Table> {
  const [{ entry }] = bench.builds;
  const contact = createSearchContact(77_777);
  const titleWords = createSearchMeeting(5000).title.split(' ');
  const [title = ''] = titleWords.toSorted((a, b) => b.length - a.length);
  const typo = `${contact.first_name.slice(0, -1)}${contact.first_name.endsWith('x') ? 'y' : 'x'}`;
  const searches: Readonly<Record<string, readonly string[]>> = {
    'an email address': contact.emails,
    'a phone number': contact.phone_numbers,
    'two words of names': [contact.first_name, contact.last_name],
    'a word that most meetings have': ['ba'],
    'a word of a title, in transcripts too': [title],
    'the beginning of a word': [title.slice(0, 3)],
    'a word with a typo': [typo],
    'a quoted phrase of a title': [`"${titleWords.slice(-2).join(' ')}"`],
    'a word without another one': ['--', title, '-ba'],
  };
  const run = (args: readonly string[]) => ({
    run: () => runNode([entry, 'search', '--max-age', '7d', '--quiet', ...args], env, 'pipe'),
  });
  const measurements = Object.values(searches).map(run);
  const floor = { run: () => runNode(['-e', '0'], env, 'pipe') };
  const [floorTimes = [], ...times] = await runInTurn([floor, ...measurements], rounds);
  const rows = Object.keys(searches).map((name, index) => [name, formatQuartiles(times[index] ?? [], 0)]);
  const cold = { run: () => runNode([entry, 'search', 'ba', '--max-age', '0', '--quiet'], env, 'pipe') };
  const [coldTimes = []] = await runInTurn([cold], 3, 0);
  rows.push(['`node -e 0`, for comparison', formatQuartiles(floorTimes, 0)]);
  rows.push(['a word, with an index that is updated first', formatQuartiles(coldTimes, 0)]);
  return {
    text: `\`kith search\` in ${contacts.toLocaleString('en')} contacts and ${meetings.toLocaleString('en')} meetings with transcripts, from start to exit (${rounds} runs). The index is younger than \`--max-age\` and in the file cache of the system. The last row lists the whole workspace first (3 runs).`,
    columns: ['search for', 'milliseconds'],
    rows,
  };
}
