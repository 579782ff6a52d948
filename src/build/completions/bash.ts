import { type Flag, offerText, type Step, type Syntax } from './syntax.ts';
import { filled } from './template.ts';

/** The completion script for bash. */
export function bashScript({ steps, groups }: Syntax): string {
  const shared = Object.entries(groups).map(([name, flags]) => `  local ${name}='${flagWords(flags)}'`);
  const cases = steps.flatMap((step) => [`    ${patterns(step)})`, ...settings(step), '      ;;']);
  return filled('kith.bash', [
    ...shared,
    "  words='' places='' flags=''",
    '  case $1 in',
    ...cases,
    '  esac',
  ]);
}

function patterns({ paths }: Step): string {
  return paths.map((path) => `'${path}'`).join(' | ');
}

function settings({ words, places, flags, groups }: Step): string[] {
  const names = words.map(({ name }) => name).join(' ');
  const offers = places
    .map(({ offer, several }) => `${offerText(offer) || '-'}${several ? '+' : ''}`)
    .join(' ');
  const all = [flagWords(flags), ...groups.map((name) => `$${name}`)].join(' ');
  return [
    ...(names ? [`      words='${names}'`] : []),
    ...(offers ? [`      places='${offers}'`] : []),
    ...(all ? [`      flags="${all}"`] : []),
  ];
}

function flagWords(flags: readonly Flag[]): string {
  return flags
    .flatMap(({ short, long, value, offer }) => {
      const after = value === undefined ? '' : `=${offerText(offer)}`;
      return [...(short ? [short] : []), long].map((name) => `${name}${after}`);
    })
    .join(' ');
}
