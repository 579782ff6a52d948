/** The code of an error of Node, such as `ENOENT`; empty where it has none. */
export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
