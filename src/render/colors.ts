import { Chalk } from 'chalk';
import type { Paint } from './paint.ts';

const { bold, dim, red, green, yellow } = new Chalk({ level: 1 });

/** Emphasis as colours. chalk joins all its arguments: with one it can be handed to `map`. */
export const colors: Paint = {
  bold: (text) => bold(text),
  dim: (text) => dim(text),
  red: (text) => red(text),
  green: (text) => green(text),
  yellow: (text) => yellow(text),
};
