import { fstatSync, write } from 'node:fs';
import { ClosedPipe, type Sink } from './cli/context.ts';

/** Bytes for which a stream is not worth its opening. */
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
  const throughStream = (rest: Uint8Array | string) =>
    new Promise<void>((resolve, reject) => {
      stream().write(rest, (error) => {
        if (!error) return resolve();
        const { code } = error as NodeJS.ErrnoException; // a stream of this process throws no other
        const gone = code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
        reject(gone ? new ClosedPipe() : error);
      });
    });
  const put = async (text: string) => {
    if (opened || text.length > room) return throughStream(text);
    const bytes = Buffer.from(text);
    room -= bytes.length;
    // Not at once: a pipe may be full of what others wrote, and a signal is heard meanwhile.
    const taken = await new Promise<number>((resolve) =>
      write(file, bytes, (_, count = 0) => resolve(count)),
    );
    // The stream waits for a reader, and tells why it cannot write.
    if (taken < bytes.length) await throughStream(bytes.subarray(taken));
  };
  let last: Promise<unknown> = Promise.resolve();
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
    write: (text) => {
      if (text === '') return Promise.resolve();
      const written = last.then(() => put(text));
      last = written.catch(() => {});
      return written;
    },
  };
}
