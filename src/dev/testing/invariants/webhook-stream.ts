import type { ReceivedWebhook } from '../webhook-receiver.ts';

/** The sequences that show each fault. */
export type StreamViolations = {
  /** Never arrived, although later events of the same object did. */
  lost: number[];
  /** Arrived under more than one id. */
  twoIds: number[];
  /** First arrived after a later event of the same object. */
  outOfOrder: number[];
  /** Never arrived, nor did any later event of the same object: another object's failure held them up. */
  heldUp: number[];
};

/**
 * W2, W3 and W5 as a receiver sees them. `objects`: the object of each sequence; `poison`: the object whose events are
 * always rejected.
 */
export function streamViolations({
  objects,
  poison,
  got,
  accepted,
}: {
  objects: ReadonlyMap<number, string>;
  poison: string;
  got: readonly ReceivedWebhook[];
  accepted: readonly ReceivedWebhook[];
}): StreamViolations {
  const ids = new Map<number, Set<unknown>>();
  for (const { body, headers } of got) {
    const sequenceIds = ids.get(body.sequence) ?? new Set();
    ids.set(body.sequence, sequenceIds.add(headers['webhook-id']).add(body.id));
  }
  const arrived = [...new Set(accepted.map(({ body }) => body.sequence as number))];
  const newest = new Map<string, number>();
  const outOfOrder = arrived.filter((sequence) => {
    const object = objects.get(sequence)!;
    const isLate = sequence < (newest.get(object) ?? 0);
    newest.set(object, Math.max(sequence, newest.get(object) ?? 0));
    return isLate;
  });
  const missing = [...objects].filter(([sequence, object]) => object !== poison && !arrived.includes(sequence));
  const isPassed = ([sequence, object]: [number, string]) => sequence < (newest.get(object) ?? 0);
  return {
    lost: missing.filter(isPassed).map(([sequence]) => sequence),
    twoIds: [...ids].filter(([, of]) => of.size > 1).map(([sequence]) => sequence),
    outOfOrder,
    heldUp: missing.filter((one) => !isPassed(one)).map(([sequence]) => sequence),
  };
}
