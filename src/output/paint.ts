import { Chalk } from 'chalk';

/** Text with emphasis, for a stream that shows it. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

/** Emphasis as colours, or as nothing at all. */
export function paintFor(colours: boolean): Paint {
  const { bold, dim, red, green, yellow } = new Chalk({ level: colours ? 1 : 0 });
  // chalk joins all its arguments: with one it can be handed to `map`.
  return {
    bold: (text) => bold(text),
    dim: (text) => dim(text),
    red: (text) => red(text),
    green: (text) => green(text),
    yellow: (text) => yellow(text),
  };
}
