import { defineCommand } from '../../cli/command/command.ts';
import {
  createFlag,
  createIntegerOption,
  createTextOption,
  makeRepeatable,
  withDefault,
} from '../../cli/command/options.ts';
import { describeDeletePrompt } from '../../cli/writes/writing.ts';

export const batch = defineCommand({
  name: 'batch',
  output: { records: ['batch-line[]'] },
  exitCodes: [6],
  summary: 'Run the commands in a file, one per line',
  description:
    'Run commands that read or write records. Each line of the file is a JSON object: a "command", and its ' +
    'arguments and flags, such as "first_name". "$1.id" is the id in the result of line 1. To continue an ' +
    'interrupted batch, run it again. `kith undo` reverts it.',
  effects: 'deletes',
  isFileBased: true,
  recording: 'own',
  describeInteraction: describeDeletePrompt,
  args: { file: { summary: 'NDJSON file, or - for stdin', completion: 'files', isOptional: true } },
  options: {
    line: makeRepeatable(createTextOption('Line to run instead of a file', 'JSON', { isObject: true })),
    parallel: withDefault(
      createIntegerOption(
        'Run up to N lines at once; a line waits for the lines that it refers to',
        'N',
        1,
        32,
      ),
      1,
    ),
    stopOnError: createFlag('Stop at the first line that fails'),
  },
  examples: [
    'batch changes.ndjson',
    'batch changes.ndjson --dry-run',
    `batch --line '{"command":"entries update","id":"DEAL-33","status":"Won"}'`,
    'batch changes.ndjson --parallel 4 --stop-on-error',
  ],
  run: async (session, input) => (await import('./print-batch.ts')).runBatch(session, input),
});
