import 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** An empty workspace file, for copies only. */
    empty: string;
    /** A workspace file with the sample, for copies only. */
    sample: string;
    /** A port that returns the URL of the shared PostgreSQL server, which starts for the first test. */
    postgres: number;
    /** Whether the tests run in CI, where every program that they need must be installed. */
    isCi: boolean;
  }
}
