import type { Transport } from '../client/delivery.ts';
import type { OutputStream } from '../process/streams.ts';
import { readMachineSecrets } from '../settings/connection.ts';
import type { Environment } from '../settings/paths.ts';
import { createRedactor } from '../settings/redaction.ts';
import { longWork, yieldToSignals } from '../values/concurrency.ts';
import { type Context, wrapOutput } from './command/context.ts';
import { findPasswords } from './connect/secrets.ts';
import { Activity } from './progress/activity.ts';

/** The resources of one run: redacting streams, the transports to close, and a signal that ends with the run. */
export type Run = ReturnType<typeof createRun>;

/** Creates a run of a command line on a context. `getWords`: its words, once an alias is expanded. */
export function createRun(context: Context, getWords: () => readonly string[] = () => []) {
  const { streams, runtime } = context;
  const redactor = createRedactor(() => [...readMachineSecrets(runtime.env), ...findPasswords(getWords())]);
  const redactOutput = (stream: OutputStream) =>
    wrapOutput(stream, async (text, encoding) => {
      if (text.length >= longWork.text) await yieldToSignals(runtime.signal);
      await stream.write(redactor.redact(text), encoding);
    });
  const openOutput = (stream: OutputStream) => setWidth(redactOutput(stream), runtime.env);
  const [stdout, stderr] = [openOutput(streams.stdout), openOutput(streams.stderr)];
  /** Opens a file for output. `mode`: that of a new file. `commit` replaces the file; `discard` leaves it as it was. */
  const openFile = async (path: string, mode?: number) => {
    const { openOutputFile } = await import('../files/output-file.ts');
    const { write, commit, discard } = openOutputFile(path, runtime.lockHolder.pid, mode);
    const file: OutputStream = {
      isTerminal: false,
      columns: undefined,
      rows: undefined,
      write: async (...text) => write(...text),
    };
    return { output: openOutput(file), commit, discard };
  };
  const activity = new Activity({ stdout, stderr, env: runtime.env, clock: runtime.progressClock });
  const shareTerminal = (stream: OutputStream) =>
    wrapOutput(stream, (text, encoding) => {
      activity.yieldTo(stream, text);
      return stream.write(text, encoding);
    });
  const transports = new Set<Transport>();
  const end = new AbortController();
  const closers: (() => void)[] = [];
  return {
    context,
    streams: { ...streams, stdout: shareTerminal(stdout), stderr: shareTerminal(stderr) },
    activity,
    redactor,
    redactOutput,
    openFile,
    transports,
    ...createFlagReader(getWords, runtime.env),
    /** The notes and warnings of a run that prints JSON, for its envelope or its error. */
    warnings: [] as string[],
    isDebug: !['', '0', undefined].includes(runtime.env.KITH_DEBUG),
    endSignal: end.signal,
    /** Adds work for the end of the run. */
    onClose: (work: () => void) => void closers.push(work),
    close: async () => {
      activity.close();
      end.abort();
      for (const work of closers) work();
      await Promise.all(Array.from(transports, (transport) => transport.close()));
    },
  };
}

/** Returns the stream with the width of COLUMNS, if it is set. */
function setWidth(stream: OutputStream, { COLUMNS = '' }: Environment): OutputStream {
  if (!/^[1-9]\d{0,3}$/.test(COLUMNS)) return stream;
  return Object.create(stream, { columns: { value: Number(COLUMNS), enumerable: true } });
}

/** Returns functions that read the flags, even if the command line is invalid. */
const createFlagReader = (getWords: () => readonly string[], env: Environment) => {
  const getFlags = () => {
    const words = getWords();
    const end = words.indexOf('--');
    return end < 0 ? words : words.slice(0, end);
  };
  /** Whether stderr gets one JSON object if the run fails, and nothing else. */
  const printsJson = () => wantsJson(getFlags(), env);
  return { getFlags, printsJson };
};

function wantsJson(flags: readonly string[], { KITH_JSON }: Environment): boolean {
  const formats = flags.flatMap((word, index) => {
    if (word === '--format') return [flags[index + 1]];
    return word.startsWith('--format=') ? [word.slice('--format='.length)] : [];
  });
  const hasFlag = flags.some((word, index) =>
    word === 'json'
      ? /^(?:-o|--output)$/.test(flags[index - 1] ?? '')
      : /^(?:--json|--json-envelope|-ojson|--output=json)$/.test(word),
  );
  // A format flag overrides the variable.
  return hasFlag || formats.includes('json') || (KITH_JSON === 'envelope' && formats.length === 0);
}
