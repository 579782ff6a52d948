import { type AnyCommand, type Noun, normalizeArgument, type StandaloneCommand } from '../../cli/command.ts';
import { environment } from '../../cli/environment.ts';
import { getFormats, globalGroups } from '../../cli/flags/globals.ts';
import { describeChoices, describeOption, flagName, type Options } from '../../cli/flags/options.ts';
import { commandTree } from '../../cli/tree.ts';
import { exitCodes } from '../../contract/errors.ts';
import { list, macro, prose, verbatim } from './mdoc.ts';

/** The manual as of a date such as `2026-11-21`: a page for the program and one for each noun, by their files. */
export async function manPages(date: string): Promise<Record<string, string>> {
  const entries = commandTree
    .flatMap(({ entries }) => entries)
    .filter((entry) => 'commands' in entry || !entry.isHidden);
  const pages: Record<string, string> = { 'kith.1': programPage(entries, date) };
  for (const entry of entries) pages[`${pageOf(entry)}.1`] = await entryPage(entry, date);
  return pages;
}

type Entry = Noun | StandaloneCommand;

const pageOf = ({ name }: Entry) => `kith-${name}`;

function programPage(entries: readonly Entry[], date: string): string {
  return page([
    ...formatHead('kith', 1, 'a relationship-management workspace in your terminal', date),
    '.Sh SYNOPSIS',
    '.Nm',
    '.Ar noun verb',
    '.Op Ar id ...',
    '.Op Ar flags',
    '.Sh DESCRIPTION',
    '.Nm',
    ...prose('talks to a hosted service over HTTP, or keeps a workspace in one SQLite file here.'),
    ...list(entries.map((entry) => [macro('It', 'Sy', reference(pageOf(entry))), sentence(entry.summary)])),
    '.Sh OPTIONS',
    ...prose('A command takes those of these flags that have a meaning for it.'),
    ...list(globalGroups.flatMap(({ options }) => flags(options))),
    '.Sh ENVIRONMENT',
    ...list(Object.entries(environment).map(([name, text]) => [macro('It', 'Ev', name), sentence(text)])),
    '.Sh EXIT STATUS',
    ...list(Object.entries(exitCodes).map(([code, text]) => [macro('It', code), sentence(text)])),
    ...seeAlso(entries.map(pageOf)),
  ]);
}

async function entryPage(entry: Entry, date: string): Promise<string> {
  const alias = 'alias' in entry ? entry.alias : undefined;
  const commands = 'commands' in entry ? await entry.commands() : [await entry.command()];
  const typed = ({ name }: AnyCommand) => ('commands' in entry ? `${entry.name} ${name}` : name);
  return page([
    ...formatHead(pageOf(entry), 1, entry.summary.charAt(0).toLowerCase() + entry.summary.slice(1), date),
    '.Sh SYNOPSIS',
    ...commands.flatMap((command) => ['.Nm kith', ...synopsis(typed(command), command)]),
    '.Sh DESCRIPTION',
    ...(alias === undefined ? [] : prose(`The word ${alias} is short for ${entry.name}.`)),
    ...prose('The flags that commands share are explained in'),
    macro('Sy', reference('kith'), '.'),
    ...commands.flatMap((command) => part(typed(command), command)),
    ...seeAlso(['kith']),
  ]);
}

function synopsis(typed: string, { args = {}, options = {} }: AnyCommand): string[] {
  return [
    macro('Cm', ...typed.split(' ')),
    ...Object.entries(options).map(([name, { placeholder, isRepeatable, isRequired }]) => {
      const words = [...flag(name, placeholder), ...(isRepeatable ? ['...'] : [])];
      return isRequired ? macro('Fl', ...words.slice(1)) : macro('Op', ...words);
    }),
    ...Object.entries(args).flatMap(([name, argument]) => {
      const { isRepeatable, isCommandLine } = normalizeArgument(argument);
      const place = macro('Ar', name.toUpperCase(), ...(isRepeatable ? ['...'] : []));
      return isCommandLine ? ['.Fl -', place] : [place];
    }),
  ];
}

/** What a page says of one command. */
function part(typed: string, command: AnyCommand): string[] {
  const { args = {}, options = {}, summary, description = summary, examples } = command;
  const shared = globalGroups
    .filter(({ isFor }) => isFor(command))
    .flatMap((group) => Object.keys(group.options).map(flagName));
  const places = Object.entries(args).map(
    ([name, argument]) =>
      [
        macro('It', 'Ar', name.toUpperCase()),
        sentence(describeChoices(normalizeArgument(argument))),
      ] as const,
  );
  return [
    `.Ss kith ${typed}`,
    ...prose(sentence(description)),
    ...list([...places, ...flags(options)]),
    '.Pp',
    ...prose(`Shared flags: ${shared.join(', ')}.`),
    ...prose(`Formats: ${getFormats(command).join(', ')}.`),
    '.Pp',
    ...prose('Examples:'),
    '.Bd -literal -offset indent',
    ...examples.map((example) => verbatim(`$ kith ${example}`)),
    '.Ed',
  ];
}

function flags(options: Options): (readonly [string, string])[] {
  return Object.entries(options).map(([name, option]) => {
    const short = option.short === undefined ? [] : ['Fl', option.short.slice(1), ','];
    return [macro('It', ...short, ...flag(name, option.placeholder)), sentence(describeOption(option))];
  });
}

/** A flag as mdoc wants it, which puts the first hyphen, with the placeholder of its value. */
function flag(name: string, value: string | undefined): string[] {
  return ['Fl', flagName(name).slice(1), ...(value === undefined ? [] : ['Ar', value])];
}

/** Returns the title and name of a manual page. */
export function formatHead(name: string, section: 1 | 7, summary: string, date: string): string[] {
  const month = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(new Date(date));
  const [year, , day] = date.split('-');
  return [
    `.Dd ${month} ${Number(day)}, ${year}`,
    `.Dt ${name.toUpperCase()} ${section}`,
    '.Os',
    '.Sh NAME',
    macro('Nm', name),
    macro('Nd', summary),
  ];
}

function seeAlso(pages: readonly string[]): string[] {
  const sorted = pages.toSorted();
  return [
    '.Sh SEE ALSO',
    ...sorted.map((page, at) => macro('Sy', reference(page), ...(at < sorted.length - 1 ? [','] : []))),
  ];
}

/** Not as Xr: mandoc complains of each page that is not yet installed where it looks. */
const reference = (page: string) => `${page}(1)`;

const page = (lines: readonly string[]) => `${lines.join('\n')}\n`;

/** A summary as a sentence. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}
