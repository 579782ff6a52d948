import type { Candidates, Flag, Place, Step, Syntax } from './syntax.ts';

/** Formats the syntax for `_arguments` of zsh. */
export function formatZshSyntax({ steps, groups }: Syntax): string[] {
  return [
    ...Object.entries(groups).flatMap(([name, flags]) =>
      formatArray(`  local -a ${name}`, flags.flatMap(formatFlag)),
    ),
    '  case $1 in',
    ...steps.flatMap((step) => [
      `    ${step.paths.map(quote).join(' | ')})`,
      ...formatSettings(step),
      '      ;;',
    ]),
    '  esac',
  ];
}

function formatSettings({ words, places, flags, groups }: Step): string[] {
  const settings = {
    next: words.map(({ name, summary }) => quote(`${name}:${escapeSpec(summary)}`)),
    places: places.map(formatPlace),
    flags: [...flags.flatMap(formatFlag), ...groups.map((name) => `$${name}`)],
  };
  return Object.entries(settings).flatMap(([name, items]) =>
    items.length === 0 ? [] : formatArray(`      ${name}`, items),
  );
}

/** Formats an assignment to an array. The items are indented by two columns more than the name. */
function formatArray(name: string, items: readonly string[]): string[] {
  const indent = /^ */.exec(name)?.join('') ?? '';
  return [`${name}=(`, ...items.map((item) => `${indent}  ${item}`), `${indent})`];
}

function formatPlace({ name, candidates, isRepeatable }: Place, index: number): string {
  return quote(`${isRepeatable ? '*' : index + 1}:${escapeSpec(name)}:${formatAction(candidates)}`);
}

/** Formats each name of a flag with the names that it excludes: all of them, unless the flag can be repeated. */
function formatFlag({ names, summary, placeholder, candidates, isRepeatable }: Flag): string[] {
  const excluded = isRepeatable ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  const value = placeholder === undefined ? '' : `:${escapeSpec(placeholder)}:${formatAction(candidates)}`;
  return names.map((name) => {
    const joint = placeholder === undefined ? '' : name.startsWith('--') ? '=' : '+';
    return quote(`${excluded}${name}${joint}[${escapeSpec(summary)}]${value}`);
  });
}

/** Formats the action for a value. With a space before it, zsh adds no arguments; a space alone offers nothing. */
function formatAction(candidates: Candidates): string {
  if (candidates === undefined) return ' ';
  if (candidates === 'files') return '_files';
  if (candidates === 'folders') return '_path_files -/'; // _files offers files if there is no folder
  return typeof candidates === 'string' ? ` _kith_values ${candidates}` : `(${candidates.join(' ')})`;
}

const escapeSpec = (text: string) => text.replaceAll(/[\\:[\]]/g, '\\$&');

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
