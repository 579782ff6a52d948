import type { Chain } from './chains.ts';
import { formatLine } from './chains.ts';
import { findReversed } from './proxy.ts';
import type { ChainResult, LineResult, Mode } from './runs.ts';
import type { CommandLine } from './test-lines.ts';

/** A difference between two runs of a chain. */
export interface Difference {
  readonly line: string;
  /** The part that differs: exit code, stdout, stderr, requests, order of requests, or the path of a file. */
  readonly part: string;
  readonly diff: string;
}

/** A reader that closes its pipe. */
const closedPipe = /\| *(head|true)\b/;

/** Lines that stop before the end of a list: the number of pages or recordings that kith has read ahead varies. */
const stopsEarly = /\| *(head|true)\b|--max\b/;

/** Returns the differences between the runs of a chain with two builds. */
export function compareRuns(chain: Chain, mode: Mode, one: ChainResult, other: ChainResult): Difference[] {
  const lineDifferences = chain.lines.flatMap((line, index) => {
    const results = [one.lines[index], other.lines[index]] as const;
    if (!results[0] || !results[1]) throw new Error(`${formatLine(line)} has not run`);
    return compareResults(line, results[0], results[1], mode.fault !== undefined).map((found) => ({
      line: formatLine(line),
      ...found,
    }));
  });
  const last = `after: ${chain.lines.map(formatLine).join('; ')}`;
  // A picker may be answered before all of its records are in the name cache.
  const isPartial = mode.isTerminal || chain.lines.some((line) => stopsEarly.test(formatLine(line)));
  const paths = [...new Set([...one.files.keys(), ...other.files.keys()])]
    .filter((path) => !isPartial || !path.startsWith('.cache/'))
    .sort();
  const fileDifferences = paths.flatMap((path) =>
    compareTexts(path, one.files.get(path) ?? '(missing)', other.files.get(path) ?? '(missing)'),
  );
  return [...lineDifferences, ...fileDifferences.map((found) => ({ line: last, ...found }))];
}

function compareResults(
  line: CommandLine,
  one: LineResult,
  other: LineResult,
  hasFaults: boolean,
): Omit<Difference, 'line'>[] {
  const printed = [
    ...compareTexts('exit code', String(one.code), String(other.code)),
    ...compareTexts('stdout', one.out, other.out),
  ];
  if (closedPipe.test(formatLine(line))) return printed;
  const errors = compareTexts('stderr', one.err, other.err);
  if (stopsEarly.test(formatLine(line))) return [...printed, ...errors];
  const requests = compareTexts('requests', formatRequests(one.requests), formatRequests(other.requests));
  // With faults, the order depends on the time that the retries take.
  const reversed = hasFaults || requests.length > 0 ? undefined : findReversed(one.requests, other.requests);
  const order = reversed?.map((text) => text.split('\n')[0]).join(' | ');
  return [
    ...printed,
    ...errors,
    ...requests,
    ...(order === undefined ? [] : [{ part: 'order of requests', diff: order }]),
  ];
}

/** Sorts the requests, because concurrent requests have no order. `findReversed` compares the order of the others. */
const formatRequests = (requests: LineResult['requests']) =>
  requests
    .map(({ text }) => text)
    .sort()
    .join('\n\n');

function compareTexts(part: string, one: string, other: string): Omit<Difference, 'line'>[] {
  return one === other ? [] : [{ part, diff: formatDiff(one, other) }];
}

const context = 1;
const maxLines = 6;
const maxWidth = 200;

/** Returns the lines between the common beginning and the common end of two texts. */
function formatDiff(one: string, other: string): string {
  const [first, second] = [one.split('\n'), other.split('\n')];
  let start = 0;
  while (start < first.length && first[start] === second[start]) start += 1;
  let end = 0;
  const maxEnd = Math.min(first.length, second.length) - start;
  while (end < maxEnd && first.at(-1 - end) === second.at(-1 - end)) end += 1;
  const format = (sign: string, lines: readonly string[]) => {
    const shown = lines
      .slice(0, maxLines)
      .map((line) => `      ${sign} ${JSON.stringify(line).slice(1, -1).slice(0, maxWidth)}`);
    return lines.length > maxLines ? [...shown, `      ${sign} (${lines.length - maxLines} more)`] : shown;
  };
  return [
    ...format(' ', first.slice(Math.max(0, start - context), start)),
    ...format('-', first.slice(start, first.length - end)),
    ...format('+', second.slice(start, second.length - end)),
  ].join('\n');
}
