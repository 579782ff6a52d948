import { type Flag, offerText, type Step, type Syntax } from './syntax.ts';
import { filled } from './template.ts';

/** The completion script for fish. */
export function fishScript({ steps, groups }: Syntax): string {
  const shared = Object.entries(groups).map(
    ([name, flags]) => `    set -l ${name} ${flags.flatMap(flagLines).join(' ')}`,
  );
  const cases = steps.flatMap((step) => [`        case ${step.paths.map(quoted).join(' ')}`, ...lines(step)]);
  return filled('kith.fish', [...shared, '    switch $argv[1]', ...cases, '    end']);
}

function lines({ words, places, flags, groups }: Step): string[] {
  const all = [
    ...words.map(({ name, summary }) => line(name, summary)),
    ...places.map(({ offer, several }) => quoted(`:${offerText(offer)}${several ? '+' : ''}`)),
    ...flags.flatMap(flagLines),
    ...groups.map((name) => `$${name}`),
  ];
  return [`            ${['string join \\n --', ...all].join(' \\\n                ')}`];
}

function flagLines({ short, long, summary, value, offer }: Flag): string[] {
  const after = value === undefined ? '' : `=${offerText(offer)}`;
  return [...(short ? [short] : []), long].map((name) => line(`${name}${after}`, summary));
}

/** A tab parts a candidate from what it is. */
function line(typed: string, summary: string): string {
  return `${typed}\\t${quoted(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
