import type { Source } from '../cli/context.ts';

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
    text: async () => {
      const { readAllText } = await import('../files/read-text.ts');
      return readAllText(open(), (what) => `What came on stdin is ${what}.`);
    },
    bytes: () => {
      isReading = true;
      return open();
    },
    isReading: () => isReading,
  };
}
