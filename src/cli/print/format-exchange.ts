import type { Exchange } from '../../client/exchange.ts';
import { sanitizeLine } from '../../render/text/sanitize.ts';
import { formatCount, quoteShellWord } from '../../values/text.ts';

/** Headers and query parameters whose values are secrets. */
const secret = /authorization|cookie|token|secret|passw|signature|key$|^sig$/i;

/**
 * Formats an exchange with a service for --debug: headers without secrets, sizes, times, and a command that repeats a
 * read with the key in KITH_API_KEY.
 */
export function formatExchange({ method, url: fullUrl, request, response, timing }: Exchange): string {
  const url = redactQuery(fullUrl);
  const lines = [
    `> ${method} ${url}`,
    ...formatHeaders('>', request.headers),
    ...(request.bytes > 0 ? [`> ${formatCount(request.bytes, 'byte')}`] : []),
    `< ${response.status}`,
    ...formatHeaders('<', response.headers),
    `< ${response.bytes === undefined ? 'too many bytes' : formatCount(response.bytes, 'byte')}`,
    `time: ${formatTiming(timing)}`,
    ...(method === 'GET'
      ? [`curl -H "Authorization: Bearer $KITH_API_KEY" -H "Accept: application/json" ${quoteShellWord(url)}`]
      : []),
  ];
  return lines.map((line) => `  ${sanitizeLine(line)}\n`).join('');
}

const formatHeaders = (mark: string, headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(
    ([name, value]) => `${mark} ${name}: ${secret.test(name) ? '[redacted]' : redactQuery(value)}`,
  );

/** Replaces the secrets in the query of each URL in a text. */
const redactQuery = (text: string) =>
  text.replaceAll(/(?<=[?&])([^=&\s]+)=[^&#\s>"]+/g, (parameter, name: string) =>
    secret.test(decodeName(name)) ? `${name}=[redacted]` : parameter,
  );

function decodeName(name: string): string {
  const [decoded = name] = new URLSearchParams(name).keys();
  return decoded;
}

/** Formats milliseconds. A reused connection has no connection times. */
function formatTiming({ connection, firstByte, total }: Exchange['timing']): string {
  const { dns, connect, tls } = connection ?? {};
  const steps = { DNS: dns, connect, TLS: tls, 'first byte': firstByte, total };
  const texts = Object.entries(steps).flatMap(([name, time]) =>
    time === undefined ? [] : [`${name} ${time.toFixed(1)} ms`],
  );
  return [...(connection ? [] : ['reused connection']), ...texts].join(', ');
}
