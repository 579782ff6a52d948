import { isHostName } from './domain.ts';

/** Whether a text has the syntax of an email address, which may be international. */
export function isEmail(text: string | undefined): boolean {
  const [, local = '', host = ''] = /^([^\s@<>()[\]\\,;:"]{1,64})@([^\s@]{1,253})$/u.exec(text ?? '') ?? [];
  return !/^\.|\.\.|\.$/.test(local) && local !== '' && isHostName(host);
}
