import { setMaxListeners } from 'node:events';
import type { Client, RecordObserver, RequestInterceptor } from '../client/client.ts';
import type { Transport } from '../client/delivery.ts';
import type { WireRequest } from '../contract/grammar.ts';
import { sanitize } from '../render/text/sanitize.ts';
import { redactionMark } from '../settings/redaction.ts';
import { once } from '../values/concurrency.ts';
import type { ContinuedLog, LogSubject } from '../writes/log.ts';
import type { Recorder } from '../writes/recorder.ts';
import type { Guards, Session } from './command/context.ts';
import { observeRequests } from './progress/observe-requests.ts';
import type { Run } from './run-resources.ts';

/** The parts that the clients of all sessions of a command share. */
export interface ClientSettings {
  readonly run: Run;
  readonly isDebug: boolean;
  /** Returns the transport to the workspace in use. */
  readonly openTransport: () => Promise<Transport>;
  /** Aborted when no further write may begin. If omitted, the signal of the session also ends its requests. */
  readonly stopSignal?: AbortSignal;
}

/** Functions that receive the writes and the records of a client. */
interface ClientHooks {
  readonly interceptWrite?: RequestInterceptor;
  readonly onRecords?: RecordObserver;
}

/** Creates the clients of a session, and the recorders of their writes. */
export class SessionClients {
  readonly #getSession: () => Session;
  readonly #settings: ClientSettings;
  readonly #attempts: number | undefined;
  #endSignal: AbortSignal | undefined;

  /** `attempts`: per request; if omitted, as the flags say. */
  constructor(getSession: () => Session, settings: ClientSettings, attempts: number | undefined) {
    this.#getSession = getSession;
    this.#settings = settings;
    this.#attempts = attempts;
  }

  /** Returns the signal that is aborted when the session's work or the run ends. */
  getEndSignal(): AbortSignal {
    this.#endSignal ??= combineSignals(this.#getSession().signal, this.#settings.run.endSignal);
    return this.#endSignal;
  }

  async createClient(transport: Transport, { interceptWrite, onRecords }: ClientHooks = {}): Promise<Client> {
    const { run, isDebug } = this.#settings;
    const { signal, globals, guards, preferences, messages, terminal, references } = this.#getSession();
    const { stderr } = run.streams;
    const checkWrite = globals.dryRun ? refuseWrite : messages.profileNotice.beforeWrite;
    run.transports.add(transport);
    const { retries, maxWait, pageSize } = await preferences();
    return run.context.services.createClient({
      signal,
      getEndSignal: () => this.getEndSignal(),
      transport: checkRequests(transport, guards, checkWrite),
      retryPolicy: {
        retries: this.#attempts === undefined ? retries : this.#attempts - 1,
        maxWait: maxWait * 1000,
      },
      pageSize,
      intercept: (request, send) =>
        references.pathIds.send(request, (request) =>
          interceptWrite && request.method !== 'GET' ? interceptWrite(request, send) : send(request),
        ),
      observe: observeRequests(terminal.activity),
      onRecords,
      trace: (line) => void (isDebug && stderr.write(`kith: ${sanitize(line)}\n`)),
    });
  }

  /** Opens a client of the workspace in use. `subject`: the command in the log of its writes. */
  async createRecordingClient(subject: LogSubject, isByDefault?: boolean): Promise<Client> {
    const transport = await this.#settings.openTransport();
    const openRecorder = once(async () => {
      const { openRecorder } = await import('./change-log.ts');
      return openRecorder(this.#getSession(), subject, await this.#openDependencies(transport), isByDefault);
    });
    const interceptWrite: RequestInterceptor = async (request, send) => {
      const recorder = await openRecorder();
      return recorder.intercept(request, () => {
        this.#settings.stopSignal?.throwIfAborted(); // the recorder may have read for a long time
        return send(request);
      });
    };
    return this.createInterceptedClient(interceptWrite);
  }

  /** Opens a client of the workspace in use that passes each write to an interceptor. */
  async createInterceptedClient(interceptWrite?: RequestInterceptor): Promise<Client> {
    const transport = await this.#settings.openTransport();
    const { names, pathIds } = this.#getSession().references;
    const onRecords: RecordObserver = (...received) => names.add(...received, pathIds);
    return this.createClient(transport, { ...(interceptWrite && { interceptWrite }), onRecords });
  }

  async createRecorder(subject: LogSubject, interruptedCommand?: ContinuedLog): Promise<Recorder> {
    const { openRequiredRecorder } = await import('./change-log.ts');
    const dependencies = await this.#openDependencies(await this.#settings.openTransport());
    return openRequiredRecorder(this.#getSession(), subject, dependencies, interruptedCommand);
  }

  async #openDependencies(transport: Transport) {
    const { redactor } = this.#settings.run;
    // Responses are redacted already.
    const hasSecret = (text: string) => redactor.redact(text).includes(redactionMark);
    return { client: await this.createClient(transport), hasSecret };
  }
}

/** Returns a signal that is aborted when either signal is. */
export function combineSignals(first: AbortSignal, second: AbortSignal): AbortSignal {
  const signal = AbortSignal.any([first, second]);
  setMaxListeners(0, signal); // each pending request adds a listener
  return signal;
}

/** Returns a transport that asks the guards before each request, and calls `check` before each write. */
function checkRequests(
  transport: Transport,
  guards: Guards,
  check: (request: WireRequest) => Promise<void>,
): Transport {
  return {
    ...transport,
    send: async (request, signal) => {
      const admission = await guards.admit(request);
      if (request.method !== 'GET') await check(request);
      const response = await transport.send(request, signal);
      await admission.done(response.status);
      return response;
    },
  };
}

/** Protects --dry-run against a command that ignores the flag. */
async function refuseWrite({ method }: WireRequest): Promise<void> {
  throw new Error(`--dry-run would have sent a ${method}`);
}
