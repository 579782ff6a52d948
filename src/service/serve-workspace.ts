import type { ServeOptions } from '../contract/workspace.ts';
import { createService } from './dispatch.ts';
import { listKeys } from './keys.ts';
import { rateLimit } from './rate-limit.ts';
import { serve } from './serve.ts';
import type { Machine } from './workspace.ts';
import { checkExists, checkRegion, storeRegion, using } from './workspace-file.ts';

/** Serves the workspace in a file until the signal is aborted. Throws `failed` without the file, and as `serve` does. */
export async function serveWorkspace(file: string, options: ServeOptions, machine: Machine): Promise<void> {
  checkExists(file);
  const { signal, onListening, region, perMinute } = options;
  await checkRegion(region);
  const { now, newId, version, log } = machine;
  await using(file, async (db) => {
    await storeRegion(db, region);
    const shell = {
      db,
      service: createService({ db, now, log }),
      log,
      newId,
      version,
      rateLimit: perMinute === undefined ? undefined : rateLimit(perMinute, now),
    };
    const serving = await serve(shell, options);
    const keys = (await listKeys(db)).filter(({ revoked_at }) => revoked_at === null);
    onListening(serving.url, keys.length);
    if (!signal.aborted) await new Promise((stop) => signal.addEventListener('abort', stop, { once: true }));
    await serving.stop();
  });
}
