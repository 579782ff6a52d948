import type { Session } from '../../cli/command/context.ts';

/** Receives the number of requests so far, and the current step of the call. */
export type ProgressListener = (count: number, message: string) => void;

/** Milliseconds between two notifications. */
const interval = 100;

/** The width of a message, in columns. */
const messageWidth = 120;

/** Returns an activity that reports the requests of a call instead of showing them in a terminal. */
export function createCallActivity(
  activity: Session['terminal']['activity'],
  report: ProgressListener,
): Session['terminal']['activity'] {
  const jobs = new Set<{ describe(room: number): string }>();
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  return {
    now: () => activity.now(),
    pause: (work) => work(),
    begin(task) {
      if (task.level === 'job') {
        jobs.add(task);
        return () => void jobs.delete(task);
      }
      count += 1;
      const time = activity.now();
      if (time - last >= interval) {
        last = time;
        const [job] = jobs;
        report(count, job?.describe(messageWidth) || task.describe(messageWidth));
      }
      return () => {};
    },
  };
}
