import type { Flag, Offer, Place, Step, Syntax } from './syntax.ts';
import { filled } from './template.ts';

/** The completion script for zsh, in the terms of its `_arguments`. */
export function zshScript({ steps, groups }: Syntax): string {
  const shared = Object.entries(groups).flatMap(([name, flags]) => [
    `  local -a ${name}=(`,
    ...flags.flatMap(flagSpecs).map((spec) => `    ${spec}`),
    '  )',
  ]);
  const cases = steps.flatMap((step) => [`    ${patterns(step)})`, ...settings(step), '      ;;']);
  return filled('_kith', [...shared, '  case $1 in', ...cases, '  esac']);
}

function patterns({ paths }: Step): string {
  return paths.map(quoted).join(' | ');
}

function settings({ words, places, flags, groups }: Step): string[] {
  return [
    ...list(
      'next',
      words.map(({ name, summary }) => quoted(`${name}:${escaped(summary)}`)),
    ),
    ...list('places', places.map(placeSpec)),
    ...list('flags', [...flags.flatMap(flagSpecs), ...groups.map((name) => `$${name}`)]),
  ];
}

function list(name: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [`      ${name}=(`, ...items.map((item) => `        ${item}`), '      )'];
}

function placeSpec({ name, offer, several }: Place, index: number): string {
  return quoted(`${several ? '*' : index + 1}:${escaped(name)}:${action(offer)}`);
}

/** `_arguments` wants each name by itself, with those that it excludes: all of them, unless it can be repeated. */
function flagSpecs({ short, long, summary, value, offer, several }: Flag): string[] {
  const names = short ? [short, long] : [long];
  const before = several ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  const after = value === undefined ? '' : `:${escaped(value)}:${action(offer)}`;
  return names.map((name) => {
    const joint = value === undefined ? '' : name === long ? '=' : '+';
    return quoted(`${before}${name}${joint}[${escaped(summary)}]${after}`);
  });
}

/** What `_arguments` does for a value: after a space, just that; a space alone offers nothing. */
function action(offer: Offer): string {
  if (offer === undefined) return ' ';
  if (offer === 'files') return '_files';
  if (offer === 'folders') return '_path_files -/'; // _files would offer files where there is no folder
  return typeof offer === 'string' ? ` _kith_values ${offer}` : `(${offer.join(' ')})`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\:[\]]/g, '\\$&');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
