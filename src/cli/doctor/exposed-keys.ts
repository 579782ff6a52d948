import { statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { readStoredKeys } from '../../settings/connection.ts';
import { type Environment, resolveSettingsFile } from '../../settings/paths.ts';
import { quoteShellWord } from '../../values/text.ts';

/** A file with a key that others can get at, and what to type. */
interface ExposedKey {
  readonly found: string;
  readonly advice: string;
}

/** What a person should know of the files with keys. */
export function findExposedKeys(env: Environment): ExposedKey[] {
  // Windows has no such modes.
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
            found: `Others can replace the settings in ${folder}`,
            advice: `close it with: chmod go-w ${quoteShellWord(folder)}`,
          },
        ]
      : []),
  ];
}

const describeReadableFile = (file: string): ExposedKey => ({
  found: `Others can read ${file}, which holds a key`,
  advice: `close it with: chmod 600 ${quoteShellWord(file)}`,
});

const hasMode = (path: string, to: number) => ((readMode(path) ?? 0) & to) !== 0;

/** In such a folder, as /tmp, nobody can replace what is another's. */
const isSticky = (folder: string) => ((readMode(folder) ?? 0) & 0o1000) !== 0;

/** The mode of a file or folder; undefined for what is neither, such as a pipe, or not there. */
function readMode(path: string): number | undefined {
  try {
    const found = statSync(path);
    return found.isFile() || found.isDirectory() ? found.mode : undefined;
  } catch {
    return undefined;
  }
}
