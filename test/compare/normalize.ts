/** The values that differ between two runs although the clock and the random numbers are the same. */
const values: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // The ports of commands that serve. The proxy keeps its port.
  [/(?<=\b(?:on|at|to) https?:\/\/127\.0\.0\.1:)\d+/g, 'PORT'],
  [/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, 'UUID'],
  [/(?<=responded in )\d+(?= ms)/g, 'N'],
  [/\b\d[\d.]*(?= ms)(?<=^ {2}time: .*)/gm, 'N'],
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
