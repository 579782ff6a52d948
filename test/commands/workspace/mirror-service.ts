import { onTestFinished } from 'vitest';
import type { WireRequest } from '../../../src/contract/grammar.ts';
import type { Service } from '../../../src/service/dispatch.ts';
import { createKey } from '../../../src/service/http/keys.ts';
import { startServer } from '../../../src/service/http/server.ts';
import { plainOptions } from '../../service/server.ts';
import { openTestWorkspace } from '../../service/service.ts';
import {
  createMachine,
  createSampleWorkspace,
  createTemporaryFolder,
  type MachineOptions,
  writeStoredSettings,
} from '../../support/kith.ts';

/** Serves a workspace file over HTTP, by default the sample, and signs a machine in to it as the profile `work`. */
export async function startHostedMachine(file = createSampleWorkspace()) {
  const workspace = await openTestWorkspace(file);
  const { db } = workspace;
  workspace.clock.time = new Date().toISOString();
  const requests: string[] = [];
  const settings: { beforeRequest?: (request: WireRequest) => void | Promise<void> } = {};
  const service: Service = async (request, caller) => {
    const query = request.query.map(([name, value]) => `${name}=${value}`).join('&');
    requests.push(`${request.method} ${request.path}?${query}`);
    await settings.beforeRequest?.(request);
    return workspace.service(request, caller);
  };
  const { key } = await createKey(db, { name: 'work', readOnly: false }, new Date());
  const shell = { db, service, newId: () => 'made-here', version: '0.0.0', log: () => {} };
  const { url, stop } = await startServer(shell, plainOptions);
  let isStopped = false;
  const stopService = async () => {
    if (!isStopped) await stop();
    isStopped = true;
  };
  onTestFinished(stopService);
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  writeStoredSettings(folder, { active: 'work', profiles: { work: { base_url: url, api_key: key } } });
  const kith = (line: string | readonly string[], options?: MachineOptions) => machine(line, options);
  return { ...workspace, kith, folder, requests, key, url, stopService, settings };
}

/** Returns the requests of some work. */
export async function collectRequests(requests: readonly string[], work: () => Promise<unknown>) {
  const start = requests.length;
  await work();
  return requests.slice(start);
}
