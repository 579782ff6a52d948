import { exitCodes } from '../contract/errors.ts';

/** Help that is about no command: `kith help TOPIC`. */
export const topics: Readonly<Record<string, () => string>> = {
  'exit-codes': () =>
    [
      'Exit codes\n',
      ...Object.entries(exitCodes).map(([code, meaning]) => `${code.padStart(5)}  ${meaning}\n`),
    ].join(''),
};
