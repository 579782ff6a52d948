import 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A workspace file that is empty. To be copied, not written. */
    empty: string;
    /** A workspace file with the sample. To be copied, not written. */
    sample: string;
    /** The tests run in CI, where every program that they need must be installed. */
    isCi: boolean;
  }
}
