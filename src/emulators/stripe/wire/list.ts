import type { Ledger } from '../ledger.ts';
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

/** Returns one page of a collection, newest first, as `{object: 'list', url, has_more, data}`. */
export function listPage<K extends Kind>(
  ledger: Ledger,
  kind: K,
  url: string,
  paging: Paging,
  filter: (object: Collections[K]) => boolean,
): Wire {
  const { page, hasMore } = takePage(ledger, kind, paging, filter);
  return presentList(
    url,
    page.map((object) => present(object, ledger.data)),
    hasMore,
  );
}

/** Stops scanning at the end of the page, so that paging through a long list stays cheap. */
function takePage<K extends Kind>(
  ledger: Ledger,
  kind: K,
  { limit = 10, starting_after, ending_before }: Paging,
  filter: (object: Collections[K]) => boolean,
): { page: Collections[K][]; hasMore: boolean } {
  if (starting_after && ending_before) {
    throw invalidRequest('You may only specify one of these parameters: ending_before, starting_after.');
  }
  const all = ledger.all(kind);
  const page: Collections[K][] = [];
  if (ending_before) {
    const cursor = all.lastIndexOf(ledger.find(kind, ending_before, 'ending_before'));
    for (const object of all.slice(cursor + 1)) {
      if (page.length > limit) break;
      if (filter(object)) page.unshift(object);
    }
    return { page: page.slice(-limit), hasMore: page.length > limit };
  }
  const before = starting_after ? all.lastIndexOf(ledger.find(kind, starting_after, 'starting_after')) : all.length;
  for (const object of all.slice(0, before).reverse()) {
    if (page.length > limit) break;
    if (filter(object)) page.push(object);
  }
  return { page: page.slice(0, limit), hasMore: page.length > limit };
}
