import { type AnyCommand, type CommandEntry as Entry, formatCommandName } from '../cli/command/command.ts';
import { getFormats, globalGroups } from '../cli/command/globals.ts';
import { describeOption, type Options, toFlagName } from '../cli/command/options.ts';
import { describeArgument } from '../cli/flags/references.ts';
import { environment, guideSections, guides } from '../cli/help/help.ts';
import { commandTree } from '../commands/tree.ts';
import { exitCodes } from '../contract/errors.ts';
import { type Block, parseMarkdown, selectSection } from '../render/markdown.ts';

/** Builds the pages of section 1, for the program and each noun: file name -> text. `date` is like `2026-11-21`. */
export async function buildCommandPages(date: string): Promise<Record<string, string>> {
  const pages: Record<string, string> = { 'kith.1': buildProgramPage(commandTree, date) };
  for (const entry of commandTree) pages[`${namePage(entry)}.1`] = await buildEntryPage(entry, date);
  return pages;
}

const namePage = ({ name }: Entry) => `kith-${name}`;

function buildProgramPage(entries: readonly Entry[], date: string): string {
  return joinLines([
    ...formatHead('kith', 1, 'a relationship-management workspace in your terminal', date),
    '.Sh SYNOPSIS',
    '.Nm',
    '.Ar noun verb',
    '.Op Ar id ...',
    '.Op Ar flags',
    '.Sh DESCRIPTION',
    '.Nm',
    ...formatProse('connects to a hosted service over HTTP, or keeps a workspace in one local SQLite file.'),
    ...list(entries.map((entry) => [['Sy', formatReference(namePage(entry))], toSentence(entry.summary)])),
    '.Sh OPTIONS',
    ...formatProse('Each command accepts the flags that apply to it.'),
    ...list(globalGroups.flatMap(({ options }) => formatFlags(options))),
    '.Sh ENVIRONMENT',
    ...list(Object.entries(environment).map(([name, text]) => [['Ev', name], toSentence(text)])),
    '.Sh EXIT STATUS',
    ...list(Object.entries(exitCodes).map(([code, text]) => [[code], toSentence(text)])),
    ...formatSeeAlso(entries.map(namePage)),
  ]);
}

async function buildEntryPage(entry: Entry, date: string): Promise<string> {
  const { alias } = entry;
  const commands = await entry.commands();
  const formatName = (command: AnyCommand) => formatCommandName(entry, command);
  return joinLines([
    ...formatHead(namePage(entry), 1, entry.summary.charAt(0).toLowerCase() + entry.summary.slice(1), date),
    '.Sh SYNOPSIS',
    ...commands.flatMap((command) => ['.Nm kith', ...formatSynopsis(formatName(command), command)]),
    '.Sh DESCRIPTION',
    ...(alias === undefined ? [] : formatProse(`${alias} is an alias of ${entry.name}.`)),
    ...formatProse('The flags that commands share are explained in'),
    formatMacro('Sy', formatReference('kith'), '.'),
    ...commands.flatMap((command) => formatCommand(formatName(command), command)),
    ...formatSeeAlso(['kith']),
  ]);
}

function formatSynopsis(name: string, { args = {}, options = {} }: AnyCommand): string[] {
  return [
    formatMacro('Cm', ...name.split(' ')),
    ...Object.entries(options).map(([option, { placeholder, isRepeatable, isRequired }]) => {
      const words = [...listFlagWords(option, placeholder), ...(isRepeatable ? ['...'] : [])];
      return isRequired ? formatMacro('Fl', ...words.slice(1)) : formatMacro('Op', ...words);
    }),
    ...Object.entries(args).flatMap(([name, argument]) => {
      const {
        placeholder = name.toUpperCase(),
        isRepeatable,
        isCommandLine,
        isKeyImplied,
        isOptional,
      } = argument;
      if (isKeyImplied || isOptional) return [formatMacro('Op', 'Ar', placeholder)];
      const place = formatMacro('Ar', placeholder, ...(isRepeatable ? ['...'] : []));
      return isCommandLine ? ['.Fl -', place] : [place];
    }),
  ];
}

function formatCommand(name: string, command: AnyCommand): string[] {
  const { args = {}, options = {}, summary, description = summary, examples } = command;
  const shared = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap((group) => Object.keys(group.options).map(toFlagName));
  const places = Object.entries(args).map(([place, argument]): Item => {
    const { placeholder = place.toUpperCase() } = argument;
    return [['Ar', placeholder], toSentence(describeArgument(args, argument))];
  });
  return [
    `.Ss kith ${name}`,
    ...formatProse(toSentence(description)),
    ...list([...places, ...formatFlags(options)]),
    '.Pp',
    ...formatProse(`Shared flags: ${shared.join(', ')}.`),
    ...formatProse(`Formats: ${getFormats(command).join(', ')}.`),
    '.Pp',
    ...formatProse('Examples:'),
    '.Bd -literal -offset indent',
    ...examples.map((example) => formatVerbatim(`$ kith ${example}`)),
    '.Ed',
  ];
}

function formatFlags(options: Options): Item[] {
  return Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? [] : ['Fl', option.short.slice(1), ','];
    return [[...short, ...listFlagWords(name, option.placeholder)], toSentence(describeOption(option))];
  });
}

/** Lists the words of a flag and its placeholder. mdoc adds the first hyphen. */
function listFlagWords(name: string, value: string | undefined): string[] {
  return ['Fl', toFlagName(name).slice(1), ...(value === undefined ? [] : ['Ar', value])];
}

function formatHead(name: string, section: 1 | 7, summary: string, date: string): string[] {
  const month = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(new Date(date));
  const [year, , day] = date.split('-');
  return [
    `.Dd ${month} ${Number(day)}, ${year}`,
    `.Dt ${name.toUpperCase()} ${section}`,
    '.Os',
    '.Sh NAME',
    formatMacro('Nm', name),
    formatMacro('Nd', summary),
  ];
}

function formatSeeAlso(pages: readonly string[]): string[] {
  const sortedPages = pages.toSorted();
  return [
    '.Sh SEE ALSO',
    ...sortedPages.map((page, at) =>
      formatMacro('Sy', formatReference(page), ...(at < sortedPages.length - 1 ? [','] : [])),
    ),
  ];
}

/** Does not use Xr, because mandoc warns of pages that are not installed yet. */
const formatReference = (page: string) => `${page}(1)`;

const joinLines = (lines: readonly string[]) => `${lines.join('\n')}\n`;

function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Returns a manual page of section 7 for each guide, by file name. `readPage` returns the Markdown of a page in docs/. */
export function buildGuidePages(date: string, readPage: (name: string) => string): Record<string, string> {
  const pages = Object.entries(guides).map(([name, summary]) => {
    const [page, heading] = guideSections[name] ?? [name];
    const [, ...blocks] = parseMarkdown(selectSection(readPage(page), heading));
    const lines = blocks.flatMap((block, index) =>
      formatBlock(block, index > 0 && blocks[index - 1]?.kind !== 'heading'),
    );
    const head = formatHead(`kith-${name}`, 7, summary, date);
    return [`kith-${name}.7`, joinLines([...head, '.Sh DESCRIPTION', ...lines])] as const;
  });
  return Object.fromEntries(pages);
}

function formatBlock(block: Block, isAfterText: boolean): string[] {
  switch (block.kind) {
    case 'heading':
      return [block.level < 3 ? formatMacro('Sh', block.text.toUpperCase()) : formatMacro('Ss', block.text)];
    case 'paragraph':
      return [...(isAfterText ? ['.Pp'] : []), ...formatProse(block.text)];
    case 'item':
      return ['.Bl -bullet -compact', '.It', ...formatProse(block.text), '.El'];
    case 'code':
      return ['.Bd -literal -offset indent', ...block.lines.map(formatVerbatim), '.Ed'];
    case 'table':
      return list(block.rows.slice(1).map(([term = '', ...meanings]) => [['Sy', term], meanings.join('; ')]));
  }
}

/** Macros that may follow another macro on its line. */
const callable = new Set(['Ar', 'Ev', 'Fl', 'Sy']);

/** Formats a macro of mdoc(7) with its words. Escapes words that are not macros or punctuation. */
export function formatMacro(name: string, ...words: readonly string[]): string {
  const formattedWords = words.map((word) => {
    if (callable.has(word) || /^([.,]|\.\.\.)$/.test(word)) return word;
    const text = escapeText(word);
    if (text.includes(' ')) return `"${text.replaceAll('"', '""')}"`;
    return text.replace(/^(?=[A-Z][a-z]?$)/, '\\&');
  });
  return [`.${name}`, ...formattedWords].join(' ');
}

/** Formats a text as lines of mdoc(7). Each sentence begins a line, and no line is too long. */
export function formatProse(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=[A-Z])/).flatMap((sentence) => {
    const lines: string[] = [];
    for (const word of sentence.split(' ')) {
      const last = lines.pop();
      if (last === undefined) lines.push(word);
      else if (measureSource(last) + measureSource(word) < 76) lines.push(`${last} ${word}`);
      else lines.push(last, word);
    }
    return lines.map(formatVerbatim);
  });
}

/** Returns the width of a text as mandoc counts it: it expands a character that is not ASCII to `\\[u2026]`. */
const measureSource = (text: string) => text.replace(/[^\n -~]/g, '\\[u2026]').length;

/** Formats a line of text that may begin like a macro. */
function formatVerbatim(line: string): string {
  return escapeText(line).replace(/^(?=[.'])/, '\\&');
}

/** A term, as the words of a macro, and its meaning. */
type Item = readonly [term: readonly string[], meaning: string];

function list(items: readonly Item[]): string[] {
  if (items.length === 0) return [];
  const lines = items.flatMap(([term, meaning]) => [formatMacro('It', ...term), ...formatProse(meaning)]);
  return ['.Bl -tag -width Ds', ...lines, '.El'];
}

function escapeText(text: string): string {
  return text.replaceAll('\\', '\\e');
}
