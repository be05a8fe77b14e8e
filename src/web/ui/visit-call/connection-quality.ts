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
const IN_A_ROW = 3;

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
  let said: LineQuality = 'good';
  let recent: LineQuality[] = [];
  return (sample: QualitySample): LineQuality => {
    recent = [...recent, rateSample(sample)].slice(-IN_A_ROW);
    if (recent.length < IN_A_ROW) return said;
    const ranks = recent.map((quality) => QUALITY_RANK[quality]);
    const [least, most] = [Math.min(...ranks), Math.max(...ranks)];
    if (least > QUALITY_RANK[said]) said = recent.find((quality) => QUALITY_RANK[quality] === least)!;
    if (most < QUALITY_RANK[said]) said = recent.find((quality) => QUALITY_RANK[quality] === most)!;
    return said;
  };
}
