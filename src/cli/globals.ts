import type { Globals } from './context.ts';
import { recordFormats } from './formats.ts';
import { flag, type Option, text, whole, withDefault } from './options.ts';

/** The flags that every command takes. */
export const globalOptions: { readonly [Name in keyof Globals]: Option<Globals[Name]> } = {
  profile: text('Use this profile', 'NAME'),
  baseUrl: text('Talk to the service at this address', 'URL'),
  // Which of them a command takes is checked when it is known which command it is.
  format: { ...text(`Print as ${recordFormats.join(', ')}`, 'FORMAT') },
  json: flag('The same as --format json'),
  limit: whole('Records at the most (default 25)', 'N', { min: 1 }),
  all: flag('All records'),
  pageSize: whole('Records to a request', 'N', { min: 1, max: 500 }),
  timeout: withDefault(whole('Seconds to wait for an answer', 'SECONDS', { min: 1, max: 3600 }), 30),
  retries: withDefault(whole('Times that a request is sent again', 'N', { min: 0, max: 20 }), 4),
  quiet: flag('No notes on stderr', { short: '-q' }),
  debug: flag('Show each request on stderr'),
  color: { ...flag('No colours'), fallback: true },
};
