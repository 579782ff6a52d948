// jq-web has no types of its own. It throws an Error with `exitCode` and `stderr` if jq exits with a code other than 0.
declare module 'jq-web' {
  const jq: Promise<{
    /** stdout of jq, without its last line feed; undefined if there is none. */
    raw(json: string, filter: string, flags: readonly string[]): string | undefined;
  }>;
  export default jq;
}
