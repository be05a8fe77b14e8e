import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;

/** The eight groups of an IPv6 address, written out. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.replace(/%.*$/s, '').split('::');
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const middle = tail === undefined ? 0 : GROUPS - left.length - right.length;
  return [...left, ...Array<string>(Math.max(0, middle)).fill('0'), ...right].map((group) =>
    Number.parseInt(group, 16).toString(16),
  );
}

/** Some proxies add the client's port, which would make each connection a different source. */
const withoutPort = (ip: string): string =>
  ip
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');

/** Returns the source that rate limits apply to: an IPv4 address, or the /64 that one IPv6 subscriber has. */
export function sourceOf(ip: string): string {
  const address = withoutPort(ip);
  return isIPv6(address) ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
}

/** Returns the part of an address that is stored: enough to recognize a network, too little to identify a household. */
export function networkOf(ip: string): string | null {
  const address = withoutPort(ip);
  if (isIPv4(address)) return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  return isIPv6(address) ? `${groupsOf(address).slice(0, 3).join(':')}::/48` : null;
}
