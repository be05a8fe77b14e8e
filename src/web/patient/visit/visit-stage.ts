import type { VisitView } from '#contract/visits.ts';

export type Stage = 'early' | 'open' | 'over' | 'canceled';

/**
 * The stage of an appointment at an instant (ms): the room opens before the start, and stays open for late patients.
 */
export function stageOf(visit: Pick<VisitView, 'status' | 'opens_at' | 'closes_at'>, now: number): Stage {
  if (visit.status === 'canceled') return 'canceled';
  if (visit.status === 'over' || now >= Date.parse(visit.closes_at)) return 'over';
  return now >= Date.parse(visit.opens_at) ? 'open' : 'early';
}
