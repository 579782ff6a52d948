import { type AnyCommand, normalizeArgument } from '../cli/command.ts';
import { environment } from '../cli/environment.ts';
import { globalGroups } from '../cli/flags/globals.ts';
import { describeOption, flagName, type Options } from '../cli/flags/options.ts';
import { formatFlag } from '../cli/help.ts';
import { commandTree } from '../cli/tree.ts';
import { exitCodes } from '../contract/errors.ts';

/** The generated regions of README.md: name -> text. Each stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
export async function readmeRegions(): Promise<Record<string, string>> {
  const rows: string[] = [];
  for (const entry of commandTree.flatMap(({ entries }) => entries)) {
    if ('commands' in entry) {
      for (const command of await entry.commands()) rows.push(commandRow(entry.name, command));
    } else if (!entry.isHidden) rows.push(commandRow('', await entry.command()));
  }
  return {
    commands: table(['command', 'what it does'], rows),
    flags: table(
      ['flag', 'meaning'],
      globalGroups.flatMap(({ options }) => flagRows(options)),
    ),
    environment: table(
      ['variable', 'meaning'],
      Object.entries(environment).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    ),
    'exit-codes': table(
      ['code', 'meaning'],
      Object.entries(exitCodes).map(([code, meaning]) => `| ${code} | ${meaning} |`),
    ),
  };
}

/** A text with its generated regions made anew. Throws where a region is missing. */
export function withRegions(text: string, regions: Readonly<Record<string, string>>): string {
  return Object.entries(regions).reduce((whole, [name, region]) => {
    const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!place.test(whole)) throw new Error(`README.md has no region "${name}".`);
    return whole.replace(place, (_, start: string, end: string) => `${start}${region}${end}`);
  }, text);
}

function commandRow(noun: string, { name, args, options, summary }: AnyCommand): string {
  const places: string[] = [];
  const last: string[] = [];
  for (const [place, argument] of Object.entries(args ?? {})) {
    const { choices, isRepeatable, isCommandLine } = normalizeArgument(argument);
    const typed = `${choices ? choices.join('|') : place.toUpperCase()}${isRepeatable ? '...' : ''}`;
    if (isCommandLine) last.push('--', typed);
    else places.push(typed);
  }
  const flags = Object.entries(options ?? {}).map(([flag, { placeholder, isRequired, isRepeatable }]) => {
    const typed = `${flagName(flag)}${placeholder ? ` ${placeholder}` : ''}`;
    return `${isRequired ? typed : `[${typed}]`}${isRepeatable ? '...' : ''}`;
  });
  const line = ['kith', noun, name, ...places, ...flags, ...last].filter(Boolean).join(' ');
  return `| \`${line.replaceAll('|', '\\|')}\` | ${summary} |`;
}

function flagRows(options: Options): string[] {
  return Object.entries(options).map(
    ([name, option]) => `| \`${formatFlag(name, option)}\` | ${describeOption(option)} |`,
  );
}

function table(titles: readonly string[], rows: readonly string[]): string {
  return `${[`| ${titles.join(' | ')} |`, `|${titles.map(() => '---|').join('')}`, ...rows].join('\n')}\n`;
}
