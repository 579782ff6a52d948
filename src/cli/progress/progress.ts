import { formatInteger } from '../../values/text.ts';
import type { Activity } from './activity.ts';

/** Work that is done step by step, such as the rows of an import. */
export interface Steps {
  /** Such as `Importing`. */
  readonly verb: string;
  readonly done: number;
  readonly total: number | undefined;
  /** The noun of one unit, such as `row`. A `byte` is shown as a part of a megabyte. */
  readonly unit: string;
}

/** The widths of the bar, in columns. */
const barWidths = [20, 10] as const;

/** Runs long work, and shows its progress as a text or a bar. */
export async function withProgress<T>(
  { terminal: { activity } }: { readonly terminal: { readonly activity: Pick<Activity, 'begin' | 'now'> } },
  work: (update: (progress: string | Steps) => void) => Promise<T>,
): Promise<T> {
  let latest: string | Steps = '';
  let start: { readonly at: number; readonly verb: string; readonly done: number } | undefined;
  const describe = (room: number) => {
    if (typeof latest === 'string') return latest;
    const seconds = start ? (activity.now() - start.at) / 1000 : 0;
    const rate = start && seconds > 0 ? (latest.done - start.done) / seconds : 0;
    return formatSteps(latest, rate, room);
  };
  const end = activity.begin({ level: 'job', describe });
  try {
    return await work((progress) => {
      latest = progress;
      if (typeof progress === 'string' || progress.verb === start?.verb) return;
      start = { at: activity.now(), verb: progress.verb, done: progress.done };
    });
  } finally {
    end();
  }
}

/**
 * Formats steps with a bar, the share, the rate per second and the time remaining. If `room`, in columns, is too small,
 * omits parts: first the bar, and last the count and the time remaining.
 */
export function formatSteps({ verb, done, total, unit }: Steps, rate: number, room: number): string {
  const noun = unit === 'byte' ? '' : ` ${unit}${(total ?? done) === 1 ? '' : 's'}`;
  const amount = formatAmount(done, unit);
  const speed = rate > 0 ? `, ${formatAmount(rate, unit)}/s` : '';
  if (total === undefined || total <= 0) return `${verb}: ${amount}${noun}${speed}`;
  const share = Math.min(1, done / total);
  const percent = `${Math.floor(share * 100)}%`;
  const count = `${amount} of ${formatAmount(total, unit)}`;
  const remainingTime = rate > 0 && done < total ? `, ${formatDuration((total - done) / rate)} left` : '';
  const forms = [
    ...barWidths.map(
      (width) => `${verb} ${formatBar(share, width)} ${percent}, ${count}${noun}${speed}${remainingTime}`,
    ),
    `${verb} ${percent}, ${count}${noun}${speed}${remainingTime}`,
    `${verb} ${count}${noun}${speed}${remainingTime}`,
    `${verb} ${count}${speed}${remainingTime}`,
    `${count}${speed}${remainingTime}`,
  ];
  return forms.find(({ length }) => length <= room) ?? `${count}${remainingTime}`;
}

function formatBar(share: number, width: number): string {
  const filled = Math.round(share * width);
  return `${'━'.repeat(filled)}${'─'.repeat(width - filled)}`;
}

function formatAmount(amount: number, unit: string): string {
  if (unit === 'byte') return `${(amount / 1e6).toFixed(1)} MB`;
  return amount < 10 && !Number.isInteger(amount) ? amount.toFixed(1) : formatInteger(Math.round(amount));
}

/** Formats seconds with one or two units: `45 s`, `3 min`, `1 h 5 min`. */
function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
