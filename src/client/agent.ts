import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { NamedProxy } from './proxy.ts';

/** Connections to a service, by way of a proxy where there is one. `timeout`: milliseconds for each step. */
export async function agentFor(proxy: NamedProxy | undefined, timeout: number): Promise<Dispatcher> {
  const connect = { timeout };
  const options = { connect, headersTimeout: timeout, bodyTimeout: timeout, allowH2: false };
  if (!proxy) return new Agent(options);
  const { proxyAgent } = await import('./proxy-agent.ts');
  return proxyAgent(proxy, options);
}
