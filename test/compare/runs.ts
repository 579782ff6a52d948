import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandResult } from '../support/kith.ts';
import { type Build, type Service, startService } from './builds.ts';
import { type Chain, homeWord } from './chains.ts';
import type { Machine, Sample } from './machine.ts';
import { normalize, normalizeFrames } from './normalize.ts';
import { type ProxyFault, proxyFaults, type RecordedRequest, type RecordingProxy } from './proxy.ts';
import { runInPipe, runInTerminal } from './run-line.ts';
import type { CommandLine } from './test-lines.ts';

/** The result of one line, and the requests that it sent. */
export interface LineResult extends CommandResult {
  readonly requests: readonly RecordedRequest[];
}

/** The result of a chain. */
export interface ChainResult {
  readonly lines: readonly LineResult[];
  readonly files: ReadonlyMap<string, string>;
}

/** The faults of a mode: the faults of the proxy, and a service that fails all requests. */
export const faults = [...proxyFaults, 'down'] as const;
type Fault = (typeof faults)[number];

/** How a chain runs. */
export interface Mode {
  readonly name: string;
  readonly isTerminal?: boolean;
  /** Whether the workspace is behind a service. */
  readonly isServed?: boolean;
  readonly fault?: Fault;
}

const downFlags = ['--fault', '503:1,slow:5ms', '--seed', '7'];

/** Runs chains in one folder, one after the other. */
export class Runner {
  readonly #machine: Machine;
  readonly #proxy: RecordingProxy;
  readonly #url: string;
  readonly #sample: Sample;
  /** Services whose workspace is unchanged, by the folder of the build and their flags. */
  readonly #services = new Map<string, Service>();
  #started = 0;

  constructor(machine: Machine, proxy: RecordingProxy, url: string, sample: Sample) {
    this.#machine = machine;
    this.#proxy = proxy;
    this.#url = url;
    this.#sample = sample;
  }

  /** Runs a chain with a build. `server`: the build of the service. */
  async run(chain: Chain, mode: Mode, build: Build, server = build): Promise<ChainResult> {
    const machine = this.#machine;
    machine.setClock(0);
    const isDown = mode.fault === 'down';
    const serverName = [server.folder, isDown].join();
    const service = mode.isServed ? await this.#openService(server, serverName, isDown) : undefined;
    this.#proxy.connect(service?.url, isDown ? undefined : (mode.fault as ProxyFault | undefined));
    const env = machine.reset(build, this.#sample, service && this.#url);
    if (/\b(un|re)do\b/.test(JSON.stringify(chain.lines))) env.KITH_UNDO = 'on';
    const lines: LineResult[] = [];
    for (const [index, line] of chain.lines.entries()) {
      this.#proxy.setClock(machine.setClock(index + 1));
      const run = mode.isTerminal ? runInTerminal : runInPipe;
      const filled = fillAddresses(line, machine.home, service && this.#url);
      const { code, out, err } = await run(filled, { env, cwd: machine.home });
      const requests = this.#proxy.take().map((one) => ({ ...one, text: normalize(one.text, build) }));
      const shown = mode.isTerminal ? normalizeFrames(out) : out;
      lines.push({ code, out: normalize(shown, build), err: normalize(err, build), requests });
    }
    if (service && lines.some(({ requests }) => requests.some(({ text }) => !text.startsWith('GET ')))) {
      service.stop();
      this.#services.delete(serverName);
    }
    return { lines, files: machine.collectFiles(build) };
  }

  close(): void {
    for (const service of this.#services.values()) service.stop();
    this.#proxy.close();
  }

  async #openService(build: Build, name: string, isDown: boolean): Promise<Service> {
    const known = this.#services.get(name);
    if (known) return known;
    const { preload, slot } = this.#machine;
    this.#started += 1;
    const database = join(slot, `service-${this.#started}.sqlite`);
    cpSync(this.#sample.file, database);
    const flags = isDown ? downFlags : [];
    const service = await startService(build, { preload, database, flags });
    const stop = () => {
      service.stop();
      for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });
    };
    this.#services.set(name, { ...service, stop });
    return service;
  }
}

/** Inserts the path of the home folder, and the URL of the service for the one in the examples. */
function fillAddresses(line: CommandLine, home: string, url: string | undefined): CommandLine {
  const fill = (text: string) =>
    text.replaceAll(homeWord, home).replaceAll('https://crm.example.com', url ?? 'https://crm.example.com');
  return {
    ...line,
    ...(line.words && { words: line.words.map(fill) }),
    ...(line.shell !== undefined && { shell: fill(line.shell) }),
  };
}
