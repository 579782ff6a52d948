import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { Failure } from '../contract/errors.ts';

/** Environment variables, as a program gets them. */
export type Proxies = Readonly<Record<string, string | undefined>>;

/** Connections to a service, by way of the proxy that the environment names; none is asked on this machine. */
export async function agentFor(base: URL, proxies: Proxies, timeout: number): Promise<Dispatcher> {
  const connect = { timeout };
  const options = { connect, headersTimeout: timeout, bodyTimeout: timeout, allowH2: false };
  const { https, noProxy } = proxiesIn(proxies);
  if (https === undefined || base.protocol === 'http:') return new Agent(options);
  const { default: ProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  return new ProxyAgent({
    ...options,
    httpsProxy: https.url.href,
    httpProxy: https.url.href,
    noProxy,
    proxyTls: connect,
    requestTls: connect,
  });
}

/** What to say of a proxy where a service cannot be reached; undefined where none is set. Never its password. */
export function proxyHint(proxies: Proxies): string | undefined {
  const { https } = proxiesIn(proxies);
  return (
    https &&
    `${https.name} names the proxy ${https.url.protocol}//${https.url.host}; NO_PROXY leaves hosts out.`
  );
}

function proxiesIn(env: Proxies) {
  // As curl reads them: the lower-case name first. Where only that for http is set, it is meant for all.
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'];
  const name = names.find((name) => env[name]);
  const https = name === undefined ? undefined : { name, url: proxyUrl(name, env[name] ?? '') };
  return { https, noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}

function proxyUrl(name: string, text: string): URL {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  // Not the text itself: it may hold a password.
  throw new Failure('usage', `${name} names no proxy that can be used.`, {
    hint: `It looks like ${name}=http://proxy.example.com:3128`,
  });
}
