import { complete } from '../../src/completion/complete.ts';

/** Lists all records whose names are cached. */
export async function listNamed(kith: (line: string) => Promise<{ readonly code: number }>) {
  for (const noun of ['contacts', 'organizations', 'lists', 'custom-fields'])
    await kith(`${noun} list --all -q`);
}

/** What a completion script asks for, besides the source. */
interface Request {
  readonly word?: string;
  readonly command?: string;
  readonly list?: string;
  readonly profile?: string;
}

/** Returns a function that prints the candidates as a completion script gets them, one per item. */
export function createCompleter(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  current = folder,
) {
  return (source: string, request: Request = {}): string[] => {
    const flags = Object.entries(request).map(([name, value]) => `--${name}=${value}`);
    const place = { env: { KITH_CONFIG_DIR: folder, ...env }, folder: current };
    return complete(['complete', source, ...flags], place)
      .split('\n')
      .slice(0, -1);
  };
}
