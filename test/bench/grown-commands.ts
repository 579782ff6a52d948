import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { exportArgs, plainService } from './export.ts';
import { emailOf, time } from './grown.ts';
import { importArgs, writeSheet } from './import.ts';
import { bareArgs, contactsService, listArgs } from './list.ts';
import { peakOf, ran } from './ran.ts';
import { inTurn, quantile, ratios } from './ratio.ts';
import { type Service, servedFile } from './started.ts';

/** A workspace file with so many records of each kind. */
export interface Grown {
  readonly file: string;
  readonly records: number;
}

/** What something costs where there are more and more records. */
export interface Row {
  readonly name: string;
  readonly digits: number;
  readonly costs: readonly number[];
}

const median = (values: readonly number[] | undefined) => quantile(values ?? [], 0.5);

const node = (args: readonly string[], env: NodeJS.ProcessEnv) => ran(process.execPath, args, env);

const envOf = ({ url, key }: Service, env: NodeJS.ProcessEnv) => ({
  ...env,
  KITH_BASE_URL: url,
  KITH_API_KEY: key,
});

/** Does a work with services, and stops them. */
async function withAll<T>(
  starting: readonly Promise<Service>[],
  work: (services: readonly Service[]) => Promise<T>,
): Promise<T> {
  const services = await Promise.all(starting);
  try {
    return await work(services);
  } finally {
    for (const { child } of services) child.kill();
  }
}

const withOne = <T>(starting: Promise<Service>, work: (service: Service) => Promise<T>): Promise<T> =>
  withAll([starting], async ([service]) => work(service as Service)); // the one that was given

/** What one run took. */
interface Run {
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** What runs took for each record, in microseconds, and how much memory. */
function told(name: string, runs: readonly Run[], sizes: readonly number[]): Row[] {
  const each = runs.map(({ milliseconds }, index) => (milliseconds * 1000) / (sizes[index] ?? 0));
  return [
    { name, digits: 1, costs: each },
    { name: '  and the most memory, MB', digits: 0, costs: runs.map(({ megabytes }) => megabytes) },
  ];
}

/** Runs a program on Node, and looks how long that takes. */
async function once(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  let milliseconds = 0;
  const megabytes = await peakOf(folder, async (flags) => {
    const start = performance.now();
    await node([...flags, ...args], env);
    milliseconds = performance.now() - start;
  });
  return { milliseconds, megabytes };
}

/** The settings of somebody who is signed in to a workspace file. */
async function signedIn(folder: string, env: NodeJS.ProcessEnv, { file, records }: Grown) {
  const own = { ...env, KITH_CONFIG_DIR: join(folder, `config-${records}`) };
  await node(['bin/kith.js', 'auth', 'login', '--local', '--database', file], own);
  return own;
}

/** A whole look-up by email, as a multiple of `node -e 0`. */
export async function lookUps(
  folder: string,
  env: NodeJS.ProcessEnv,
  grown: readonly Grown[],
): Promise<Row[]> {
  const floor = { name: 'node', run: () => node(['-e', '0'], env) };
  const row = async (name: string, envs: readonly NodeJS.ProcessEnv[]): Promise<Row> => {
    const sides = grown.map(({ records }, index) => {
      const args = ['bin/kith.js', 'contacts', 'find', '--email', emailOf(records / 2), '--json'];
      return { name, run: () => node(args, envs[index] ?? env) };
    });
    return { name, digits: 2, costs: (await ratios(floor, sides, 15)).map((found) => found.median) };
  };
  const local = [];
  for (const one of grown) local.push(await signedIn(folder, env, one));
  return [
    await row('contacts find --email on a workspace file, of node -e 0', local),
    await withAll(
      grown.map(({ file }) => servedFile(file)),
      (services) =>
        row(
          'the same over HTTP, from kith serve',
          services.map((service) => envOf(service, env)),
        ),
    ),
  ];
}

/** The whole list, of a workspace file and of a server that answers from memory. */
export async function lists(folder: string, env: NodeJS.ProcessEnv, grown: readonly Grown[]): Promise<Row[]> {
  const sizes = grown.map(({ records }) => records);
  const local: Run[] = [];
  const hosted: Run[] = [];
  const ratiosToBare: number[] = [];
  for (const one of grown) {
    local.push(await once(folder, listArgs(500), await signedIn(folder, env, one)));
    await withOne(contactsService(one.records), async (service) => {
      const own = envOf(service, env);
      const bare = { name: 'bare', run: () => node(bareArgs(service, 500), own) };
      const kith = { name: 'kith', run: () => node(listArgs(500), own) };
      const [floors, times] = await inTurn([bare, kith], 3, 1);
      ratiosToBare.push(median(times) / median(floors));
      hosted.push({ ...(await once(folder, listArgs(500), own)), milliseconds: median(times) });
    });
  }
  return [
    ...told('contacts list --all of a workspace file, µs for each', local, sizes),
    ...told('the same over HTTP, from memory, µs for each', hosted, sizes),
    { name: '  and of a bare program that counts bytes', digits: 2, costs: ratiosToBare },
  ];
}

/** The 1,000 meetings that changed last, and 500 new rows, where there are so many. */
export async function among(folder: string, env: NodeJS.ProcessEnv, grown: readonly Grown[]): Promise<Row[]> {
  const [meetings, people] = [1000, 500];
  const out = join(folder, 'among');
  const since = new Date(time - meetings * 1000 - 1000).toISOString();
  return withAll(
    grown.map(({ file }) => servedFile(file)),
    async (services) => {
      const exports = services.map((service) => ({
        name: '',
        before: () => rmSync(out, { recursive: true, force: true }),
        run: () => node([...exportArgs(out), '--since', since], envOf(service, env)),
      }));
      let sheets = 0;
      const sheet = join(folder, 'among.csv');
      const imports = services.map((service) => ({
        name: '',
        before: () => {
          sheets += 1;
          writeSheet(sheet, people, `among${sheets}`);
        },
        run: () => node(importArgs(sheet), envOf(service, env)),
      }));
      const each = (times: readonly number[], count: number) => (median(times) * 1000) / count;
      return [
        {
          name: `events export of ${meetings} among so many, µs for each`,
          digits: 0,
          costs: (await inTurn(exports, 5, 1)).map((times) => each(times, meetings)),
        },
        {
          name: `contacts import of ${people} new ones into so many, µs for each`,
          digits: 0,
          costs: (await inTurn(imports, 5, 1)).map((times) => each(times, people)),
        },
      ];
    },
  );
}

/** All meetings into an empty folder, and all rows into an empty workspace, once each. */
export async function wholly(
  folder: string,
  env: NodeJS.ProcessEnv,
  sizes: readonly number[],
): Promise<Row[]> {
  const runs: { first: Run; again: Run; imported: Run }[] = [];
  for (const records of sizes) {
    const out = join(folder, `out-${records}`);
    const exporting = (service: Service) => once(folder, exportArgs(out), envOf(service, env));
    const [first, again] = await withOne(plainService(records, 2), async (service) => [
      await exporting(service),
      await exporting(service),
    ]);
    rmSync(out, { recursive: true });
    const sheet = join(folder, 'wholly.csv');
    writeSheet(sheet, records, 'wholly');
    const imported = await withOne(servedFile(join(folder, `wholly-${records}.sqlite`)), (service) =>
      once(folder, importArgs(sheet), envOf(service, env)),
    );
    runs.push({ first, again, imported });
  }
  return [
    ...told(
      'events export of all, µs for each',
      runs.map(({ first }) => first),
      sizes,
    ),
    ...told(
      'the same again, when they are there',
      runs.map(({ again }) => again),
      sizes,
    ),
    ...told(
      'contacts import of all into an empty workspace, µs for each',
      runs.map(({ imported }) => imported),
      sizes,
    ),
  ];
}
