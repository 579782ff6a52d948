import { Failure } from '../contract/errors.ts';
import { parseUrl } from '../values/domain.ts';

/**
 * Parses a base URL. `source` names where it was set. The error does not repeat an invalid URL, because it may be a key.
 * @throws {Failure} usage if the URL is invalid, or would send the key unencrypted.
 */
export function parseBaseUrl(url: string, source: string): URL {
  const parsedUrl = parseUrl(url);
  if (!parsedUrl || !/^https?:$/.test(parsedUrl.protocol)) {
    throw new Failure('usage', `${source}: not a valid URL.`, {
      hint: 'Example: https://crm.example.com. The value is not shown because it may be a key.',
    });
  }
  if (parsedUrl.username || parsedUrl.password || parsedUrl.search || parsedUrl.hash) {
    throw new Failure('usage', 'A base URL must not contain a user, password, query or fragment.');
  }
  if (isUnencrypted(parsedUrl)) {
    throw new Failure('usage', `${parsedUrl.origin} would receive the key unencrypted.`, {
      hint: `Use https://${parsedUrl.host}. Plain http is only allowed for localhost.`,
    });
  }
  return parsedUrl;
}

function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(localhost|\[::1\]|127(\.\d{1,3}){3})$/.test(hostname);
}
