import { spawnSync } from 'node:child_process';
import { measureRatios } from './measure.ts';
import { connectTo, runNode, startServer, withService } from './processes.ts';
import { type Bench, type Build, nameRatioColumns, type Section } from './report.ts';

const entries = 25;
const rounds = 15;

/** Returns the command line that lists the entries: a table shows names, TSV shows ids. */
const buildEntriesArgs = ({ entry }: Build, format: 'table' | 'tsv'): string[] => [
  ...[entry, 'entries', 'list', 'l1', '--format', format],
];

/** Measures a table of entries, each of another organization, with names and with ids: requests and time. */
export async function measureNames(bench: Bench): Promise<Section> {
  const rows: string[][] = [];
  for (const organizations of [100, 1000, 20_000]) {
    const cells = await withService(startServer('entries', entries, organizations), async (service) => {
      const env = connectTo(service, bench.env);
      const requests = (['tsv', 'table'] as const).map((format) =>
        countRequests(buildEntriesArgs(bench.builds[0], format), env),
      );
      const floor = { run: () => runNode(buildEntriesArgs(bench.builds[0], 'tsv'), env, 'pipe') };
      const builds = bench.builds.map((build) => ({
        run: () => runNode(buildEntriesArgs(build, 'table'), env, 'pipe'),
      }));
      return [...requests.map(String), ...(await measureRatios(floor, builds, rounds))];
    });
    rows.push([organizations.toLocaleString('en'), ...cells]);
  }
  const text = `\`kith entries list\` over HTTP prints ${entries} entries, each of another organization (${rounds} runs). A table shows the names of the organizations, TSV their ids.`;
  const columns = ['organizations', 'requests with ids', 'requests with names'];
  const ratio = nameRatioColumns(bench, 'time with names, ratio to the time with ids');
  return { title: 'Names in tables', tables: [{ text, columns: [...columns, ...ratio], rows }] };
}

/** Returns the number of requests that a command sends: --debug prints each one. */
function countRequests(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const { stderr, status } = spawnSync(process.execPath, [...args, '--debug'], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}: ${stderr}`);
  return stderr.match(/^kith: GET \S+: 200$/gm)?.length ?? 0;
}
