import { statSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { readStoredKeys } from '../../settings/connection.ts';
import { type Environment, resolveSettingsFile } from '../../settings/paths.ts';
import { quoteShellWord } from '../../values/text.ts';

/** Returns the files and folders with keys that other users can read or replace, with the command that prevents it. */
export function findExposedKeys(env: Environment) {
  // Windows has no file modes.
  if (sep === '\\') return [];
  const settings = resolveSettingsFile(env);
  const folder = dirname(settings);
  const hasKeys = readMode(settings) > 0 && readStoredKeys(env).length > 0;
  const files = [hasKeys && settings, env.KITH_API_KEY_FILE].filter((file) => typeof file === 'string');
  const folderMode = readMode(folder);
  // In a sticky folder, such as /tmp, users can replace only their own files.
  const isReplaceable = hasKeys && (folderMode & 0o022) > 0 && (folderMode & 0o1000) === 0;
  const exposed = files
    .filter((file) => (readMode(file) & 0o077) > 0)
    .map((file) => ({
      found: `${file} contains a key and is readable by other users`,
      advice: `Run: chmod 600 ${quoteShellWord(file)}`,
    }));
  const problem = `Other users can replace the settings in ${folder}`;
  return isReplaceable
    ? [...exposed, { found: problem, advice: `Run: chmod go-w ${quoteShellWord(folder)}` }]
    : exposed;
}

/** Returns the mode of a file or folder; 0 if it does not exist or is neither, such as a pipe. */
function readMode(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() || stats.isDirectory() ? stats.mode : 0;
  } catch {
    return 0;
  }
}
