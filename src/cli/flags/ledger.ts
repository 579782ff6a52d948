import { createTextOption } from './options.ts';

/** The flag for the file with the states of action items. */
export const ledgerOption = createTextOption(
  'File with the states of action items, such as one that a team shares',
  'FILE',
  { completion: 'files' },
);
