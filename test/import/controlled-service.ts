import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type ReceivedRequest, sendJson, startTestService } from '../client/loopback.ts';
import { openTestWorkspace } from '../service/service.ts';
import { createMachine, createTemporaryFolder, type MachineOptions } from '../support/kith.ts';

/** The body of a process of contacts. */
export const funnel = {
  name: 'Funnel',
  process: true,
  entry_type: 'Contact',
  identifier: 'FUN',
  duplicates_allowed: true,
  statuses: [
    { name: 'Lead', type: 'active' },
    { name: 'Won', type: 'won' },
  ],
  fields: [{ name: 'Tier', data_type: 'text' }],
};

/** Hooks with which a test changes how requests are handled. */
export interface RequestControl {
  /** Called before the service handles a request. Returns whether it sent a response. */
  before: (requests: ReceivedRequest, response: ServerResponse) => Promise<boolean> | boolean;
  /** Called after the service handled a request, before the response is sent. Returns whether to drop the response. */
  after: (requests: ReceivedRequest, response: ServerResponse) => Promise<boolean> | boolean;
  /** Milliseconds before a response is sent. */
  delay: number;
  /** Whether records have entity tags, which writes may name in If-Match. */
  hasTags: boolean;
}

/** Disturbs all requests that a test selects: if `respond` is omitted, their connection breaks. */
export function disturb(
  control: RequestControl,
  hook: 'before' | 'after',
  isHit: (request: ReceivedRequest) => boolean,
  respond: (response: ServerResponse) => unknown = (response) => response.destroy(),
): void {
  control[hook] = (request, response) => {
    const isDisturbed = isHit(request);
    if (isDisturbed) respond(response);
    return isDisturbed;
  };
}

/** Loses the response to the first write that a test selects, and the requests after it, which would look it up. */
export function loseConnection(control: RequestControl, isLost: (request: ReceivedRequest) => boolean): void {
  control.after = (request, response) => {
    if (!isLost(request)) return false;
    control.before = (_, laterResponse) => {
      laterResponse.destroy();
      return true;
    };
    response.destroy();
    return true;
  };
}

/** Lets all requests succeed again. */
export function restoreConnection(control: RequestControl): void {
  control.before = () => false;
  control.after = () => false;
}

/** Starts the real service on its own workspace; a test can intercept its requests. */
export async function startControlledService(file?: string) {
  const { call, sendOk, create, clock, service } = await openTestWorkspace(file);
  // kith compares the times of records with those of its own commands.
  clock.time = new Date().toISOString();
  const control: RequestControl = { before: () => false, after: () => false, delay: 0, hasTags: false };
  const { url, env, requests, receiveRemaining } = await startTestService(async (received, response) => {
    if (await control.before(received, response)) return;
    const body = received.body === '' ? undefined : JSON.parse(received.body);
    const { method, url, headers: requestHeaders } = received;
    const { pathname: path, searchParams } = new URL(url, 'http://service');
    const ifMatch = requestHeaders['if-match'];
    const {
      status,
      headers,
      body: responseBody,
    } = control.hasTags
      ? await service({ method, path, query: [...searchParams], body, ifMatch })
      : await call(`${method} ${url}`, body);
    if (control.delay > 0) await wait(control.delay);
    if (await control.after(received, response)) return;
    sendJson(response, status, responseBody, headers);
  });
  let seenCount = 0;
  const takeRequests = () => {
    const recent = requests.slice(seenCount);
    seenCount = requests.length;
    return recent.map(({ method, url, body }) => `${method} ${decodeURIComponent(url)}${body && ` ${body}`}`);
  };
  return {
    env,
    url,
    clock,
    call,
    sendOk,
    create,
    control,
    receiveRemaining,
    /** Returns the requests since the last call. */
    takeRequests,
    /** Returns the writing requests since the last call. */
    takeWrites: () => takeRequests().filter((line) => !line.startsWith('GET')),
  };
}

/** Starts such a service, and a machine that uses it. `more`: other variables of its environment. */
export async function startControlledMachine(more: Readonly<Record<string, string>> = {}, file?: string) {
  const service = await startControlledService(file);
  const folder = createTemporaryFolder();
  const machine = createMachine(folder);
  const env = { ...service.env, ...more };
  const kith = (line: string | readonly string[], options: MachineOptions = {}) =>
    machine(line, { ...options, env: { ...env, ...options.env } });
  return { ...service, env, folder, kith };
}
