import 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** A workspace file with the sample. To be copied, not written. */
    sample: string;
  }
}
