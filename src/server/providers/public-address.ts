import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Config } from '../core/config.ts';

/** Settings for permitted targets. A sandbox may send to its own machine without TLS. */
type Rules = Pick<Config, 'environment' | 'webhookRanges'>;

/** All global unicast addresses; others belong to a private network or lead to one. */
const PUBLIC_V6 = ipaddr.parseCIDR('2000::/3') as [ipaddr.IPv6, number];
/** Names that no public resolver serves: RFC 6761, 6762, 8375, and those that ICANN reserves for private use. */
const PRIVATE_NAMES = /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa|onion)$/;
const HTTPS_PORT = 443;
const SYSTEM_PORTS = 1024;

export class ForbiddenTargetError extends Error {}

const isLoopback = (address: ipaddr.IPv4 | ipaddr.IPv6) => address.range() === 'loopback';

function isAllowed(address: string, { webhookRanges }: Rules): boolean {
  const list = new BlockList();
  for (const { network, bits, family } of webhookRanges) list.addSubnet(network, bits, family);
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Rejects an address (in the system's notation) that is neither public nor allowed by the operator. An IPv6 address
 * that embeds an IPv4 one (mapped, NAT64, 6to4, Teredo) is always rejected: public hosts do not use those.
 * @throws {ForbiddenTargetError}
 */
export function assertAddressAllowed(text: string, rules: Rules, { plain }: { plain: boolean }): void {
  if (!ipaddr.isValid(text)) throw new ForbiddenTargetError(`${text} is not an address`);
  // A dual-stack socket reports 10.0.0.1 as `::ffff:10.0.0.1`.
  const address = ipaddr.process(text);
  const own = rules.environment === 'sandbox' && isLoopback(address);
  if (plain && !own) throw new ForbiddenTargetError('only https leaves this machine');
  if (own || isAllowed(address.toString(), rules)) return;
  const literal = ipaddr.parse(text);
  const isPublic =
    literal.range() === 'unicast' && (literal.kind() === 'ipv4' || (literal as ipaddr.IPv6).match(PUBLIC_V6));
  if (!isPublic) throw new ForbiddenTargetError(`${text} is not a public address (${literal.range()})`);
}

/**
 * Returns the URL to connect to. The URL standard normalizes decimal, octal and hexadecimal hosts, so the validated
 * host is the connected one. The addresses of a name are validated at each connection.
 * @throws {ForbiddenTargetError}
 */
export function parseTarget(text: string, rules: Rules): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:\/\//i.test(text.trim())) throw new ForbiddenTargetError('must be an https address');
  if (url.username || url.password) throw new ForbiddenTargetError('must not contain a name or password');
  if (url.hash) throw new ForbiddenTargetError('must not contain a # part');
  const plain = url.protocol === 'http:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const name = host.replace(/\.+$/, '');
  const local = name === 'localhost' || name.endsWith('.localhost');
  if (plain && rules.environment !== 'sandbox') throw new ForbiddenTargetError('must be an https address');
  if (isIP(host)) {
    assertAddressAllowed(host, rules, { plain });
    const address = ipaddr.process(host);
    if (rules.environment === 'sandbox' && isLoopback(address)) return url;
  } else {
    if (local && rules.environment === 'sandbox') return url;
    if (plain) throw new ForbiddenTargetError('must be an https address, unless it is localhost');
    const isInside = PRIVATE_NAMES.test(name) || !name.includes('.');
    if (isInside && rules.webhookRanges.length === 0)
      throw new ForbiddenTargetError('must be a name of the public internet');
  }
  const port = Number(url.port || HTTPS_PORT);
  if (port < SYSTEM_PORTS && port !== HTTPS_PORT)
    throw new ForbiddenTargetError('must have port 443, or one from 1024 on');
  return url;
}
