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
  ['only a host candidate', [host], 'none'],
  ['no candidates', [], 'none'],
  ['a public address', [host, outside(2000)], 'direct'],
  ['a public address and a relay', [host, outside(2000), relay('udp')], 'direct'],
  ['a relay by UDP, and a public host address', [host, relay('udp')], 'direct'],
  ['a relay by TCP', [host, relay('tcp')], 'relay'],
  ['a relay by TLS', [host, relay('tls')], 'relay'],
  ['a relay without a reported protocol', [host, relay()], 'relay'],
  ['a different address for each server, and a relay', [host, outside(2000), outside(2001), relay('udp')], 'relay'],
  ['a different address for each server, and no relay', [host, outside(2000), outside(2001)], 'none'],
  ['the same public address twice', [outside(2000), outside(2000)], 'direct'],
  ['a public address of each family', [outside(2000), outside(1000, '2001:db8::1')], 'direct'],
])('a browser with %s', (_, candidates, way) => {
  expect(classifyCandidates(candidates)).toBe(way);
});
