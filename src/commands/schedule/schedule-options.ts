import { createIntegerOption, type Option } from '../../cli/command/options.ts';
import { Failure } from '../../contract/errors.ts';

export const nameArgument = { summary: 'Name of the schedule' } as const;

/** The name is a part of systemd units, launchd labels, comments in a crontab and files. */
const validName = /^[A-Za-z0-9][A-Za-z0-9-]{0,49}$/;

/** @throws {Failure} usage if a name is invalid */
export function checkScheduleName(name: string): void {
  if (validName.test(name)) return;
  throw new Failure('usage', `"${name}" is not a valid name for a schedule.`, {
    hint: 'Use up to 50 letters, digits and "-", starting with a letter or digit.',
  });
}

export const onFailure: Option<string | undefined> = {
  summary:
    'Run this shell command if the job fails, with KITH_SCHEDULE, KITH_EXIT_CODE, KITH_ERROR and KITH_LOG in its environment',
  placeholder: 'COMMAND',
  parse(text) {
    if (text.trim() === '') throw new Failure('usage', 'COMMAND must not be empty.');
    return text;
  },
};

export const afterFailures = createIntegerOption(
  'Print a failure and run the --on-failure command only from the Nth failure in a row (default 1)',
  'N',
  1,
);
