import type { Ledger } from '../ledger.ts';
import type { StripeObject } from '../objects.ts';
import type { Collections, Kind } from '../state.ts';
import { invalidRequest } from './errors.ts';
import { present, presentList, type Wire } from './present.ts';

interface Paging {
  limit?: number;
  starting_after?: string;
  ending_before?: string;
}

export interface Range {
  gt?: number;
  gte?: number;
  lt?: number;
  lte?: number;
}

export function within(value: number, { gt, gte, lt, lte }: Range = {}): boolean {
  return !(
    value <= (gt ?? -1) ||
    value < (gte ?? 0) ||
    value >= (lt ?? Number.POSITIVE_INFINITY) ||
    value > (lte ?? value)
  );
}

/** One page of a collection, newest first, as `{object: 'list', url, has_more, data}`. */
export function listPage<K extends Kind>(
  ledger: Ledger,
  kind: K,
  url: string,
  paging: Paging,
  keep: (object: Collections[K]) => boolean,
): Wire {
  const all = ledger.all(kind).filter(keep).reverse();
  const { page, hasMore } = cut(all, paging, ledger, kind);
  return presentList(
    url,
    page.map((object) => present(object, ledger.data)),
    hasMore,
  );
}

function cut<T extends StripeObject>(all: T[], paging: Paging, ledger: Ledger, kind: Kind) {
  const { limit = 10, starting_after, ending_before } = paging;
  if (starting_after && ending_before) {
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.');
  }
  if (!starting_after && !ending_before) return { page: all.slice(0, limit), hasMore: all.length > limit };
  const cursor = ledger.find(
    kind,
    (starting_after ?? ending_before)!,
    starting_after ? 'starting_after' : 'ending_before',
  );
  const rank = new Map(ledger.all(kind).map(({ id }, index) => [id, index]));
  const own = rank.get(cursor.id)!;
  const side = all.filter(({ id }) => (starting_after ? rank.get(id)! < own : rank.get(id)! > own));
  return { page: starting_after ? side.slice(0, limit) : side.slice(-limit), hasMore: side.length > limit };
}
