import { existsSync } from 'node:fs';
import { extname } from 'node:path';

/** Returns an unused name for a damaged file that is moved aside: `config.damaged-20261120T100000Z.json`. */
export function nameDamagedFile(path: string, now: Date): string {
  const extension = extname(path);
  const when = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const stem = `${path.slice(0, path.length - extension.length)}.damaged-${when}`;
  let name = `${stem}${extension}`;
  for (let count = 2; existsSync(name); count += 1) name = `${stem}-${count}${extension}`;
  return name;
}
