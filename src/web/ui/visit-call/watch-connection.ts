import type { QualitySample } from './connection-quality.ts';

const EVERY_MS = 2_000;

export type ConnectionReport = {
  sample: QualitySample;
  path: 'direct' | 'relay' | 'none';
  stats: RTCStatsReport;
};

type Count = { lost: number; got: number };
type Pair = RTCStats & {
  nominated?: boolean;
  state?: string;
  currentRoundTripTime?: number;
  availableOutgoingBitrate?: number;
  localCandidateId?: string;
  remoteCandidateId?: string;
};

/**
 * Samples the connection's statistics every two seconds.
 * @returns a function that stops it
 */
export function watchConnection(peer: RTCPeerConnection, onLook: (look: ConnectionReport) => void): () => void {
  let before: Count = { lost: 0, got: 0 };
  let sentBefore = new Map<string, number>();
  const look = async () => {
    const stats = await peer.getStats();
    const all = [...(stats.values() as IterableIterator<RTCStats & Record<string, unknown>>)];
    const sum = (type: string, name: string) =>
      all.filter((one) => one.type === type).reduce((total, one) => total + Number(one[name] ?? 0), 0);
    const now = { lost: sum('inbound-rtp', 'packetsLost'), got: sum('inbound-rtp', 'packetsReceived') };
    const [lost, got] = [Math.max(0, now.lost - before.lost), now.got - before.got];
    before = now;
    const sent = new Map(
      all.filter((one) => one.type === 'outbound-rtp').map((one) => [one.id, Number(one.packetsSent ?? 0)]),
    );
    // The last report about a video track that is no longer sent says nothing about the connection now.
    const isSent = ({ localId }: Record<string, unknown>) =>
      typeof localId !== 'string' || (sent.get(localId) ?? 0) > (sentBefore.get(localId) ?? 0);
    const out = all
      .filter((one) => one.type === 'remote-inbound-rtp' && isSent(one))
      .map((one) => Number(one.fractionLost ?? 0));
    // Without video the browser does not probe for more bandwidth than the sound needs.
    const isPictured = all.some(
      (one) => one.type === 'outbound-rtp' && one.kind === 'video' && isSent({ localId: one.id }),
    );
    sentBefore = sent;
    const pair = all.find(
      (one) => one.type === 'candidate-pair' && (one as Pair).nominated && one.state === 'succeeded',
    ) as Pair | undefined;
    const kindOf = (id: string | undefined) =>
      id ? (stats.get(id) as { candidateType?: string })?.candidateType : null;
    const isRelayed = [pair?.localCandidateId, pair?.remoteCandidateId].some((id) => kindOf(id) === 'relay');
    onLook({
      sample: {
        lostIn: lost + got > 0 ? lost / (lost + got) : null,
        lostOut: out.length > 0 ? Math.max(...out) : null,
        roundTrip: pair?.currentRoundTripTime ?? null,
        canSend: isPictured ? (pair?.availableOutgoingBitrate ?? null) : null,
      },
      path: !pair ? 'none' : isRelayed ? 'relay' : 'direct',
      stats,
    });
  };
  const timer = setInterval(() => void look().catch(() => undefined), EVERY_MS);
  return () => clearInterval(timer);
}
