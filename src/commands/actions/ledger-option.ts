import { createTextOption } from '../../cli/command/options.ts';

export const ledgerOption = createTextOption(
  'File that stores the states of action items, such as a shared file',
  'FILE',
  { completion: 'files' },
);
