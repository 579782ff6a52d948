import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { ProxySettings } from './proxy.ts';

/** Connections to a service, by way of a proxy where there is one. `timeout`: milliseconds for each step. */
export async function createAgent(
  base: URL,
  proxy: ProxySettings | undefined,
  timeout: number,
): Promise<Dispatcher> {
  const connect = { timeout };
  const options = { connect, headersTimeout: timeout, bodyTimeout: timeout, allowH2: false };
  if (!proxy) return new Agent(options);
  const [{ isInNoProxyRange }, { createProxyAgent }] = await Promise.all([
    import('./proxy.ts'),
    import('./proxy-agent.ts'),
  ]);
  return isInNoProxyRange(base.hostname, proxy.noProxy)
    ? new Agent(options)
    : createProxyAgent(proxy, options);
}
