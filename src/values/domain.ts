import { cleanToken } from './clean-text.ts';

/** Separators after which a text is more than one URL. A URL alone may contain `;`, `,` and blanks, too. */
const urlSeparators = /[\t\r\n]|[;,] | ::: |[ ;,][a-z][a-z0-9+.-]*:\/\//i;

/**
 * Returns the host of a URL or domain name, in lower case, without `www.`, with IDN as punycode; undefined if the text
 * has none or several.
 */
export function extractHost(text: string): string | undefined {
  const trimmed = cleanToken(text).trim();
  if (urlSeparators.test(trimmed)) return undefined;
  const url = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const host = url.hostname.replace(/^www\./, '').replace(/\.$/, '');
  return url.username === '' && isHostName(host) ? host : undefined;
}

/** Returns a domain as the service stores it: `acme.com` for `https://www.Acme.com/about`. */
export function normalizeDomain(text: string): string {
  return extractHost(text) ?? cleanToken(text).trim().toLowerCase();
}

/** Returns a host with IDN as punycode, or an empty text if it is invalid. `node:url` does not exist in every runtime. */
function toAsciiHost(text: string): string {
  const unset = 'unset.invalid';
  const url = new URL(`ws://${unset}`);
  url.hostname = text; // an invalid host changes nothing
  return url.hostname === unset ? '' : url.hostname;
}

/** Whether a text is a host name with at least two labels. */
function isHostName(text: string): boolean {
  const host = toAsciiHost(text);
  return (
    host.length <= 253 && /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/.test(host)
  );
}

/** Returns the host of a valid email address. */
export function extractEmailHost(email: string): string {
  return toAsciiHost(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();
}

/** Returns the form of an address that kith's own service compares. */
export const foldEmail = (email: string): string =>
  (parseEmail(email) ?? cleanToken(email).trim()).toLowerCase();

/** Returns the comparison form of an address: lower case with an ASCII domain, as a service may store it. */
export function normalizeEmail(email: string): string {
  const text = foldEmail(email.normalize('NFC'));
  const domain = text.slice(text.lastIndexOf('@') + 1);
  return text.slice(0, text.length - domain.length) + (toAsciiHost(domain) || domain);
}

/** Hosts of public mail services: such an address does not identify an organization. */
export const publicMailHosts: ReadonlySet<string> = new Set(
  `gmail.com googlemail.com yahoo.com yahoo.co.jp yahoo.co.uk yahoo.fr yahoo.de ymail.com rocketmail.com
  outlook.com outlook.de outlook.fr outlook.jp hotmail.com hotmail.co.uk hotmail.fr hotmail.de live.com msn.com
  icloud.com me.com mac.com aol.com proton.me protonmail.com pm.me tutanota.com fastmail.com hey.com zoho.com
  gmx.com gmx.de gmx.net web.de t-online.de freenet.de orange.fr free.fr wanadoo.fr laposte.net sapo.pt
  libero.it virgilio.it mail.com mail.ru yandex.ru yandex.com naver.com daum.net hanmail.net kakao.com nate.com
  qq.com 163.com 126.com sina.com foxmail.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp uol.com.br bol.com.br
  terra.com.br rediffmail.com comcast.net verizon.net att.net sbcglobal.net cox.net btinternet.com`.split(
    /\s+/,
  ),
);

/** Whether a text is an HTTP or HTTPS URL. */
export function isUrl(text: string | undefined): boolean {
  return text !== undefined && /^https?:\/\/\S+$/i.test(text) && parseUrl(text) !== undefined;
}

/** Returns the last part of a URL's path, such as the id in `https://crm.example.com/contacts/0rlnky`; undefined if none. */
export function extractLastPathPart(text: string): string | undefined {
  if (!isUrl(text)) return undefined;
  const part = parseUrl(text)
    ?.pathname.split('/')
    .findLast((label) => label !== '');
  try {
    return part && decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Returns the id of a record from an id or a URL. */
export function readRecordId(text: string): string {
  return extractLastPathPart(text) ?? text;
}

/** Parses a URL; undefined if invalid. `URL.canParse` of Node 20 fails for IDN hosts after some thousand calls. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/**
 * Whether a text has the syntax of an email address, which may be international. The local part may have consecutive or
 * final dots, as in addresses that Japanese carriers have issued.
 */
export function isEmail(text: string | undefined): boolean {
  const [, local = '', host = ''] = /^([^\s@<>()[\]\\,;:"]{1,64})@([^\s@]{1,253})$/u.exec(text ?? '') ?? [];
  return local !== '' && !local.startsWith('.') && isHostName(host);
}

/** The longest text of one address with a name. */
const maxNamedAddress = 1000;

/**
 * Forms in which programs write an address, with the address as the first group: `#mailto:ada@a.example#` of a
 * hyperlink in Access, `"Lovelace, Ada" <ada@a.example>`, `ada@a.example <mailto:ada@a.example>`,
 * `ada@a.example (Ada)`, a link, and a quoted address. No form drops another address.
 */
const addressForms = [
  /^[^#@]*#(mailto:[^#]+)#$/i,
  /^(?!.*\S@\S.*[<[(])(?:"(?:[^"\\]|\\.)*"\s*|'[^']*'\s*|[^"<>;]*)[<[(]\s*([^\s<>[\]()]+)\s*[>\])]$/s,
  /^["']?([^\s<[(#"']+)["']?\s*[<[(#](?:mailto:)?\1[>\])#]$/i,
  /^(\S+@\S+)\s*\([^()@]*\)$/,
  /^mailto:([^?]*)(?:\?.*)?$/i,
  /^'(.*)'$/,
  /^"(.*)"$/,
];

/** Returns the email address in a text of a mail program or a spreadsheet; undefined if it has none or several. */
export function parseEmail(text: string): string | undefined {
  const token = cleanToken(text).trim();
  if (isEmail(token)) return token;
  if (token.length > maxNamedAddress) return undefined;
  const removeEnd = (address: string) => address.replace(/[\s.,;]+$/, '');
  const address = addressForms.reduce((rest, form) => rest.replace(form, '$1'), removeEnd(token));
  return isEmail(removeEnd(address)) ? removeEnd(address) : undefined;
}
