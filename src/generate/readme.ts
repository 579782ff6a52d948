import type { AnyCommand } from '../cli/command.ts';
import { serve } from '../cli/commands/serve.ts';
import { globalOptions } from '../cli/globals.ts';
import { groups } from '../cli/groups.ts';
import { flagName, type Options } from '../cli/options.ts';
import { exitCodes } from '../contract/errors.ts';

/** The generated regions of README.md: name -> text. Each stands between `<!-- NAME -->` and `<!-- /NAME -->`. */
export async function readmeRegions(): Promise<Record<string, string>> {
  const rows: string[] = [];
  for (const { name, commands } of groups) {
    for (const command of await commands()) rows.push(commandRow(name, command));
  }
  rows.push(commandRow('', serve));
  return {
    commands: table(['command', 'what it does'], rows),
    flags: table(['flag', 'meaning'], flagRows(globalOptions)),
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
  const words = ['kith', noun, name, ...Object.keys(args ?? {}).map((arg) => arg.toUpperCase())].filter(
    Boolean,
  );
  const flags = Object.entries(options ?? {}).map(([flag, { value, required }]) => {
    const typed = `${flagName(flag)}${value ? ` ${value}` : ''}`;
    return required ? typed : `[${typed}]`;
  });
  return `| \`${[...words, ...flags].join(' ')}\` | ${summary} |`;
}

function flagRows(options: Options): string[] {
  return Object.entries(options).map(([name, { summary, value, short }]) => {
    const typed = name === 'color' ? '--no-color' : flagName(name);
    return `| \`${short ? `${short}, ` : ''}${typed}${value ? ` ${value}` : ''}\` | ${summary} |`;
  });
}

function table(titles: readonly string[], rows: readonly string[]): string {
  return `${[`| ${titles.join(' | ')} |`, `|${titles.map(() => '---|').join('')}`, ...rows].join('\n')}\n`;
}
