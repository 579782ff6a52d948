import { Failure } from '../contract/errors.ts';

/** Environment variables, as a program gets them. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** A proxy as the environment names it. */
export interface NamedProxy {
  /** The variable that names it. */
  readonly name: string;
  readonly url: URL;
  /** The hosts that are reached without it. */
  readonly noProxy: string;
}

/**
 * The proxy for a service; none for one on this machine over plain HTTP. Throws `usage` for one that cannot be used.
 * As curl reads them, the lower-case name comes first; where only that for HTTP is set, it is meant for HTTPS too.
 */
export function proxyFor(base: URL, env: Variables): NamedProxy | undefined {
  const name = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].find((variable) => env[variable]);
  if (name === undefined || base.protocol === 'http:') return undefined;
  return { name, url: urlOf(name, env[name] ?? ''), noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}

/** What to say of a proxy where a service cannot be reached. Never its password. */
export function proxyHint({ name, url }: NamedProxy): string {
  return `${name} names the proxy ${url.protocol}//${url.host}; NO_PROXY leaves hosts out.`;
}

function urlOf(name: string, text: string): URL {
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  // Not the text itself: it may hold a password.
  throw new Failure('usage', `${name} names no proxy that can be used.`, {
    hint: `It looks like ${name}=http://proxy.example.com:3128`,
  });
}
