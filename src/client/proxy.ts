import type { Dispatcher } from 'undici';
import { Failure } from '../contract/errors.ts';
import { parseUrl } from '../values/domain.ts';
import { TunnelError } from './delivery.ts';
import type { ConnectionTiming } from './exchange.ts';

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A proxy from the environment. */
interface ProxySettings {
  readonly url: URL;
  /** The hosts to reach without the proxy. */
  readonly noProxy: string;
  /** The hint for a service that cannot be reached through the proxy. */
  readonly hint: string;
}

/**
 * Finds the proxy for a service. Plain HTTP needs no proxy, because it is only for this machine. As in curl, the
 * lower-case variable has precedence. A proxy for HTTP also serves HTTPS.
 * @throws {Failure} usage if its URL is invalid
 */
export function findProxy(base: URL, env: Variables): ProxySettings | undefined {
  const variable = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((name) => env[name]);
  if (variable === undefined || base.protocol === 'http:') return undefined;
  const url = parseProxyUrl(variable, env[variable] ?? '');
  // Without the user name and the password.
  const hint = `${variable} sets the proxy ${url.protocol}//${url.host}. To bypass it for a host, add the host to NO_PROXY.`;
  return { url, noProxy: env.no_proxy ?? env.NO_PROXY ?? '', hint };
}

function parseProxyUrl(variable: string, text: string): URL {
  const url = parseUrl(text.includes('://') ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol)) {
    // The message must not contain the text, which may hold a password.
    throw new Failure('usage', `${variable} is not a valid proxy URL.`, {
      hint: `Example: export ${variable}=http://proxy.example.com:3128`,
    });
  }
  // A "%" that does not begin an escape is literal.
  const [username, password] = [url.username, url.password].map((part) =>
    part.replace(/%(?![\da-f]{2})/gi, '%25'),
  );
  return Object.assign(new URL(`${url.protocol}//${url.host}`), { username, password });
}

/** Maximum bytes of the headers of a response: the default of Node. */
const maxHeaderSize = 16_384;

/**
 * Returns a connection pool for a service, through its proxy if it has one. `timeout`: milliseconds for each step.
 * `onConnected` receives the times of each new connection that does not use a proxy.
 */
export async function createAgent(
  base: URL,
  proxy: ProxySettings | undefined,
  timeout: number,
  onConnected?: (timing: ConnectionTiming) => void,
): Promise<Dispatcher> {
  const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
  const connect = { timeout };
  const options = {
    connect,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    allowH2: false,
    maxHeaderSize,
  };
  if (!proxy || isInNoProxyRange(base.hostname, proxy.noProxy)) {
    if (!onConnected) return new Agent(options);
    const { createTimedConnector } = await import('./connection-timing.ts');
    return new Agent({ ...options, connect: createTimedConnector(timeout, onConnected) });
  }
  const [{ default: ProxyAgent }, { default: Pool }, { default: connectThrough }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  return new ProxyAgent({
    ...options,
    httpProxy: proxy.url.href,
    httpsProxy: proxy.url.href,
    noProxy: proxy.noProxy,
    proxyTls: connect,
    requestTls: connect,
    // undici's index adds `connect` to every pool, but loading it takes too long.
    clientFactory: (origin, more) => {
      const pool = new Pool(origin, { ...options, ...more });
      const openTunnel = async (request: Parameters<typeof connectThrough>[0]) => {
        try {
          return await connectThrough.call(pool, request);
        } catch (error) {
          throw new TunnelError('The proxy opened no tunnel.', { cause: error });
        }
      };
      return Object.assign(pool, { connect: openTunnel });
    },
  });
}

/** Whether an address range in NO_PROXY, such as `10.0.0.0/8`, contains the host. undici does not support ranges. */
export function isInNoProxyRange(host: string, noProxy: string): boolean {
  // Loaded on first use: it loads the streams of Node, which most commands do not need.
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const getFamily = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return false;
  const ranges = new BlockList();
  for (const entry of noProxy.split(/[,\s]+/)) {
    const [, network = '', bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    const maxBits = { 0: -1, 4: 32, 6: 128 }[isIP(network)] ?? -1;
    if (Number(bits) <= maxBits) ranges.addSubnet(network, Number(bits), getFamily(network));
  }
  return ranges.check(address, getFamily(address));
}
