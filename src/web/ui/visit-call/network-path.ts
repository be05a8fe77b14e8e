import type { IceServer } from '#contract/visit-call.ts';
import type { LineWay } from '#contract/visit-test.ts';

/** A server that has not responded by then will not. */
const TIMEOUT_MS = 8_000;

/** Determines how this browser can be reached, with our STUN and TURN servers. */
export async function tryWay(servers: IceServer[]): Promise<LineWay> {
  if (servers.length === 0) return 'unknown';
  const connection = new RTCPeerConnection({ iceServers: servers });
  const candidates: RTCIceCandidate[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(resolve, TIMEOUT_MS);
      connection.onicecandidate = ({ candidate }) => {
        if (candidate) candidates.push(candidate);
        else resolve();
      };
      connection.createDataChannel('trial');
      connection.setLocalDescription().catch(reject);
    });
    const protocols = await relayProtocols(connection);
    return classifyCandidates(
      candidates.map(({ type, protocol, address, port, relatedPort }) => ({
        ...{ type, protocol, address, port, relatedPort },
        relayProtocol: protocols.get(port),
      })),
    );
  } finally {
    connection.close();
  }
}

/** The protocol to the relay for each of its ports; only some browsers report it in the statistics. */
async function relayProtocols(connection: RTCPeerConnection): Promise<Map<number | null, string>> {
  const protocols = new Map<number | null, string>();
  for (const report of (await connection.getStats()).values())
    if (report.type === 'local-candidate' && report.candidateType === 'relay')
      protocols.set(report.port, report.relayProtocol);
  return protocols;
}

export type TriedRelay = { works: boolean; tookMs: number };

function descriptionOf({ localDescription }: RTCPeerConnection): RTCSessionDescription {
  if (!localDescription) throw new Error('no local description');
  return localDescription;
}

/**
 * Tests whether two peers in this page can connect through the relay alone, and measures the round trip in
 * milliseconds.
 */
export async function tryRelay(servers: IceServer[]): Promise<TriedRelay> {
  const settings: RTCConfiguration = { iceServers: servers, iceTransportPolicy: 'relay' };
  const [near, far] = [new RTCPeerConnection(settings), new RTCPeerConnection(settings)];
  const channel = near.createDataChannel('trial');
  near.onicecandidate = ({ candidate }) => void far.addIceCandidate(candidate ?? undefined).catch(() => {});
  far.onicecandidate = ({ candidate }) => void near.addIceCandidate(candidate ?? undefined).catch(() => {});
  far.ondatachannel = ({ channel: other }) => {
    other.onmessage = ({ data }) => other.send(data);
  };
  try {
    const roundTrip = new Promise<number>((resolve, reject) => {
      setTimeout(() => reject(new Error('no way through the relay')), TIMEOUT_MS);
      let sentAt = 0;
      channel.onopen = () => {
        sentAt = performance.now();
        channel.send('there and back');
      };
      channel.onmessage = () => resolve(performance.now() - sentAt);
    });
    roundTrip.catch(() => {});
    await near.setLocalDescription();
    await far.setRemoteDescription(descriptionOf(near));
    await far.setLocalDescription();
    await near.setRemoteDescription(descriptionOf(far));
    return { works: true, tookMs: Math.round(await roundTrip) };
  } catch {
    return { works: false, tookMs: 0 };
  } finally {
    near.close();
    far.close();
  }
}

export type Candidate = Pick<RTCIceCandidate, 'type' | 'protocol' | 'address' | 'port' | 'relatedPort'> & {
  /** The protocol to the relay; not every browser reports it. */
  relayProtocol?: string | undefined;
};

/**
 * Classifies the candidates of a browser. It can be reached directly if packets get out under one public address for
 * all destinations; if the router maps another address for each destination (symmetric NAT), or lets no packets out,
 * only by the relay.
 */
export function classifyCandidates(candidates: readonly Candidate[]): LineWay {
  const reflexive = candidates.filter(({ type, protocol }) => type === 'srflx' && protocol === 'udp');
  const relayed = candidates.filter(({ type }) => type === 'relay');
  // A machine with a public address gets no server-reflexive candidate, because it equals the host candidate.
  const getsOut = reflexive.length > 0 || relayed.some(({ relayProtocol }) => relayProtocol === 'udp');
  if (getsOut && !changesAddress(reflexive)) return 'direct';
  return relayed.length > 0 ? 'relay' : 'none';
}

/** True if several servers see one local port as different public addresses. */
function changesAddress(reflexive: readonly Candidate[]): boolean {
  const publicAddresses = new Map<number, string>();
  return reflexive.some(({ relatedPort, address, port }) => {
    if (!relatedPort) return false;
    const before = publicAddresses.get(relatedPort);
    const now = `${address} ${port}`;
    publicAddresses.set(relatedPort, now);
    // IPv4 and IPv6 have one address each.
    return before !== undefined && before !== now && before.includes(':') === now.includes(':');
  });
}
