import type { VisitView } from '#contract/visits.ts';

export type Stage = 'early' | 'open' | 'over' | 'canceled';

/** Where a visit stands at an instant (ms): the room opens shortly before the start and closes at the end. */
export function stageOf(visit: Pick<VisitView, 'status' | 'opens_at' | 'to_date'>, now: number): Stage {
  if (visit.status === 'canceled') return 'canceled';
  if (visit.status === 'over' || now >= Date.parse(visit.to_date)) return 'over';
  return now >= Date.parse(visit.opens_at) ? 'open' : 'early';
}
