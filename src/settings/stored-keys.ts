import { readFileSync, statSync } from 'node:fs';
import { type Environment, settingsFile } from './places.ts';

/** Bytes of a file that is read for its keys; no file with a key is larger. */
export const mostWithKeys = 1_000_000;

/** The keys in the settings. They are found in a damaged file too. */
export function keysStored(env: Environment): string[] {
  const found = textAt(settingsFile(env)).matchAll(/"api_key"\s*:\s*("(?:[^"\\]|\\.)*")/g);
  return Array.from(found, ([, json = '']) => unquoted(json));
}

/** Every key that this machine has for the program, but those in a keychain: that would ask the person. */
export function keysOfMachine(env: Environment): string[] {
  const inFile = env.KITH_API_KEY_FILE ? textAt(env.KITH_API_KEY_FILE).trim() : '';
  return [env.KITH_API_KEY?.trim() ?? '', inFile, ...keysStored(env)];
}

/** The text of a file; none where there is none. A pipe can be read once only, and not by us. */
function textAt(path: string): string {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= mostWithKeys ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function unquoted(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return json.slice(1, -1);
  }
}
