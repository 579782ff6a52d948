import type { buildConnector, Dispatcher } from 'undici';
import connect from 'undici/lib/api/api-connect.js';
import ProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import { type ProxySettings, TunnelError } from './proxy.ts';

/** How connections are made, and how long each step of a request may take. */
interface Options {
  readonly connect: buildConnector.BuildOptions;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
  readonly allowH2: boolean;
}

/** Connections by way of a proxy; undici reads what NO_PROXY leaves out. */
export function createProxyAgent({ url, noProxy }: ProxySettings, options: Options): Dispatcher {
  return new ProxyAgent({
    ...options,
    httpProxy: url.href,
    httpsProxy: url.href,
    noProxy,
    proxyTls: options.connect,
    requestTls: options.connect,
    // The way to the proxy itself. The method is one that undici's index gives to all, which is not loaded here.
    clientFactory: (origin, more) => {
      const pool = new Pool(origin, { ...options, ...more });
      return Object.assign(pool, { connect: (asked: Asked) => tunnel(pool, asked) });
    },
  });
}

type Asked = Parameters<typeof connect>[0];

async function tunnel(pool: Dispatcher, asked: Asked) {
  try {
    return await connect.call(pool, asked);
  } catch (error) {
    throw new TunnelError('The proxy makes no tunnel.', { cause: error });
  }
}
