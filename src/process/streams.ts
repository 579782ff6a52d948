import { constants, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { ClosedPipeError, getErrorCode } from '../contract/errors.ts';

export interface OutputStream {
  readonly isTerminal: boolean;
  /** Width of the terminal in characters. */
  readonly columns: number | undefined;
  /** Whether another program reads it. */
  readonly isPipe?: boolean;
  /** Height of the terminal in lines. */
  readonly rows: number | undefined;
  /**
   * Resolves when the text is written; rejects with `ClosedPipeError` if the reader has closed the pipe. With `latin1`
   * each character is one byte.
   */
  write(text: string, encoding?: 'utf8' | 'latin1'): Promise<void>;
}

export interface InputStream {
  readonly isTerminal: boolean;
  /** Reads it to the end, by default as UTF-8. */
  text(decode?: (bytes: Buffer) => string): Promise<string>;
  /** Reads it in chunks. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** The first bytes of the output, which are written without opening a stream of Node. */
const directLimit = 4096;

/** Opens a file, a pipe or /dev/null for writes that do not block; undefined for anything else. */
function openDirect(file: 1 | 2): number | undefined {
  const stats = fstatSync(file);
  if (stats.isFile() || isNullDevice(stats)) return file;
  try {
    if (!stats.isFIFO()) return undefined;
    return openSync(`/proc/self/fd/${file}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}

function isNullDevice(stats: Stats): boolean {
  return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** Returns the number of bytes written; 0 if the write fails or would block. */
function tryWrite(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    return 0;
  }
}

/** V8 encodes ASCII faster as Latin-1, which has the same bytes. */
const chooseEncoding = (text: string) => (Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8');

/** Creates an output stream of this process. Opens the stream of Node only for long texts and terminals. */
export function createOutput(file: 1 | 2, open: () => NodeJS.WriteStream): OutputStream {
  const stats = fstatSync(file);
  const isTerminal = stats.isCharacterDevice() && !isNullDevice(stats);
  let openedStream: NodeJS.WriteStream | undefined;
  let descriptor: number | undefined;
  let remainingBytes = directLimit;
  // Without a listener, an error outside a write would end the process.
  const openStream = () => (openedStream ??= open().on('error', () => {}));
  const writeStream = (bytes: Uint8Array | string, encoding: BufferEncoding = 'utf8') =>
    new Promise<void>((resolve, reject) => {
      openStream().write(bytes, encoding, (error) => {
        if (!error) return resolve();
        const isClosed = ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(getErrorCode(error));
        reject(isClosed ? new ClosedPipeError() : error);
      });
    });
  return {
    get isTerminal() {
      return isTerminal && Boolean(openStream().isTTY);
    },
    isPipe: stats.isFIFO() || stats.isSocket(),
    // 0 means that the size of the terminal is unknown.
    get columns() {
      return isTerminal ? openStream().columns || undefined : undefined;
    },
    get rows() {
      return isTerminal ? openStream().rows || undefined : undefined;
    },
    write: async (text, encoding = chooseEncoding(text)) => {
      if (text === '') return;
      // Once the stream is open, it keeps the order of the writes.
      if (isTerminal || openedStream || text.length > remainingBytes) return writeStream(text, encoding);
      descriptor ??= openDirect(file);
      if (descriptor === undefined) return writeStream(text, encoding);
      const bytes = Buffer.from(text, encoding);
      remainingBytes -= bytes.length;
      const count = tryWrite(descriptor, bytes);
      // The stream waits for a slow reader, or reports the error.
      if (count < bytes.length) await writeStream(bytes.subarray(count));
    },
  };
}

/** Creates the input stream of this process, opened on first use. `isReading`: a command is reading `bytes`. */
export function createInput(open: () => NodeJS.ReadStream) {
  let isReading = false;
  return {
    get isTerminal() {
      return Boolean(open().isTTY);
    },
    text: async (decode?: (bytes: Buffer) => string) => {
      const { readAllText } = await import('../files/read-file.ts');
      return readAllText(open(), (problem) => `The input on stdin is ${problem}.`, decode);
    },
    bytes: () => {
      isReading = true;
      return open();
    },
    isReading: () => isReading,
  };
}
