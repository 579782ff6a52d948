import type { Source } from './cli/context.ts';
import { Failure } from './contract/errors.ts';

/** A source of this process. */
interface ProcessSource extends Source {
  /** Whether somebody reads it as it comes. */
  readonly isReading: () => boolean;
}

/** A stream of this process as a source; it is opened when it is first looked at. */
export function sourceOf(open: () => NodeJS.ReadStream): ProcessSource {
  let isReading = false;
  return {
    get isTerminal() {
      return Boolean(open().isTTY);
    },
    text: () => textOf(open()),
    bytes: () => {
      isReading = true;
      return open();
    },
    isReading: () => isReading,
  };
}

async function textOf(stream: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Failure('usage', 'What came on stdin is not UTF-8.', { cause: error });
  }
}
