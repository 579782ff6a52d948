import { getBuiltinModule } from 'node:process';
import { Failure } from '../contract/errors.ts';
import { parseUrl } from '../values/domain.ts';

/** Environment variables, as a program gets them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A proxy as the environment names it. */
export interface ProxySettings {
  /** The variable that names it. */
  readonly name: string;
  readonly url: URL;
  /** The hosts that are reached without it. */
  readonly noProxy: string;
}

/** A proxy made no way to the service: nothing was sent there. */
export class TunnelError extends Error {
  override readonly name = 'NoTunnel';
}

/**
 * The proxy for a service; none for one on this machine over plain HTTP. Throws `usage` for one that cannot be used.
 * As curl reads them, the lower-case name comes first; where only that for HTTP is set, it is meant for HTTPS too.
 */
export function findProxy(base: URL, env: Variables): ProxySettings | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((variable) => env[variable]);
  if (name === undefined || base.protocol === 'http:') return undefined;
  return { name, url: urlOf(name, env[name] ?? ''), noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}

/** What to say of a proxy where a service cannot be reached. Never its password. */
export function formatProxyHint({ name, url }: ProxySettings): string {
  return `${name} names the proxy ${url.protocol}//${url.host}; NO_PROXY leaves hosts out.`;
}

/** A bare "%" in a password is itself. */
const wellEncoded = (text: string) => text.replace(/%(?![\da-f]{2})/gi, '%25');

function urlOf(name: string, text: string): URL {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = parseUrl(whole);
  if (url && /^https?:$/.test(url.protocol)) {
    const { protocol, host } = url;
    const [user, password] = [url.username, url.password].map(wellEncoded);
    return Object.assign(new URL(`${protocol}//${host}`), { username: user, password });
  }
  // Not the text itself: it may hold a password.
  throw new Failure('usage', `${name} names no proxy that can be used.`, {
    hint: `It looks like ${name}=http://proxy.example.com:3128`,
  });
}

const families = { 4: { name: 'ipv4', bits: 32 }, 6: { name: 'ipv6', bits: 128 } } as const;

/**
 * Whether a host is an address in a block that NO_PROXY leaves out, as curl reads `10.0.0.0/8`. What undici finds
 * there by itself are names, and an address as it is.
 */
export function isInNoProxyRange(host: string, noProxy: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const family = familyOf(address);
  if (!family) return false;
  const blocks = new (loadNet().BlockList)();
  for (const entry of noProxy.split(/[,\s]+/)) {
    const [, net = '', bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    const its = familyOf(net);
    if (its && Number(bits) <= its.bits) blocks.addSubnet(net, Number(bits), its.name);
  }
  return blocks.check(address, family.name);
}

/** Loads node:net on first use. It loads the streams of Node, which most commands do not need. */
const loadNet = () => getBuiltinModule('node:net');

function familyOf(address: string) {
  const version = loadNet().isIP(address);
  return version === 4 || version === 6 ? families[version] : undefined;
}
