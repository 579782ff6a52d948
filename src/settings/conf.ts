import { parse } from 'node:path';
import Conf from 'conf';
import type { StoredSettings } from './settings.ts';

/** Writes settings with conf to a file that only its owner may read. */
export function storeWithConf(path: string, stored: StoredSettings): void {
  const { dir, name, ext } = parse(path);
  new Conf<StoredSettings>({
    cwd: dir,
    configName: name,
    fileExtension: ext.slice(1),
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  }).store = stored;
}
