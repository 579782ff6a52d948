import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Measurement, measureRatios } from './measure.ts';
import {
  connectTo,
  measureRun,
  runNode,
  type Service,
  serveWorkspace,
  startServer,
  withService,
} from './processes.ts';
import { type Bench, type Build, nameRatioColumns, type Section } from './report.ts';
import { fillMeetings } from './workspaces.ts';

const meetings = 2000;
const rounds = 3;
const transcriptFlags = ['--transcript', '--with', 'json'];

/** Starts a service that sends meetings from memory. Ten minutes have 60 utterances. */
const startMeetingServer = (count: number): Promise<Service> => startServer('meetings', count, 60);

/** Returns the command line that exports all meetings. */
const buildExportArgs = ({ entry }: Build, out: string): string[] => [
  entry,
  'events',
  'export',
  '--out',
  out,
  '--quiet',
];

/** Measures exports of meetings: time, compared with a bare download, and memory. */
export async function measureExport(bench: Bench): Promise<Section> {
  const file = join(bench.folder, 'meetings.sqlite');
  await fillMeetings(file, meetings);
  const services = [
    ['from `kith serve`', () => serveWorkspace(bench, bench.builds[0], file)],
    ['from a server that sends bytes from memory', () => startMeetingServer(meetings)],
  ] as const;
  const rows: string[][] = [];
  for (const [name, start] of services) {
    rows.push([name, ...(await withService(start(), (service) => measureRow(bench, service)))]);
  }
  const text = `\`kith events export\` of ${meetings.toLocaleString('en')} meetings of ten minutes into an empty folder (${rounds} runs). The bare program downloads the same recordings with undici, four at a time, and writes nothing.`;
  const columns = [
    'export',
    ...nameRatioColumns(bench, 'Markdown, ratio to the bare program'),
    ...nameRatioColumns(bench, `\`${transcriptFlags.join(' ')}\`, of the same`),
  ];
  return { title: 'Export', tables: [{ text, columns, rows }, await measureMemory(bench)] };
}

/** Measures exports as Markdown and with transcripts, alternately by each build and by the bare program. */
async function measureRow(bench: Bench, service: Service): Promise<string[]> {
  const env = connectTo(service, bench.env);
  const out = join(bench.folder, 'out');
  const measureBuild = (build: Build, flags: readonly string[]): Measurement => ({
    prepare: () => rmSync(out, { recursive: true, force: true }),
    run: () => runNode([...buildExportArgs(build, out), ...flags], env),
  });
  const args = ['test/bench/bare-client.mjs', 'export', service.url, service.key];
  const floor = { run: () => runNode(args, env) };
  const cells: string[] = [];
  for (const flags of [[], transcriptFlags]) {
    const builds = bench.builds.map((build) => measureBuild(build, flags));
    cells.push(...(await measureRatios(floor, builds, rounds, 1)));
  }
  return cells;
}

async function measureMemory(bench: Bench): Promise<Section['tables'][number]> {
  const out = join(bench.folder, 'out');
  const rows: string[][] = [];
  for (const [count, flags] of [
    [meetings, []],
    [5 * meetings, []],
    [meetings, transcriptFlags],
  ] as const) {
    rmSync(out, { recursive: true, force: true });
    const { memory } = await withService(startMeetingServer(count), (service) =>
      measureRun(bench, [...buildExportArgs(bench.builds[0], out), ...flags], connectTo(service, bench.env)),
    );
    rows.push([[count.toLocaleString('en'), ...flags].join(' '), memory.toFixed(0)]);
  }
  return {
    text: 'Peak memory of an export from a server that sends bytes from memory.',
    columns: ['meetings', 'MB'],
    rows,
  };
}
