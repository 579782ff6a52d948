import { isHostName } from './domain.ts';

/** Whether a text is an email address by its syntax, international ones included. */
export function isEmail(text: string | undefined): boolean {
  const [, local = '', host = ''] = /^([^\s@<>()[\]\\,;:"]{1,64})@([^\s@]{1,253})$/u.exec(text ?? '') ?? [];
  return !/^\.|\.\.|\.$/.test(local) && local !== '' && isHostName(host);
}
