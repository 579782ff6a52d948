import type { ServeOptions } from '../../contract/workspace.ts';
import type { Database } from '../db/database.ts';
import { checkExists, withWorkspace } from '../db/workspace-file.ts';
import { createService, type Service } from '../dispatch.ts';
import { checkRegion, storeRegion } from '../records/region.ts';
import type { Machine } from '../workspace.ts';
import { listKeys } from './keys.ts';
import { createRateLimit } from './rate-limit.ts';
import { startServer } from './server.ts';

/** Serves the workspace in a file until the signal is aborted. Throws `failed` without the file, and as `serve` does. */
export async function serveWorkspace(file: string, options: ServeOptions, machine: Machine): Promise<void> {
  checkExists(file);
  await checkRegion(options.region);
  const serveWith = async (writing: Database) => {
    await storeRegion(writing, options.region);
    await withWorkspace(file, (reading) => served(reading, writing, options, machine));
  };
  await withWorkspace(file, serveWith, machine.log);
}

/** Serves it by two connections: a write that waits for another process holds up no read. */
async function served(
  reading: Database,
  writing: Database,
  options: ServeOptions,
  { now, newId, version, log }: Machine,
): Promise<void> {
  const { signal, onListening, perMinute, isLenient } = options;
  const reads = createService({ db: reading, now, log });
  const writes = createService({ db: writing, now, log, isLenient });
  const service: Service = (request, caller) => (request.method === 'GET' ? reads : writes)(request, caller);
  const shell = {
    db: reading,
    service,
    log,
    newId,
    version,
    rateLimit: perMinute === undefined ? undefined : createRateLimit(perMinute, now),
  };
  const serving = await startServer(shell, options);
  const keys = (await listKeys(reading)).filter(({ revoked_at }) => revoked_at === null);
  onListening(serving.url, keys.length);
  if (!signal.aborted) await new Promise((stop) => signal.addEventListener('abort', stop, { once: true }));
  await serving.stop();
}
