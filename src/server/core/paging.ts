import { DEFAULT_PAGE_SIZE, MAX_COUNTED, type Page } from '#contract/conventions.ts';
import { apiError } from './errors.ts';

export type PagingInput = {
  size?: number | undefined;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  page?: number | undefined;
  with_total?: boolean | undefined;
};

const pageSize = (input: PagingInput): number => input.size ?? DEFAULT_PAGE_SIZE;

const LIST_CHANGED = 'This list has changed. Reload the page to see it as it is now.';

/** Rejects more than one way of paging per request. */
function checkPaging(input: PagingInput): void {
  const cursors = [input.starting_after, input.ending_before, input.page].filter((value) => value !== undefined);
  if (cursors.length > 1)
    throw apiError('invalid_parameter', 'Use one of starting_after, ending_before and page.', {
      people: LIST_CHANGED,
      source: { parameter: input.page === undefined ? 'ending_before' : 'page' },
    });
}

/** The rows to read: direction, number, and the key after which they start. */
export type PageRange<Key> = { backwards: boolean; limit: number; offset: number; beyond: Key | null };

export type Listing<Row, Key> = {
  /** The resource in the singular, for the error of an unknown cursor. */
  what: string;
  /** Returns the sort key of the row that a cursor names; null if the caller has no such row. */
  keyOf(id: string): Promise<Key | null> | Key | null;
  /** For keys that need no lookup: called when there are no rows beyond one, to reject an unknown cursor. */
  isThere?(key: Key): Promise<boolean>;
  read(travel: PageRange<Key>): Promise<Row[]>;
  /** Counts the rows of all pages; called only when a total is requested. `max`: the count may stop there. */
  count(max?: number): Promise<number>;
};

/**
 * Reads a page of a list that the database sorts by a key. The cursor's key bounds the query, so that the thousandth
 * page costs as much as the first. Numbered pages cost as much as they skip.
 * @throws `invalid_parameter`
 */
export async function readPage<Row, Key, Item extends { id: string | number }>(
  input: PagingInput,
  listing: Listing<Row, Key>,
  present: (row: Row) => Item,
): Promise<Page<Item>> {
  checkPaging(input);
  const size = pageSize(input);
  const backwards = input.ending_before !== undefined;
  if (input.page !== undefined) {
    const [rows, count] = await Promise.all([
      listing.read({ backwards, limit: size, offset: (input.page - 1) * size, beyond: null }),
      listing.count(),
    ]);
    const totals = { count, pages: Math.max(1, Math.ceil(count / size)), page: input.page };
    return { ...toPage(rows, input, present), totals };
  }
  const cursor = input.starting_after ?? input.ending_before;
  const beyond = cursor === undefined ? null : await listing.keyOf(cursor);
  if (cursor !== undefined && beyond === null) throw unknownCursor(input, listing.what);
  const [rows, total] = await Promise.all([
    listing.read({ backwards, limit: size + 1, offset: 0, beyond }),
    input.with_total ? countUpToLimit(listing) : null,
  ]);
  if (rows.length === 0 && beyond !== null && listing.isThere && !(await listing.isThere(beyond)))
    throw unknownCursor(input, listing.what);
  return { ...toPage(rows, input, present), ...(total && { total }) };
}

/** Counts one more than the limit, to know whether there are more. */
async function countUpToLimit(
  listing: Pick<Listing<never, never>, 'count'>,
): Promise<{ count: number; capped: boolean }> {
  const count = await listing.count(MAX_COUNTED + 1);
  return { count: Math.min(count, MAX_COUNTED), capped: count > MAX_COUNTED };
}

const unknownCursor = (input: PagingInput, what: string) =>
  apiError('invalid_parameter', `The cursor names no ${what}.`, {
    people: LIST_CHANGED,
    source: { parameter: input.starting_after === undefined ? 'ending_before' : 'starting_after' },
  });

/**
 * Returns the condition for rows beyond an instant and, at the same instant, an id; newest first unless `ascending`.
 * The condition on the instant bounds the index scan, which the OR alone would not.
 */
export function beyondInstant<Column extends string>(
  column: Column,
  { at, id }: { at: Date; id: string },
  ascending: boolean,
) {
  const side = ascending ? 'gt' : 'lt';
  const only = <Value>(name: string, value: Value) => ({ [name]: value }) as { [Name in Column]: Value };
  return {
    ...only(column, { [`${side}e`]: at }),
    OR: [only(column, { [side]: at }), { id: { [side]: id } }],
  };
}

/**
 * Makes a page of rows that were read in order of travel with one more than the page size. For `ending_before` that
 * order is backwards and is reversed here.
 */
function toPage<Row, Item extends { id: string | number }>(
  rows: Row[],
  input: PagingInput,
  present: (row: Row) => Item,
): Page<Item> {
  const size = pageSize(input);
  const more = rows.length > size;
  const pageRows = rows.slice(0, size);
  const backwards = input.ending_before !== undefined;
  const items = (backwards ? pageRows.reverse() : pageRows).map(present);
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

/** Returns a provider's list, whole unless the caller requests a page. */
export const wholeOrPage = <Item extends { id: string | number }>(all: Item[], input: PagingInput): Page<Item> =>
  pageOf(all, input.page === undefined ? { size: Math.max(1, all.length), ...input } : input);

/** Pages a short list in memory, such as a provider's appointment types or plans. @throws `invalid_parameter` */
export function pageOf<Item extends { id: string | number }>(all: Item[], input: PagingInput): Page<Item> {
  checkPaging(input);
  const size = pageSize(input);
  const at = (name: 'starting_after' | 'ending_before') => {
    const index = all.findIndex((item) => String(item.id) === input[name]);
    if (index >= 0) return index;
    throw apiError('invalid_parameter', 'The cursor names nothing in this list.', {
      people: LIST_CHANGED,
      source: { parameter: name },
    });
  };
  let from = ((input.page ?? 1) - 1) * size;
  if (input.starting_after !== undefined) from = at('starting_after') + 1;
  if (input.ending_before !== undefined) from = Math.max(0, at('ending_before') - size);
  const to = input.ending_before === undefined ? from + size : at('ending_before');
  const items = all.slice(from, to);
  const first = items[0];
  const last = items.at(-1);
  return {
    items,
    next: last && to < all.length ? String(last.id) : null,
    prev: first && from > 0 ? String(first.id) : null,
    ...(input.with_total && { total: { count: all.length, capped: false } }),
    ...(input.page !== undefined && {
      totals: { count: all.length, pages: Math.max(1, Math.ceil(all.length / size)), page: input.page },
    }),
  };
}
