import { readFileSync } from 'node:fs';
import { shells } from '../../cli/commands/completion.ts';
import { type Candidates, type Flag, type Place, readSyntax, type Step, type Syntax } from './syntax.ts';
import { formatZshSyntax } from './zsh.ts';

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

function formatBashSyntax({ steps, groups }: Syntax): string[] {
  const formatFlags = (flags: readonly Flag[]) => flags.flatMap(formatFlag).join(' ');
  const formatSettings = ({ words, places, flags, groups }: Step) => {
    const settings = {
      words: `'${words.map(({ name }) => name).join(' ')}'`,
      places: `'${places.map((place) => formatPlace(place).replace(/^(?=\+?$)/, '-')).join(' ')}'`,
      flags: `"${[formatFlags(flags), ...groups.map((name) => `$${name}`)].join(' ')}"`,
    };
    return Object.entries(settings).flatMap(([name, text]) =>
      text.length > 2 ? [`      ${name}=${text}`] : [],
    );
  };
  return [
    ...Object.entries(groups).map(([name, flags]) => `  local ${name}='${formatFlags(flags)}'`),
    "  words='' places='' flags=''",
    '  case $1 in',
    ...steps.flatMap((step) => [
      `    ${step.paths.map((path) => `'${path}'`).join(' | ')})`,
      ...formatSettings(step),
      '      ;;',
    ]),
    '  esac',
  ];
}

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
