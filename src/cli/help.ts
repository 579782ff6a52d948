import { exitCodes } from '../contract/errors.ts';
import { environment } from './environment.ts';
import { globalGroups } from './flags/globals.ts';
import { describeOption, flagName, type Option } from './flags/options.ts';

/** Help that is about no command: `kith help TOPIC`. */
export const topics: Readonly<Record<string, { readonly summary: string; readonly text: () => string }>> = {
  flags: { summary: 'the flags that commands share', text: flagsText },
  environment: {
    summary: 'the environment variables that are read',
    text: () => listing('Environment', Object.entries(environment)),
  },
  'exit-codes': {
    summary: 'what each exit code means',
    text: () => listing('Exit codes', Object.entries(exitCodes)),
  },
};

/** What stands at the end of the program's own help. */
export function formatTopicList(): string {
  const further = Object.entries(topics).map(
    ([name, { summary }]) => [`kith help ${name}`, summary] as const,
  );
  return `\n${listing('More', [['kith help NOUN VERB', 'help for one command'], ...further])}`;
}

/** A flag as it is typed, with the placeholder of its value. */
export function formatFlag(name: string, { placeholder, short }: Option<unknown>): string {
  return `${short ? `${short}, ` : ''}${flagName(name)}${placeholder ? ` ${placeholder}` : ''}`;
}

function flagsText(): string {
  const titles = [...new Set(globalGroups.map(({ title }) => title))];
  return titles
    .map((title) => {
      const options = globalGroups.filter((group) => group.title === title).map((group) => group.options);
      const rows = options.flatMap((all) => Object.entries(all));
      return listing(
        title,
        rows.map(([name, option]) => [formatFlag(name, option), describeOption(option)]),
      );
    })
    .join('\n');
}

function listing(title: string, rows: readonly (readonly [term: string, meaning: string])[]): string {
  const widest = Math.max(...rows.map(([term]) => term.length));
  return `${title}\n${rows.map(([term, meaning]) => `  ${term.padEnd(widest)}  ${meaning}\n`).join('')}`;
}
