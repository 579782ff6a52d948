import { defineCommand, toRecordResult, toRecordsResult, toTextResult } from '../../cli/command/command.ts';
import { readTextFile } from '../../cli/command/files.ts';
import {
  createChoiceOption,
  createFlag,
  createIntegerOption,
  createTextOption,
  toFlagName,
  withDefault,
} from '../../cli/command/options.ts';
import { conflicts, requires } from '../../cli/command/rules.ts';
import {
  databaseOptions,
  openWorkspaceFile,
  regionOption,
  resolveDatabase,
} from '../../cli/connect/database.ts';
import { Failure } from '../../contract/errors.ts';
import { defaultDrain, type FaultPlan, getStopTimeout } from '../../contract/workspace.ts';
import { views } from '../../render/views.ts';
import { formatDatabase, isDatabaseUrl } from '../../values/database-url.ts';
import { quoteShellWord } from '../../values/text.ts';
import { faultOption } from './fault-option.ts';
import { createServerLog, logFormats } from './server-log.ts';

const maxSeed = 2 ** 31;

export const serve = defineCommand({
  name: 'serve',
  summary: 'Serve a local workspace over HTTP',
  description:
    'Serve a local workspace over HTTP. Clients authenticate with a key from `kith keys create`. Without TLS or ' +
    'a proxy, it listens on this machine only. SIGTERM or Ctrl-C stops it after the current requests; SIGHUP ' +
    'reloads the TLS files.',
  options: {
    ...databaseOptions,
    host: withDefault(createTextOption('Address to listen on', 'ADDRESS'), '127.0.0.1'),
    port: withDefault(
      createIntegerOption('Port to listen on; 0 selects a free port', 'PORT', 0, 65_535),
      4717,
    ),
    metricsPort: createIntegerOption(
      'Port for /metrics without a key; if omitted, on --port with a key',
      'PORT',
      0,
      65_535,
    ),
    tlsCert: createTextOption('TLS certificate (PEM)', 'FILE', { completion: 'files' }),
    tlsKey: createTextOption('TLS private key (PEM)', 'FILE', { completion: 'files' }),
    drain: createIntegerOption(
      `Time to accept requests on open connections after SIGTERM (default ${defaultDrain})`,
      'SECONDS',
      0,
      3600,
    ),
    behindProxy: createFlag('Allow plain HTTP on any address, behind a TLS proxy'),
    rateLimit: createIntegerOption(
      'Maximum requests per key and minute; on PostgreSQL, all processes share it',
      'N',
      1,
    ),
    poolSize: createIntegerOption('Maximum connections to PostgreSQL (default 10)', 'N', 1, 1000),
    statementTimeout: createIntegerOption(
      'Time limit for a PostgreSQL statement (default 30)',
      'SECONDS',
      1,
      86_400,
    ),
    lenient: createFlag(
      'Ignore unknown fields in request bodies; return the existing entry if a record is added again with equal values',
    ),
    fault: faultOption,
    seed: createIntegerOption(
      'Repeat the faults of an earlier run, which printed this seed',
      'N',
      0,
      maxSeed,
    ),
    region: regionOption,
    logFormat: withDefault(createChoiceOption('Log format on stderr:', logFormats, 'FORMAT'), 'text'),
  },
  rules: [
    requires('tlsCert', 'tlsKey'),
    requires('tlsKey', 'tlsCert'),
    conflicts('tlsCert', 'behindProxy'),
    requires('seed', 'fault'),
  ],
  output: { protocol: ['stopped-server'] },
  effects: 'local',
  examples: [
    'serve',
    'serve --demo --port 8080',
    'serve --demo --rate-limit 60',
    'serve --demo --metrics-port 9464 --log-format json',
    'serve --demo --fault 503:0.1,429:0.05,reset:0.02,slow:200ms --seed 7',
    'serve --database postgres://kith@db.example.com/kith',
  ],
  async run(session, flags) {
    const { host, port, metricsPort, tlsCert, tlsKey, behindProxy, rateLimit, lenient, region } = flags;
    const { poolSize, statementTimeout, drain = defaultDrain } = flags;
    const readTls = async () =>
      tlsCert !== undefined && tlsKey !== undefined
        ? { cert: await readTextFile(tlsCert), key: await readTextFile(tlsKey) }
        : undefined;
    const tls = await readTls();
    const { workspace, database } = await openWorkspaceFile(session, flags, { region, isReading: true });
    checkPostgresFlags(database, { poolSize, statementTimeout });
    const place = formatDatabase(database);
    const log = createServerLog({ ...session.streams, ...session.runtime }, flags.logFormat);
    const faultPlan = flags.fault && {
      ...flags.fault,
      seed: flags.seed ?? session.runtime.now().getTime() % maxSeed,
    };
    await workspace.serve(database, {
      host,
      port,
      metricsPort,
      tls,
      behindProxy,
      region,
      perMinute: rateLimit,
      isLenient: lenient,
      poolSize,
      statementTimeout,
      faultPlan,
      drain,
      readTls,
      onReload: session.runtime.onHangup,
      log,
      signal: session.signal,
      onListening: ({ url, metricsUrl, keys }) => {
        session.runtime.extendTimeouts(drain * 1000 + getStopTimeout(drain * 1000));
        const metrics = metricsUrl === undefined ? '' : `, metrics on ${metricsUrl}/metrics`;
        log.write('info', `Serving ${place} on ${url}${metrics}`);
        if (faultPlan) log.write('warning', describeFaults(faultPlan));
        if (keys > 0 || session.globals.quiet) return;
        const command = `kith keys create NAME --database ${quoteShellWord(place)}`;
        log.write('warning', `The workspace has no API key yet. Create one with: ${command}`);
      },
    });
    return toTextResult('', { stopped: true });
  },
});

function describeFaults({ probabilities, delay, seed }: FaultPlan): string {
  const parts = probabilities.map(
    ([fault, probability]) => `${fault} for ${Number((probability * 100).toFixed(7))} %`,
  );
  const delays = delay > 0 ? [`a delay of ${delay} ms for every request`] : [];
  return `Injecting faults into requests: ${[...parts, ...delays].join(', ')}. To repeat them, pass --seed ${seed}.`;
}

/** Checks that a flag of PostgreSQL is not used with a workspace file. @throws {Failure} `usage` */
function checkPostgresFlags(database: string, flags: Readonly<Record<string, number | undefined>>): void {
  const name = Object.keys(flags).find((flag) => flags[flag] !== undefined);
  if (name === undefined || isDatabaseUrl(database)) return;
  throw new Failure('usage', `${toFlagName(name)} requires a PostgreSQL database; ${database} is a file.`, {
    hint: `Omit ${toFlagName(name)}, or pass --database postgres://HOST/DATABASE`,
  });
}

export const migrate = defineCommand({
  name: 'migrate',
  output: { records: ['migration[]'] },
  effects: 'stores',
  writingFlags: ['dryRun', 'yes'],
  summary: 'Update the schema of a workspace',
  description:
    'Update the schema of a workspace file or PostgreSQL database for this version of kith. Every command does this ' +
    'when it opens a workspace. With --dry-run, list the missing versions and change nothing. Several processes may ' +
    'run it at the same time. A file is backed up first.',
  options: databaseOptions,
  examples: ['migrate --dry-run', 'migrate --database postgres://kith@db.example.com/kith'],
  async run(session, flags) {
    const { workspace, database } = await openWorkspaceFile(session, flags);
    const records = await workspace.migrate(database, session.globals.dryRun);
    if (records.length === 0) await session.messages.note('The schema is up to date.');
    return toRecordsResult(records, views.migrations);
  },
});

export const keys = [
  defineCommand({
    name: 'create',
    output: { records: ['key'] },
    effects: 'stores',
    summary: 'Create an API key for `kith serve`; it is shown once',
    args: { name: { summary: 'Key name' } },
    options: { readOnly: createFlag('Create a read-only key'), ...databaseOptions },
    examples: ['keys create cron --read-only', 'keys create trial --demo --quiet --jq .key'],
    async run(session, { name, readOnly, ...flags }) {
      if (name.trim() === '') throw new Failure('usage', 'NAME must not be empty.');
      const { workspace, database } = await openWorkspaceFile(session, flags);
      const record = await workspace.createKey(database, name, readOnly);
      await session.messages.note('Copy the key now; it will not be shown again.');
      return toRecordResult(record, views.newKey);
    },
  }),
  defineCommand({
    name: 'list',
    output: { records: ['key[]'] },
    effects: 'local',
    summary: 'List API keys, without their secrets',
    options: databaseOptions,
    examples: ['keys list'],
    async run(session, flags) {
      const workspace = await session.services.workspace();
      const records = await workspace.listKeys(await resolveDatabase(session, flags, { isReading: true }));
      const empty = 'There are no API keys. To create one, see: kith keys create --help';
      return toRecordsResult(records, views.keys, empty);
    },
  }),
  defineCommand({
    name: 'revoke',
    output: { records: ['key'] },
    effects: 'erases',
    exitCodes: [3],
    writingFlags: ['yes'],
    summary: 'Revoke an API key; takes effect immediately',
    args: { id: { summary: 'Key ID' } },
    options: databaseOptions,
    examples: ['keys revoke KEY_ID'],
    async run(session, { id, ...flags }) {
      const workspace = await session.services.workspace();
      const record = await workspace.revokeKey(await resolveDatabase(session, flags), id);
      return toRecordResult(record, views.keys);
    },
  }),
];
