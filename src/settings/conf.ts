import { parse } from 'node:path';
import Conf from 'conf';

/** Writes settings with conf to a file that only its owner may read. */
export function storeWithConf(path: string, stored: Readonly<Record<string, unknown>>): void {
  const { dir, name, ext } = parse(path);
  new Conf({
    cwd: dir,
    configName: name,
    fileExtension: ext.slice(1),
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
  }).store = stored;
}
