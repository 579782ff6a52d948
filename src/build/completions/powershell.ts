import { type Flag, offerText, type Step, type Syntax } from './syntax.ts';
import { filled } from './template.ts';

/** The completion script for PowerShell. It is ASCII: Windows PowerShell reads files without a mark as it likes. */
export function powershellScript({ steps, groups }: Syntax): string {
  const shared = Object.entries(groups).flatMap(([name, flags]) => [
    `        $${name} = @(`,
    ...flags.flatMap(flagLines).map((line) => `            ${line}`),
    '        )',
  ]);
  const cases = steps.flatMap((step) => [
    `            ${condition(step)} {`,
    ...lines(step).map((line) => `                ${line}`),
    '            }',
  ]);
  return filled('kith.ps1', [...shared, '        switch -CaseSensitive ($path) {', ...cases, '        }']);
}

function condition({ paths }: Step): string {
  const [only = '', ...others] = paths;
  return others.length === 0 ? quoted(only) : `{ ${paths.map(quoted).join(', ')} -ccontains $_ }`;
}

/** Each is an expression of its own, which makes it an output. */
function lines({ words, places, flags, groups }: Step): string[] {
  return [
    ...words.map(({ name, summary }) => quoted(`${name} -- ${summary}`)),
    ...places.map(({ offer, several }) => quoted(`:${offerText(offer)}${several ? '+' : ''}`)),
    ...flags.flatMap(flagLines),
    ...groups.map((name) => `$${name}`),
  ];
}

function flagLines({ short, long, summary, value, offer }: Flag): string[] {
  const after = value === undefined ? '' : `=${offerText(offer)}`;
  return [...(short ? [short] : []), long].map((name) => quoted(`${name}${after} -- ${summary}`));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
