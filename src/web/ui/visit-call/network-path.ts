import type { IceServer } from '#contract/visit-call.ts';
import type { LineWay } from '#contract/visit-test.ts';
import { classifyCandidates } from './classify-candidates.ts';

/** A server that has not responded by then will not. */
const WITHIN_MS = 8_000;

/** Determines how this browser can be reached, with our STUN and TURN servers. */
export async function tryWay(servers: IceServer[]): Promise<LineWay> {
  if (servers.length === 0) return 'unknown';
  const connection = new RTCPeerConnection({ iceServers: servers });
  const found: RTCIceCandidate[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(resolve, WITHIN_MS);
      connection.onicecandidate = ({ candidate }) => {
        if (candidate) found.push(candidate);
        else resolve();
      };
      connection.createDataChannel('trial');
      connection.setLocalDescription().catch(reject);
    });
    const ways = await relayWays(connection);
    return classifyCandidates(
      found.map(({ type, protocol, address, port, relatedPort }) => ({
        ...{ type, protocol, address, port, relatedPort },
        relayProtocol: ways.get(port),
      })),
    );
  } finally {
    connection.close();
  }
}

/** The protocol to the relay for each of its ports; only some browsers report it in the statistics. */
async function relayWays(connection: RTCPeerConnection): Promise<Map<number | null, string>> {
  const ways = new Map<number | null, string>();
  for (const one of (await connection.getStats()).values())
    if (one.type === 'local-candidate' && one.candidateType === 'relay') ways.set(one.port, one.relayProtocol);
  return ways;
}

export type TriedRelay = { works: boolean; tookMs: number };

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
    const echoed = new Promise<number>((resolve, reject) => {
      setTimeout(() => reject(new Error('no way through the relay')), WITHIN_MS);
      let sentAt = 0;
      channel.onopen = () => {
        sentAt = performance.now();
        channel.send('there and back');
      };
      channel.onmessage = () => resolve(performance.now() - sentAt);
    });
    echoed.catch(() => {});
    await near.setLocalDescription();
    await far.setRemoteDescription(near.localDescription!);
    await far.setLocalDescription();
    await near.setRemoteDescription(far.localDescription!);
    return { works: true, tookMs: Math.round(await echoed) };
  } catch {
    return { works: false, tookMs: 0 };
  } finally {
    near.close();
    far.close();
  }
}
