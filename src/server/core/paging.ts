import { DEFAULT_PAGE_SIZE, type Page } from '#contract/conventions.ts';
import { refuse } from './errors.ts';

export type PagingInput = {
  size?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  page?: number | undefined;
};

export const pageSize = (input: PagingInput): number => input.size ?? DEFAULT_PAGE_SIZE;

/** Only one way of paging at a time. */
export function checkPaging(input: PagingInput): void {
  const given = [input.starting_after, input.ending_before, input.page].filter((value) => value !== undefined);
  if (given.length > 1)
    throw refuse('invalid_parameter', 'Use one of starting_after, ending_before and page.', {
      source: { parameter: input.page === undefined ? 'ending_before' : 'page' },
    });
}

/**
 * Makes a page of rows that were read one beyond its size, in the order of travel: for `ending_before` that is
 * backwards, and the page is turned round here.
 */
export function toPage<Row, Item extends { id: string | number }>(
  rows: Row[],
  input: PagingInput,
  present: (row: Row) => Item,
): Page<Item> {
  const size = pageSize(input);
  const more = rows.length > size;
  const kept = rows.slice(0, size);
  const backwards = input.ending_before !== undefined;
  const items = (backwards ? kept.reverse() : kept).map(present);
  const first = items[0];
  const last = items.at(-1);
  const hasNext = backwards ? true : more;
  const hasPrev = backwards ? more : input.starting_after !== undefined || (input.page ?? 1) > 1;
  return {
    items,
    next: hasNext && last ? String(last.id) : null,
    prev: hasPrev && first ? String(first.id) : null,
  };
}

/** Pages a short list that is already in memory, such as a provider's types or plans. */
export function pageOf<Item extends { id: string | number }>(all: Item[], input: PagingInput): Page<Item> {
  checkPaging(input);
  const size = pageSize(input);
  const at = (name: 'starting_after' | 'ending_before') => {
    const index = all.findIndex((item) => String(item.id) === input[name]);
    if (index >= 0) return index;
    throw refuse('invalid_parameter', 'The cursor names nothing in this list.', { source: { parameter: name } });
  };
  let from = ((input.page ?? 1) - 1) * size;
  if (input.starting_after !== undefined) from = at('starting_after') + 1;
  if (input.ending_before !== undefined) from = Math.max(0, at('ending_before') - size);
  const to = input.ending_before === undefined ? from + size : at('ending_before');
  const items = all.slice(from, to);
  return {
    items,
    next: to < all.length && items.length > 0 ? String(items.at(-1)!.id) : null,
    prev: from > 0 && items.length > 0 ? String(items[0]!.id) : null,
    ...(input.page !== undefined && {
      totals: { count: all.length, pages: Math.max(1, Math.ceil(all.length / size)), page: input.page },
    }),
  };
}
