import type { LineWay } from '#contract/visit-test.ts';

export type Candidate = Pick<RTCIceCandidate, 'type' | 'protocol' | 'address' | 'port' | 'relatedPort'> & {
  /** The protocol to the relay; not every browser reports it. */
  relayProtocol?: string | undefined;
};

/**
 * Classifies the candidates of a browser. It can be reached directly if packets get out under one public address for
 * all destinations; if the router maps another address for each destination (symmetric NAT), or lets no packets out,
 * only by the relay.
 */
export function classifyCandidates(found: readonly Candidate[]): LineWay {
  const outside = found.filter(({ type, protocol }) => type === 'srflx' && protocol === 'udp');
  const relayed = found.filter(({ type }) => type === 'relay');
  // A machine with a public address gets no server-reflexive candidate, because it equals the host candidate.
  const getsOut = outside.length > 0 || relayed.some(({ relayProtocol }) => relayProtocol === 'udp');
  if (getsOut && !changesAddress(outside)) return 'direct';
  return relayed.length > 0 ? 'relay' : 'none';
}

/** True if several servers see one local port as different public addresses. */
function changesAddress(outside: readonly Candidate[]): boolean {
  const seen = new Map<number, string>();
  return outside.some(({ relatedPort, address, port }) => {
    if (!relatedPort) return false;
    const before = seen.get(relatedPort);
    const now = `${address} ${port}`;
    seen.set(relatedPort, now);
    // IPv4 and IPv6 have one address each.
    return before !== undefined && before !== now && before.includes(':') === now.includes(':');
  });
}
