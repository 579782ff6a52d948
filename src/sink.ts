import { fstatSync, writeSync } from 'node:fs';
import { ClosedPipe, type Sink } from './cli/context.ts';

/** Bytes that any pipe has room for, so that nobody waits while they are written. */
const atOnce = 4096;

/**
 * A stream of this process, which is opened when it is needed: that takes two milliseconds. A short text goes to a
 * file or a pipe without it.
 */
export function sinkOf(file: 1 | 2, open: () => NodeJS.WriteStream): Sink {
  let opened: NodeJS.WriteStream | undefined;
  let room = fstatSync(file).isCharacterDevice() ? 0 : atOnce;
  const isPlain = room > 0;
  const stream = () => {
    // Without a listener an error that no write waits for would end the process.
    opened ??= open().on('error', () => {});
    return opened;
  };
  /** Gives what could not be written at once. */
  const left = (text: string): Uint8Array | string => {
    if (opened || text.length > room) return text;
    const bytes = Buffer.from(text);
    room -= bytes.length;
    try {
      return room < 0 ? bytes : bytes.subarray(writeSync(file, bytes));
    } catch {
      return bytes; // the stream waits for a reader, and tells why it cannot write
    }
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
    write: (text) =>
      new Promise((resolve, reject) => {
        const rest = left(text);
        if (rest.length === 0) return resolve();
        stream().write(rest, (error) => {
          if (!error) return resolve();
          const { code } = error as NodeJS.ErrnoException; // a stream of this process throws no other
          const gone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
          reject(gone ? new ClosedPipe() : error);
        });
      }),
  };
}
