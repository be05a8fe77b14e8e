import { z } from 'zod';
import { DEFAULT_PAGE_SIZE, PARTS, type Page } from '#contract/conventions.ts';
import type { Route } from '#contract/routes.ts';
import { CarelaneError } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import type { Input } from './read-input.ts';

const Parts = z.strictObject(PARTS);
/** The requested page of a list that its procedure returns whole; null for all of it. */
export type ListSlice = { page: number; size: number } | null;

/**
 * Removes `page` and `size` from the input of a list without cursors: its procedure does not accept them.
 * @throws `invalid_parameter`
 */
export function takeListSlice({ list }: Route, { values, parameters }: Input): ListSlice {
  if (list !== 'array' && list !== 'times') return null;
  const { page, size } = values;
  const asked = Parts.safeParse({ page, size });
  if (!asked.success) throw new CarelaneError(fieldErrors(asked.error, parameters, values));
  delete values.page;
  delete values.size;
  if (page === undefined && size === undefined) return null;
  return { page: asked.data.page ?? 1, size: asked.data.size ?? DEFAULT_PAGE_SIZE };
}

export function sliceList<Item>(all: Item[], { page, size }: NonNullable<ListSlice>): Page<Item> {
  const totals = { count: all.length, pages: Math.max(1, Math.ceil(all.length / size)), page };
  return { items: all.slice((page - 1) * size, page * size), next: null, prev: null, totals };
}
