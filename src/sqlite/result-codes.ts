/** The result codes of SQLite that have a meaning here, with the text of each. */
export const resultTexts: Readonly<Record<number, string>> = {
  5: 'database is locked',
  8: 'attempt to write a readonly database',
  10: 'disk I/O error',
  11: 'database disk image is malformed',
  13: 'database or disk is full',
  14: 'unable to open database file',
  26: 'file is not a database',
};

/** Returns the result code of an SQLite error; undefined for any other error. */
export function readResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // The low byte is the result; the others say during what.
  if ('errcode' in error) return Number(error.errcode) & 0xff;
  // Errors of all() in @photostructure/sqlite have only a text.
  const code = Object.keys(resultTexts).find((code) => resultTexts[Number(code)] === error.message);
  return code === undefined ? undefined : Number(code);
}
