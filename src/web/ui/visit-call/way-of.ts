import type { LineWay } from '#contract/visit-test.ts';

export type Candidate = Pick<RTCIceCandidate, 'type' | 'protocol' | 'address' | 'port' | 'relatedPort'> & {
  /** By which the browser reaches the relay; not every browser says so. */
  relayProtocol?: string | undefined;
};

/**
 * What a browser has found out of its ways. Directly it is reached where packets get out and come back at one address,
 * whoever is spoken to; where its router makes up another address for each, or lets no packets out, by the relay alone.
 */
export function wayOf(found: readonly Candidate[]): LineWay {
  const outside = found.filter(({ type, protocol }) => type === 'srflx' && protocol === 'udp');
  const relayed = found.filter(({ type }) => type === 'relay');
  // A machine that has its outside address itself is told nothing new by the server, so it does not tell us.
  const getsOut = outside.length > 0 || relayed.some(({ relayProtocol }) => relayProtocol === 'udp');
  if (getsOut && !changesAddress(outside)) return 'direct';
  return relayed.length > 0 ? 'relay' : 'none';
}

/** One port inside that is seen as several outside, by several servers. */
function changesAddress(outside: readonly Candidate[]): boolean {
  const seen = new Map<number, string>();
  return outside.some(({ relatedPort, address, port }) => {
    if (!relatedPort) return false;
    const before = seen.get(relatedPort);
    const now = `${address} ${port}`;
    seen.set(relatedPort, now);
    // Of both families of addresses there is one each.
    return before !== undefined && before !== now && before.includes(':') === now.includes(':');
  });
}
