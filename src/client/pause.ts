/**
 * The time in which a client sends nothing, because the service told one of its requests to wait. It counts as
 * waiting of that one alone: the others have not been refused.
 */
export interface Pause {
  /** Begins it; one that has begun lasts as long as the longer of the two. */
  start(milliseconds: number): void;
  /** Resolves when a request may be sent. */
  wait(): Promise<void>;
}

/** Milliseconds over which those are spread that waited for another. */
const spread = 250;

/** A pause that has not begun. */
export function createPause(sleep: (milliseconds: number) => Promise<void>, random: () => number): Pause {
  let pause: Promise<void> | undefined;
  let waiting = 0;
  return {
    start(milliseconds) {
      const longer = Promise.all([pause, sleep(milliseconds)]).then(() => {
        if (pause === longer) pause = undefined;
      });
      pause = longer;
    },
    async wait() {
      const isFirst = waiting === 0;
      waiting += 1;
      try {
        while (pause !== undefined) {
          await pause;
          if (!isFirst) await sleep(Math.round(random() * spread));
        }
      } finally {
        waiting -= 1;
      }
    },
  };
}
