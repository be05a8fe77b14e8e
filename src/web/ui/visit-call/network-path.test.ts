import { expect, test } from 'vitest';
import { type Candidate, classifyCandidates } from './network-path.ts';

const host: Candidate = { type: 'host', protocol: 'udp', address: 'a.local', port: 1000, relatedPort: null };
const outside = (port: number, address = '192.0.2.1'): Candidate => ({
  type: 'srflx',
  protocol: 'udp',
  address,
  port,
  relatedPort: 1000,
});
const relay = (relayProtocol?: string): Candidate => ({
  type: 'relay',
  protocol: 'udp',
  address: '198.51.100.1',
  port: 50_000,
  relatedPort: 1000,
  ...(relayProtocol && { relayProtocol }),
});

test.each<[string, Candidate[], string]>([
  ['nothing but itself', [host], 'none'],
  ['no candidate at all', [], 'none'],
  ['an address outside', [host, outside(2000)], 'direct'],
  ['an address outside and a relay', [host, outside(2000), relay('udp')], 'direct'],
  ['a relay by UDP, and its own address is the outside one', [host, relay('udp')], 'direct'],
  ['a relay by TCP', [host, relay('tcp')], 'relay'],
  ['a relay by TLS', [host, relay('tls')], 'relay'],
  ['a relay, of which the browser says no more', [host, relay()], 'relay'],
  ['another address for each server, and a relay', [host, outside(2000), outside(2001), relay('udp')], 'relay'],
  ['another address for each server, and no relay', [host, outside(2000), outside(2001)], 'none'],
  ['the same address twice', [outside(2000), outside(2000)], 'direct'],
  ['an address of each family', [outside(2000), outside(1000, '2001:db8::1')], 'direct'],
])('a browser with %s', (_, candidates, way) => {
  expect(classifyCandidates(candidates)).toBe(way);
});
