/** The values that differ between two runs although the clock and the random numbers are the same. */
const values: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // The ports of commands that serve. The proxy keeps its port.
  [/(?<=\b(?:on|at|to) https?:\/\/127\.0\.0\.1:)\d+/g, 'PORT'],
  [/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'UUID'],
  [/(?<=responded in )\d+(?= ms)/g, 'N'],
  // Concurrent requests reuse a connection that happens to be free.
  [/(?<=^ {2}time: )(?:connect [\d.]+ ms|reused connection)/gm, 'CONNECTION'],
  [/\b\d[\d.]*(?= ms)(?<=^ {2}time: .*)/gm, 'N'],
  // The folder for the text of an editor.
  [/(?<=\btmp\/kith-)\w{6}(?=\/)/g, 'TEXT'],
  // SQLite creates the identity of a workspace.
  [/(?<=\bidentity '|"identity":\{"id":")[\da-f]{32}/g, 'IDENTITY'],
  // The state of a working copy and the search index contain times of the file system, inodes and durations.
  [/(?<="changed":)[\d.]+/g, 'MTIME'],
  [/(?<=key 'fingerprint', value ')\d+ \d+ [\d.]+/g, 'STATS'],
  [/(?<=key 'duration', value )\d+/g, 'N'],
  // The name cache numbers its records.
  [/(?<=^\w+: n )\d+(?=, noun )/gm, 'N'],
];

/** Replaces the values that differ in each run, and the folder and the commit of a build. */
export function normalize(text: string, build: { readonly folder: string; readonly commit: string }): string {
  const shared = text.replaceAll(build.folder, 'BUILD').replaceAll(build.commit, 'COMMIT');
  return values.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), shared);
}

/** The line of a picker that shows the typed text. */
const searchLabel = 'Search:';

/**
 * Returns the sorted texts that a terminal has shown, without repetitions, if they include a picker: it draws its lines
 * again when records arrive, at another time in each run.
 */
export function normalizeFrames(output: string): string {
  if (!output.includes(searchLabel)) return output;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that move the cursor, and those that do not
  const [moves, others] = [/[\r\n]|\u001b\[[\d;?]*[A-HJKhl]/, /\u001b\[[\d;?]*[a-zA-Z]/g];
  const pieces = output.split(moves).map((piece) => piece.replace(others, '').trim());
  const shown = pieces.filter((piece) => piece !== '' && !piece.includes(searchLabel));
  return [...new Set(shown)].sort().join('\n');
}
