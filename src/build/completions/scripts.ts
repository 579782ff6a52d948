import { readFileSync } from 'node:fs';
import { shells } from '../../commands/completion.ts';
import { type Candidates, type Flag, type Place, readSyntax, type Step, type Syntax } from './syntax.ts';

/** Builds the completion scripts: path in the package -> text. */
export async function buildCompletionScripts(): Promise<Record<string, string>> {
  const syntax = await readSyntax();
  return {
    [`completions/${shells.bash}`]: fillTemplate('kith.bash', formatBashSyntax(syntax)),
    [`completions/${shells.zsh}`]: fillTemplate('_kith', formatZshSyntax(syntax)),
    [`completions/${shells.fish}`]: fillTemplate('kith.fish', formatFishSyntax(syntax)),
    [`completions/${shells.powershell}`]: fillTemplate('kith.ps1', formatPowerShellSyntax(syntax)),
  };
}

/** Reads a script and replaces `@syntax@` by the generated lines. */
function fillTemplate(name: string, syntax: readonly string[]): string {
  const template = readFileSync(new URL(`templates/${name}`, import.meta.url), 'utf8');
  return template.replace('@syntax@', () => syntax.join('\n'));
}

/** Formats candidates as one word of a script: `json,csv`, or `@lists` for values that the program knows. */
function formatCandidates(candidates: Candidates): string {
  if (candidates === undefined) return '';
  return typeof candidates === 'string' ? `@${candidates}` : candidates.join(',');
}

function formatPlace({ candidates, isRepeatable }: Place): string {
  return `${formatCandidates(candidates)}${isRepeatable ? '+' : ''}`;
}

/** Formats each name of a flag with the candidates of its value: `--format=json,csv`. */
function formatFlag({ names, placeholder, candidates }: Flag): string[] {
  return names.map((name) => `${name}${placeholder === undefined ? '' : `=${formatCandidates(candidates)}`}`);
}

/** Formats the `case` of bash or zsh, with the settings of each step. */
const formatCases = (steps: readonly Step[], formatSettings: (step: Step) => string[]) => [
  '  case $1 in',
  ...steps.flatMap((step) => [
    `    ${step.paths.map((path) => `'${path}'`).join(' | ')})`,
    ...formatSettings(step),
    '      ;;',
  ]),
  '  esac',
];

function formatBashSyntax({ steps, groups }: Syntax): string[] {
  const formatFlags = (flags: readonly Flag[]) => flags.flatMap(formatFlag).join(' ');
  const formatSettings = ({ words, places, flags, groups }: Step) => {
    const settings = {
      words: `'${words.map(({ name }) => name).join(' ')}'`,
      places: `'${places.map((place) => formatPlace(place).replace(/^(?=\+?$)/, '-')).join(' ')}'`,
      flags: `"${[formatFlags(flags), ...groups.map((name) => `$${name}`)].join(' ')}"`,
    };
    const filledSettings = Object.entries(settings).filter(([, text]) => text.length > 2);
    return filledSettings.map(([name, text]) => `      ${name}=${text}`);
  };
  return [
    ...Object.entries(groups).map(([name, flags]) => `  local ${name}='${formatFlags(flags)}'`),
    "  words='' places='' flags=''",
    ...formatCases(steps, formatSettings),
  ];
}

function formatZshSyntax({ steps, groups }: Syntax): string[] {
  const formatSettings = ({ words, places, flags, groups }: Step) => {
    const settings = {
      next: words.map(({ name, summary }) => quoteForZsh(`${name}:${escapeSpec(summary)}`)),
      places: places.map(formatZshPlace),
      flags: [...flags.flatMap(formatZshFlag), ...groups.map((name) => `$${name}`)],
    };
    const filledSettings = Object.entries(settings).filter(([, items]) => items.length > 0);
    return filledSettings.flatMap(([name, items]) => formatZshArray(`      ${name}`, items));
  };
  return [
    ...Object.entries(groups).flatMap(([name, flags]) =>
      formatZshArray(`  local -a ${name}`, flags.flatMap(formatZshFlag)),
    ),
    ...formatCases(steps, formatSettings),
  ];
}

/** Formats an assignment to an array. The items are indented by two columns more than the name. */
function formatZshArray(name: string, items: readonly string[]): string[] {
  const indent = /^ */.exec(name)?.join('') ?? '';
  return [`${name}=(`, ...items.map((item) => `${indent}  ${item}`), `${indent})`];
}

function formatZshPlace({ name, candidates, isRepeatable }: Place, index: number): string {
  return quoteForZsh(`${isRepeatable ? '*' : index + 1}:${escapeSpec(name)}:${formatAction(candidates)}`);
}

/** Formats each name of a flag with the names that it excludes: all of them, unless the flag can be repeated. */
function formatZshFlag({ names, summary, placeholder, candidates, isRepeatable }: Flag): string[] {
  const exclusions = names.length > 1 ? `(${names.join(' ')})` : '';
  const value = placeholder === undefined ? '' : `:${escapeSpec(placeholder)}:${formatAction(candidates)}`;
  return names.map((name) => {
    const separator = name.startsWith('--') ? '=' : '+';
    const suffix = `${placeholder === undefined ? '' : separator}[${escapeSpec(summary)}]${value}`;
    return quoteForZsh(`${isRepeatable ? '*' : exclusions}${name}${suffix}`);
  });
}

/** Formats the action for a value. With a space before it, zsh adds no arguments; a space alone offers nothing. */
function formatAction(candidates: Candidates): string {
  if (candidates === undefined) return ' ';
  if (candidates === 'files') return '_files';
  if (candidates === 'folders') return '_path_files -/'; // _files would offer files if a folder has no folders
  return typeof candidates === 'string' ? ` _kith_values ${candidates}` : `(${candidates.join(' ')})`;
}

const escapeSpec = (text: string) => text.replaceAll(/[\\:[\]]/g, '\\$&');
const quoteForZsh = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** How a shell writes a text, and a candidate with its summary. */
interface LineFormat {
  readonly quote: (text: string) => string;
  readonly describe: (candidate: string, summary: string) => string;
}

function formatLines({ words, places, flags, groups }: Step, { quote, describe }: LineFormat): string[] {
  return [
    ...words.map(({ name, summary }) => describe(name, summary)),
    ...places.map((place) => quote(`:${formatPlace(place)}`)),
    ...formatFlagLines(flags, describe),
    ...groups.map((name) => `$${name}`),
  ];
}

const formatFlagLines = (flags: readonly Flag[], describe: LineFormat['describe']) =>
  flags.flatMap((flag) => formatFlag(flag).map((name) => describe(name, flag.summary)));

function formatFishSyntax({ steps, groups }: Syntax): string[] {
  const quote = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
  const describe = (candidate: string, summary: string) => `${candidate}\\t${quote(summary)}`;
  return [
    ...Object.entries(groups).map(
      ([name, flags]) => `    set -l ${name} ${formatFlagLines(flags, describe).join(' ')}`,
    ),
    '    switch $argv[1]',
    ...steps.flatMap((step) => [
      `        case ${step.paths.map(quote).join(' ')}`,
      `            ${['string join \\n --', ...formatLines(step, { quote, describe })].join(' \\\n                ')}`,
    ]),
    '    end',
  ];
}

/** The script is ASCII, because Windows PowerShell guesses the encoding of a file without a byte order mark. */
function formatPowerShellSyntax({ steps, groups }: Syntax): string[] {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const describe = (candidate: string, summary: string) => quote(`${candidate} -- ${summary}`);
  const formatCondition = (paths: readonly string[]) =>
    paths.length === 1 ? quote(paths.join('')) : `{ ${paths.map(quote).join(', ')} -ccontains $_ }`;
  return [
    ...Object.entries(groups).flatMap(([name, flags]) => [
      `        $${name} = @(`,
      ...formatFlagLines(flags, describe).map((line) => `            ${line}`),
      '        )',
    ]),
    '        switch -CaseSensitive ($path) {',
    // Each line is an expression, whose value is output.
    ...steps.flatMap((step) => [
      `            ${formatCondition(step.paths)} {`,
      ...formatLines(step, { quote, describe }).map((line) => `                ${line}`),
      '            }',
    ]),
    '        }',
  ];
}
