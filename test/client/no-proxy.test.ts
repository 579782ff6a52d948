import { expect, test } from 'vitest';
import { isInNoProxyRange } from '../../src/client/proxy.ts';

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', 'crm.example 10.1.2.3/32', true],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['8.8.8.8', '0.0.0.0/0', true],
  ['[2001:db8::1]', '10.0.0.0/8,2001:db8::/32', true],
  ['[2001:db9::1]', '2001:db8::/32', false],
  ['[::ffff:a01:203]', '10.0.0.0/8', true],
  ['crm.example', '0.0.0.0/0,::/0', false],
  ['10.1.2.3', '10.0.0.0/33,10.0.0.0/,10.0.0/8,10.0.0.0/8.5,/8,/', false],
  ['10.1.2.3', '', false],
])('%s with NO_PROXY=%s bypasses the proxy: %s', (host, noProxy, isLeftOut) => {
  expect(isInNoProxyRange(host, noProxy)).toBe(isLeftOut);
});
