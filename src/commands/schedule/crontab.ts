/** The lines of a schedule in a crontab: an entry between two comments. */
interface CrontabBlock {
  readonly name: string;
  /** The lines that kith wrote, with their line endings. */
  readonly own: string;
  /** The lines that a person has added between them. */
  readonly foreign: string;
  readonly start: number;
  readonly end: number;
}

const blockPattern =
  /^# kith schedule ([A-Za-z0-9][A-Za-z0-9-]*): begin[ \t]*\r?\n(?:(?!# kith schedule )[^\n]*\n)*?# kith schedule \1: end[ \t]*(?:\r?\n|$)/gm;

/** Finds the lines of schedules in a crontab. A begin without its end is an ordinary comment. */
function findBlocks(crontab: string): CrontabBlock[] {
  return Array.from(crontab.matchAll(blockPattern), ({ 0: text, 1: name = '', index }) => {
    const ownLine = new RegExp(`^# kith schedule |^[^#].* schedule run ${name}\\s*$`);
    const lines = text.split(/(?<=\n)/);
    return {
      name,
      own: lines.filter((line) => ownLine.test(line)).join(''),
      foreign: lines.filter((line) => !ownLine.test(line)).join(''),
      start: index,
      end: index + text.length,
    };
  });
}

/** Returns the names of the schedules in a crontab. */
export const listCrontabNames = (crontab: string): string[] => [
  ...new Set(findBlocks(crontab).map(({ name }) => name)),
];

/** Returns the lines of a schedule for a crontab. */
export const formatCrontabBlock = (name: string, entry: string): string =>
  `# kith schedule ${name}: begin\n${entry}\n# kith schedule ${name}: end\n`;

/** A crontab before and after a change, and the lines that the change removes and adds. */
export interface CrontabChange {
  readonly before: string;
  readonly after: string;
  readonly removed: string;
  readonly added: string;
}

/**
 * Replaces the lines of a schedule, or adds them at the end; `block` '' removes them. All other text stays as it is.
 * Both texts have one character per byte.
 */
export function changeCrontab(crontab: string, name: string, block: string): CrontabChange {
  const blocks = findBlocks(crontab).filter((found) => found.name === name);
  const removed = blocks.map(({ own }) => own).join('');
  let after = '';
  let position = 0;
  for (const [index, { start, end, foreign }] of blocks.entries()) {
    after += crontab.slice(position, start) + (index === 0 ? block : '') + foreign;
    position = end;
  }
  after += crontab.slice(position);
  if (blocks.length === 0 && block !== '') after += (/[^\n]$/.test(crontab) ? '\n' : '') + block;
  return { before: crontab, after, removed, added: block };
}
