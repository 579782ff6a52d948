import { statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { readStoredKeys } from '../../settings/connection.ts';
import { type Environment, resolveSettingsFile } from '../../settings/paths.ts';
import { quoteShellWord } from '../../values/text.ts';

/** A key that other users can read or replace, and the command that prevents it. */
interface ExposedKey {
  readonly found: string;
  readonly advice: string;
}

/** Returns the files and folders with keys that other users can access. */
export function findExposedKeys(env: Environment): ExposedKey[] {
  // Windows has no file modes.
  if (sep === '\\') return [];
  const settings = resolveSettingsFile(env);
  const folder = dirname(settings);
  const hasKeys = readMode(settings) !== undefined && readStoredKeys(env).length > 0;
  const keyFile = env.KITH_API_KEY_FILE;
  return [
    ...(hasKeys && hasMode(settings, 0o077) ? [describeReadableFile(settings)] : []),
    ...(keyFile && hasMode(keyFile, 0o077) ? [describeReadableFile(keyFile)] : []),
    ...(hasKeys && hasMode(folder, 0o022) && !isSticky(folder)
      ? [
          {
            found: `Other users can replace the settings in ${folder}`,
            advice: `Run: chmod go-w ${quoteShellWord(folder)}`,
          },
        ]
      : []),
  ];
}

const describeReadableFile = (file: string): ExposedKey => ({
  found: `${file} contains a key and is readable by other users`,
  advice: `Run: chmod 600 ${quoteShellWord(file)}`,
});

const hasMode = (path: string, to: number) => ((readMode(path) ?? 0) & to) !== 0;

/** Whether users can replace only their own files in a folder, as in /tmp. */
const isSticky = (folder: string) => ((readMode(folder) ?? 0) & 0o1000) !== 0;

/** Returns the mode of a file or folder; undefined if it does not exist or is neither, such as a pipe. */
function readMode(path: string): number | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() || stats.isDirectory() ? stats.mode : undefined;
  } catch {
    return undefined;
  }
}
