import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { identifyProfile } from '../../../src/settings/connection.ts';
import { writeNames } from '../../../src/settings/name-cache.ts';
import { resolveSettingsFolder } from '../../../src/settings/paths.ts';
import { requireProgram } from '../../process/programs.ts';
import { writeStoredSettings } from '../../support/kith.ts';
import * as bash from './bash.ts';
import * as fish from './fish.ts';
import { createSignedOutEnvironment } from './machine.ts';
import * as zsh from './zsh.ts';

/** Starts a server that does not respond and counts connections. */
async function startCountingServer(): Promise<{ server: Server; url: string; countCalls: () => number }> {
  let countCalls = 0;
  const server = createServer((socket) => {
    countCalls += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { server, url: `http://127.0.0.1:${port}`, countCalls: () => countCalls };
}

/** An environment that is signed in to a hosted workspace, with some cached lists. */
function createHostedEnvironment(url: string) {
  const environment = createSignedOutEnvironment();
  const workProfile = { base_url: url, api_key: 'kith_0123456789' };
  const settings = { active: 'work', profiles: { work: workProfile } };
  const { env } = environment;
  writeStoredSettings(resolveSettingsFolder(env), settings);
  const cache = { env, workspace: identifyProfile(workProfile) };
  writeNames(cache, [{ noun: 'lists', records: [{ id: 'p1q2r3', names: ['Sales pipeline'] }] }]);
  return environment;
}

const lines = ['kith entries add ', 'kith auth switch '];
const knownCandidates = {
  'kith entries add ': ['Sales pipeline', 'p1q2r3'],
  'kith auth switch ': ['work'],
};
const noCandidates = { 'kith entries add ': [], 'kith auth switch ': [] };

describe.each([
  ['bash', bash.completeInDriver],
  ['zsh', zsh.completeInDriver],
  ['fish', fish.completeInDriver],
])('%s', (shell, offers) => {
  beforeEach(requireProgram(shell));

  test('completes from cached names and sends no request, whether the server is up or down', async () => {
    const { server, url, countCalls } = await startCountingServer();
    const environment = createHostedEnvironment(url);
    expect(await offers(lines, environment)).toEqual({ err: '', offers: knownCandidates });
    server.close();
    expect(await offers(lines, environment)).toEqual({ err: '', offers: knownCandidates });
    expect(countCalls()).toBe(0);
  });

  test('offers nothing and prints nothing if the settings cannot be read', async () => {
    const environment = createSignedOutEnvironment();
    writeFileSync(join(environment.settings, 'config.json'), '{');
    expect(await offers(lines, environment)).toEqual({ err: '', offers: noCandidates });
  });
});
