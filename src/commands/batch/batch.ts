import { defineCommand } from '../../cli/command/command.ts';
import { createFlag, createIntegerOption, withDefault } from '../../cli/command/options.ts';
import { describeDeletePrompt } from '../../cli/writes/writing.ts';

export const batch = defineCommand({
  name: 'batch',
  summary: 'Run the commands in a file, one per line',
  description:
    'Run commands that read or write records. Each line of the file is a JSON object. "command" is the name of the ' +
    'command, and the other keys are its arguments and flags with underscores, such as "first_name". kith replaces ' +
    '"$1.id" with the id in the result of line 1. It checks all lines before it runs the first one, prints a result ' +
    'for each line, and records the batch as one command for `kith undo`. If a batch was interrupted, ' +
    'the service was unavailable, or an outcome is unknown, run it again to continue with the missing lines.',
  effects: 'deletes',
  isFileBased: true,
  recording: 'own',
  describeInteraction: describeDeletePrompt,
  args: { file: { summary: 'NDJSON file, or - for stdin', completion: 'files' } },
  options: {
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
    'batch changes.ndjson --parallel 4 --stop-on-error',
  ],
  run: async (session, input) => (await import('./print-batch.ts')).runBatch(session, input),
});
