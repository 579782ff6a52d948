// jq-web has no types of its own. It throws an Error with `exitCode` and `stderr` where jq ends with another code
// than 0.
declare module 'jq-web' {
  const jq: Promise<{
    /** stdout of jq, without its last line feed; undefined where it gave nothing. */
    raw(json: string, filter: string, flags: readonly string[]): string | undefined;
  }>;
  export default jq;
}
