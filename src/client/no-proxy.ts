import { BlockList, isIP } from 'node:net';

const families = { 4: { name: 'ipv4', bits: 32 }, 6: { name: 'ipv6', bits: 128 } } as const;

/**
 * Whether a host is an address in a block that NO_PROXY leaves out, as curl reads `10.0.0.0/8`. What undici finds
 * there by itself are names, and an address as it is.
 */
export function isInNoProxyRange(host: string, noProxy: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  const family = familyOf(address);
  if (!family) return false;
  const blocks = new BlockList();
  for (const entry of noProxy.split(/[,\s]+/)) {
    const [, net = '', bits] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    const its = familyOf(net);
    if (its && Number(bits) <= its.bits) blocks.addSubnet(net, Number(bits), its.name);
  }
  return blocks.check(address, family.name);
}

function familyOf(address: string) {
  const version = isIP(address);
  return version === 4 || version === 6 ? families[version] : undefined;
}
