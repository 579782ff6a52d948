import { readFileSync } from 'node:fs';

/**
 * A script by the name of its file: what is written by hand, with lines of generated syntax where it says
 * `@syntax@`.
 */
export function filled(name: string, syntax: readonly string[]): string {
  const written = readFileSync(new URL(`templates/${name}`, import.meta.url), 'utf8');
  return written.replace('@syntax@', () => syntax.join('\n'));
}
