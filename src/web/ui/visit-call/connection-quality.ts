import type { LineQuality } from '#contract/visit-call.ts';

/** One sample of the connection's statistics. */
export type QualitySample = {
  /** The fraction (0–1) of expected inbound packets that were lost; null when none were expected. */
  lostIn: number | null;
  /** The fraction (0–1) of outbound packets that were lost, as the other side reports. */
  lostOut: number | null;
  /** Round-trip time in seconds. */
  roundTrip: number | null;
  /** The browser's estimate of the outgoing bandwidth, in bits per second. */
  canSend: number | null;
};

const THIN = { lost: 0.06, roundTrip: 0.6, canSend: 150_000 };
const BROKEN = { lost: 0.3, roundTrip: 2.5 };
/** Samples in a row that change the rating, so that a short glitch does not. */
const SAMPLES_TO_CHANGE = 3;

const worst = (...values: (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));

/** Rates one sample. */
export function rateSample({ lostIn, lostOut, roundTrip, canSend }: QualitySample): LineQuality {
  const lost = worst(lostIn, lostOut);
  const delay = worst(roundTrip);
  if (lost >= BROKEN.lost || delay >= BROKEN.roundTrip) return 'broken';
  const isThin = lost >= THIN.lost || delay >= THIN.roundTrip || (canSend !== null && canSend < THIN.canSend);
  return isThin ? 'thin' : 'good';
}

/** Higher is worse. */
export const QUALITY_RANK: Record<LineQuality, number> = { good: 0, thin: 1, broken: 2 };

/** Returns a function that rates a sequence of samples: the rating changes only when several samples in a row agree. */
export function createQualityRater() {
  let rating: LineQuality = 'good';
  let recent: LineQuality[] = [];
  return (sample: QualitySample): LineQuality => {
    recent = [...recent, rateSample(sample)].slice(-SAMPLES_TO_CHANGE);
    if (recent.length < SAMPLES_TO_CHANGE) return rating;
    const ranks = recent.map((quality) => QUALITY_RANK[quality]);
    const [least, most] = [Math.min(...ranks), Math.max(...ranks)];
    if (least > QUALITY_RANK[rating]) rating = recent.find((quality) => QUALITY_RANK[quality] === least) ?? rating;
    if (most < QUALITY_RANK[rating]) rating = recent.find((quality) => QUALITY_RANK[quality] === most) ?? rating;
    return rating;
  };
}

const SAMPLE_INTERVAL_MS = 2_000;

export type ConnectionReport = {
  sample: QualitySample;
  path: 'direct' | 'relay' | 'none';
  stats: RTCStatsReport;
};

type Count = { lost: number; received: number };
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
export function watchConnection(peer: RTCPeerConnection, onReport: (report: ConnectionReport) => void): () => void {
  let before: Count = { lost: 0, received: 0 };
  let sentBefore = new Map<string, number>();
  const takeSample = async () => {
    const stats = await peer.getStats();
    const all = [...(stats.values() as IterableIterator<RTCStats & Record<string, unknown>>)];
    const sum = (type: string, name: string) =>
      all.filter((report) => report.type === type).reduce((total, report) => total + Number(report[name] ?? 0), 0);
    const now = { lost: sum('inbound-rtp', 'packetsLost'), received: sum('inbound-rtp', 'packetsReceived') };
    const [lost, received] = [Math.max(0, now.lost - before.lost), now.received - before.received];
    before = now;
    const sent = new Map(
      all
        .filter((report) => report.type === 'outbound-rtp')
        .map((report) => [report.id, Number(report.packetsSent ?? 0)]),
    );
    // The last report about a video track that is no longer sent says nothing about the connection now.
    const isSent = ({ localId }: Record<string, unknown>) =>
      typeof localId !== 'string' || (sent.get(localId) ?? 0) > (sentBefore.get(localId) ?? 0);
    const outboundLosses = all
      .filter((report) => report.type === 'remote-inbound-rtp' && isSent(report))
      .map((report) => Number(report.fractionLost ?? 0));
    // Without video the browser does not probe for more bandwidth than the sound needs.
    const sendsVideo = all.some(
      (report) => report.type === 'outbound-rtp' && report.kind === 'video' && isSent({ localId: report.id }),
    );
    sentBefore = sent;
    const pair = all.find(
      (report) => report.type === 'candidate-pair' && (report as Pair).nominated && report.state === 'succeeded',
    ) as Pair | undefined;
    const kindOf = (id: string | undefined) =>
      id ? (stats.get(id) as { candidateType?: string })?.candidateType : null;
    const isRelayed = [pair?.localCandidateId, pair?.remoteCandidateId].some((id) => kindOf(id) === 'relay');
    onReport({
      sample: {
        lostIn: lost + received > 0 ? lost / (lost + received) : null,
        lostOut: outboundLosses.length > 0 ? Math.max(...outboundLosses) : null,
        roundTrip: pair?.currentRoundTripTime ?? null,
        canSend: sendsVideo ? (pair?.availableOutgoingBitrate ?? null) : null,
      },
      path: !pair ? 'none' : isRelayed ? 'relay' : 'direct',
      stats,
    });
  };
  const timer = setInterval(() => void takeSample().catch(() => undefined), SAMPLE_INTERVAL_MS);
  return () => clearInterval(timer);
}
