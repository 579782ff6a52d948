import { constants, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs';
import { ClosedPipeError, type InputStream, type OutputStream } from '../cli/context.ts';
import { getErrorCode } from '../contract/errors.ts';

/** Bytes for which a stream is not worth its opening. */
const short = 4096;

/**
 * A descriptor for what a file or a pipe takes without waiting: nobody hears a signal in a write that waits for a
 * reader. Linux opens a pipe anew, with flags of its own. Undefined where there is none.
 */
function unwaiting(file: 1 | 2): number | undefined {
  const kind = fstatSync(file);
  if (kind.isFile() || isNull(kind)) return file;
  try {
    return kind.isFIFO()
      ? openSync(`/proc/self/fd/${file}`, constants.O_WRONLY | constants.O_NONBLOCK)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is the device that takes all and keeps nothing. */
function isNull(kind: Stats): boolean {
  return kind.isCharacterDevice() && kind.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/** Text of ASCII alone is the same in Latin-1, which the engine writes in a third of the time, and in less memory. */
function encodingOf(rest: Uint8Array | string): 'latin1' | 'utf8' {
  return typeof rest === 'string' && Buffer.byteLength(rest) === rest.length ? 'latin1' : 'utf8';
}

/** Bytes that are written now; none where it fails, or would wait. */
function writtenNow(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    return 0;
  }
}

/**
 * A stream of this process, which is opened when it is needed: that takes two milliseconds. A short text goes to a
 * file, a pipe or nowhere without it.
 */
export function createOutput(file: 1 | 2, open: () => NodeJS.WriteStream): OutputStream {
  let opened: NodeJS.WriteStream | undefined;
  let room = short;
  let quick: number | undefined;
  const kind = fstatSync(file);
  const isPlain = !kind.isCharacterDevice() || isNull(kind);
  const stream = () => {
    // Without a listener an error that no write waits for would end the process.
    opened ??= open().on('error', () => {});
    return opened;
  };
  const throughStream = (rest: Uint8Array | string, encoding = encodingOf(rest)) =>
    new Promise<void>((resolve, reject) => {
      stream().write(rest, encoding, (error) => {
        if (!error) return resolve();
        const gone = ['EPIPE', 'ERR_STREAM_DESTROYED'].includes(getErrorCode(error));
        reject(gone ? new ClosedPipeError() : error);
      });
    });
  // Up to the first text that waits all is written at once, and from there on the stream keeps the order.
  const put: OutputStream['write'] = async (text, encoding = encodingOf(text)) => {
    if (!isPlain || opened || text.length > room) return throughStream(text, encoding);
    quick ??= unwaiting(file);
    if (quick === undefined) return throughStream(text, encoding);
    const bytes = Buffer.from(text, encoding);
    room -= bytes.length;
    const taken = writtenNow(quick, bytes);
    // The stream waits for a reader, and tells why it cannot write.
    if (taken < bytes.length) await throughStream(bytes.subarray(taken));
  };
  return {
    get isTerminal() {
      return !isPlain && Boolean(stream().isTTY);
    },
    // A terminal that does not know its size has none.
    get columns() {
      return isPlain ? undefined : stream().columns || undefined;
    },
    get rows() {
      return isPlain ? undefined : stream().rows || undefined;
    },
    write: async (text, encoding) => {
      if (text !== '') await put(text, encoding);
    },
  };
}

/** A source of this process. */
interface ProcessSource extends InputStream {
  /** Whether somebody reads it as it comes. */
  readonly isReading: () => boolean;
}

/** A stream of this process as a source; it is opened when it is first looked at. */
export function createInput(open: () => NodeJS.ReadStream): ProcessSource {
  let isReading = false;
  return {
    get isTerminal() {
      return Boolean(open().isTTY);
    },
    text: async () => {
      const { readAllText } = await import('../files/read-file.ts');
      return readAllText(open(), (what) => `What came on stdin is ${what}.`);
    },
    bytes: () => {
      isReading = true;
      return open();
    },
    isReading: () => isReading,
  };
}
