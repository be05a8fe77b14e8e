import type { Page } from '#contract/conventions.ts';

/** A record that PostgreSQL has written as JSON. */
export type JsonRow = { id: string; json: string };

const SOURCE = Symbol('the JSON and the ids of the items');
type JsonPage = { [SOURCE]?: { json: string; ids: string[] } };

/**
 * Returns a page whose items are parsed when they are first read: REST sends the JSON as it is, so the items must not be
 * changed.
 */
export function pageOfJson<Item>({ items: rows, ...rest }: Page<JsonRow>): Page<Item> {
  const json = `[${rows.map((row) => row.json).join(',')}]`;
  let items: Item[] | null = null;
  const parse = () => {
    items ??= JSON.parse(json) as Item[];
    return items;
  };
  return Object.defineProperties(rest, {
    items: { enumerable: true, get: parse },
    // Not copied with the page, whose copy may have other items.
    [SOURCE]: { value: { json, ids: rows.map(({ id }) => id) } },
  }) as Page<Item>;
}

/** Returns the items as JSON. */
export const jsonOfItems = (page: Page<unknown>): string =>
  (page as JsonPage)[SOURCE]?.json ?? JSON.stringify(page.items);

/** Returns the ids of the items; null for anything but a page of JSON. */
export const idsOfJson = (page: object): readonly string[] | null => (page as JsonPage)[SOURCE]?.ids ?? null;
