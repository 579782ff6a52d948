import type { Session } from '../context.ts';

/** Work that is done step by step, such as the rows of an import. */
export interface Steps {
  /** Such as `Importing`. */
  readonly verb: string;
  readonly done: number;
  readonly total: number | undefined;
  /** The plural of what is counted; `bytes` are shown as megabytes. */
  readonly unit: string;
}

/** The fewest columns of a terminal in which a bar is shown. */
const minBarColumns = 60;
const barWidth = 20;

/** Runs work that may take long, and shows its progress as `createActivity` does: as a text, or as a bar. */
export async function withProgress<T>(
  { activity, stderr }: Pick<Session, 'activity' | 'stderr'>,
  work: (update: (progress: string | Steps) => void) => Promise<T>,
): Promise<T> {
  let latest: string | Steps = '';
  let start: { readonly at: number; readonly done: number } | undefined;
  const describe = () => {
    if (typeof latest === 'string') return latest;
    const seconds = start ? (performance.now() - start.at) / 1000 : 0;
    const rate = start && seconds > 0 ? (latest.done - start.done) / seconds : 0;
    return formatSteps(latest, rate, (stderr.columns ?? 0) >= minBarColumns);
  };
  const end = activity.begin({ level: 'job', describe });
  try {
    return await work((progress) => {
      latest = progress;
      if (typeof progress !== 'string') start ??= { at: performance.now(), done: progress.done };
    });
  } finally {
    end();
  }
}

/** Formats steps with the share, the rate per second and the time remaining: a bar if there is room for one. */
export function formatSteps({ verb, done, total, unit }: Steps, rate: number, hasBar: boolean): string {
  const speed = rate > 0 ? `, ${formatAmount(rate, unit)}/s` : '';
  if (total === undefined || total <= 0) return `${verb}: ${formatAmount(done, unit)} ${unit}${speed}`;
  const share = Math.min(1, done / total);
  const filled = Math.round(share * barWidth);
  const bar = hasBar ? ` ${'━'.repeat(filled)}${'─'.repeat(barWidth - filled)}` : '';
  const rest = rate > 0 && done < total ? `, ${formatDuration((total - done) / rate)} left` : '';
  const count = `${formatAmount(done, unit)} of ${formatAmount(total, unit)}${unit === 'bytes' ? '' : ` ${unit}`}`;
  return `${verb}${bar} ${Math.floor(share * 100)} %, ${count}${speed}${rest}`;
}

function formatAmount(amount: number, unit: string): string {
  if (unit === 'bytes') return `${(amount / 1e6).toFixed(1)} MB`;
  return amount < 10 && !Number.isInteger(amount)
    ? amount.toFixed(1)
    : Math.round(amount).toLocaleString('en');
}

/** Formats seconds with one or two units: `45 s`, `3 min`, `1 h 5 min`. */
function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
