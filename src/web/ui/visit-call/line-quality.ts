import type { LineQuality } from '#contract/visit-call.ts';

/** How the line did within one look at it. */
export type LineSample = {
  /** Of what was to arrive here, the part that did not; null where nothing was to come. */
  lostIn: number | null;
  /** The same of what the other side was to get, as it says. */
  lostOut: number | null;
  /** There and back, in seconds. */
  roundTrip: number | null;
  /** What the browser reckons it could send, in bits a second. */
  canSend: number | null;
};

const THIN = { lost: 0.06, roundTrip: 0.6, canSend: 150_000 };
const BROKEN = { lost: 0.3, roundTrip: 2.5 };
/** So many looks in a row: a hiccup is no thin line. */
const IN_A_ROW = 3;

const worst = (...values: (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0));

/** How good the line is at one look. */
export function judgeSample({ lostIn, lostOut, roundTrip, canSend }: LineSample): LineQuality {
  const lost = worst(lostIn, lostOut);
  const delay = worst(roundTrip);
  if (lost >= BROKEN.lost || delay >= BROKEN.roundTrip) return 'broken';
  const isThin = lost >= THIN.lost || delay >= THIN.roundTrip || (canSend !== null && canSend < THIN.canSend);
  return isThin ? 'thin' : 'good';
}

/** The worse, the higher. */
export const RANK: Record<LineQuality, number> = { good: 0, thin: 1, broken: 2 };

/** What is said of the line after each look: worse only when several in a row were, better as soon as as many were. */
export function createJudge() {
  let said: LineQuality = 'good';
  let recent: LineQuality[] = [];
  return (sample: LineSample): LineQuality => {
    recent = [...recent, judgeSample(sample)].slice(-IN_A_ROW);
    if (recent.length < IN_A_ROW) return said;
    const ranks = recent.map((quality) => RANK[quality]);
    const [least, most] = [Math.min(...ranks), Math.max(...ranks)];
    if (least > RANK[said]) said = recent.find((quality) => RANK[quality] === least)!;
    if (most < RANK[said]) said = recent.find((quality) => RANK[quality] === most)!;
    return said;
  };
}
