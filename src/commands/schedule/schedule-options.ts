import type { Option } from '../../cli/command/options.ts';
import { Failure } from '../../contract/errors.ts';
import { isUnencrypted } from '../../settings/connection.ts';
import { parseUrl } from '../../values/domain.ts';

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
    'Run this shell command if the job fails, with KITH_SCHEDULE, KITH_EXIT_CODE and KITH_LOG in its environment',
  placeholder: 'COMMAND',
  parse(text) {
    if (text.trim() === '') throw new Failure('usage', 'COMMAND must not be empty.');
    return text;
  },
};

export const ping: Option<string | undefined> = {
  summary: 'Request this URL after each successful run, and URL/fail after each failed run',
  placeholder: 'URL',
  parse(text) {
    const url = parseUrl(text);
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
      throw new Failure('usage', 'This is not a URL to ping.', {
        hint: 'Use an https URL without a user, password or fragment, such as https://ping.example.com/nightly.',
      });
    }
    if (!isUnencrypted(url)) return url.href;
    throw new Failure('usage', `A ping to ${url.origin} would be unencrypted.`, {
      hint: `Use https://${url.host}. Plain http is only allowed for localhost.`,
    });
  },
};
