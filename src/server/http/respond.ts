import type { FreeSlots } from '#contract/availability.ts';
import type { Page } from '#contract/conventions.ts';
import type { ErrorBody } from '#contract/errors.ts';
import type { Feed } from '#contract/events.ts';
import type { Route } from '#contract/routes.ts';
import { type CarelaneError, presentErrors } from '../core/errors.ts';
import type { HttpRequest, HttpResponse } from './handler.ts';
import { type ListSlice, sliceList } from './list-slice.ts';
import { formatMissingDays } from './missing-days.ts';
import { serializeAvailability } from './serialize-availability.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export function respondError(
  error: CarelaneError,
  requestId: string,
  words: { forPeople?: boolean } = {},
): HttpResponse {
  const body: ErrorBody = { errors: presentErrors(error.faults, words), request_id: requestId };
  return {
    status: error.status,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-store', ...error.headers },
    body: JSON.stringify(body),
  };
}

/**
 * Formats a procedure's result as the route declares: an object, an array, or a page with its headers. `at` is the full
 * URL of the request, `part` the requested page of a list that the procedure returns whole.
 */
export function respond(
  route: Route,
  result: unknown,
  { request, baseUrl, at, part }: { request: HttpRequest; baseUrl: string; at: string; part: ListSlice },
): HttpResponse {
  const headers: Record<string, string> = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' };
  if (route.list === 'page') {
    const page = result as Page<unknown>;
    Object.assign(headers, pageHeaders(page, request, at));
    return { status: 200, headers, body: JSON.stringify(page.items) };
  }
  if (route.list === 'feed') {
    const { items, oldest, newest, readThrough, totals } = result as Feed;
    Object.assign(headers, totals && pageHeaders({ items, next: null, prev: null, totals }, request, at), {
      'oldest-sequence': String(oldest),
      'newest-sequence': String(newest),
      'read-through-sequence': String(readThrough),
    });
    return { status: 200, headers, body: JSON.stringify(items) };
  }
  const cut = <Item>(items: Item[]): Item[] => {
    if (!part) return items;
    const page = sliceList(items, part);
    Object.assign(headers, pageHeaders(page, request, at));
    return page.items;
  };
  if (route.list === 'times') {
    const { items, missing } = result as FreeSlots;
    headers['availability-complete'] = String(missing.length === 0);
    if (missing.length > 0) headers['availability-missing'] = formatMissingDays(missing);
    return { status: 200, headers, body: serializeAvailability(cut(items)) };
  }
  if (route.list === 'array') return { status: 200, headers, body: JSON.stringify(cut(result as unknown[])) };
  const status = route.isInProgress?.(result as never) ? 202 : (route.status ?? 200);
  if (status === 201) headers.location = `${baseUrl}${route.path}/${(result as { id: string }).id}`;
  return { status, headers, body: JSON.stringify(result) };
}

function pageHeaders(page: Page<unknown>, request: HttpRequest, url: string): Record<string, string> {
  const headers: Record<string, string> = {};
  const link = (changes: Record<string, string>, rel: string) => {
    const query = new URLSearchParams(request.query);
    for (const key of ['starting_after', 'ending_before', 'page']) query.delete(key);
    for (const [key, value] of Object.entries(changes)) query.set(key, value);
    return `<${url}?${query}>; rel="${rel}"`;
  };
  const links: string[] = [];
  if (page.totals) {
    const { count, pages, page: current } = page.totals;
    headers['total-count'] = String(count);
    headers['total-pages'] = String(pages);
    headers['current-page'] = String(current);
    headers['page-items'] = String(page.items.length);
    if (current < pages) links.push(link({ page: String(current + 1) }, 'next'));
    if (current > 1) links.push(link({ page: String(current - 1) }, 'prev'));
  } else {
    if (page.next !== null) links.push(link({ starting_after: page.next }, 'next'));
    if (page.prev !== null) links.push(link({ ending_before: page.prev }, 'prev'));
  }
  if (page.total) {
    headers['total-count'] = String(page.total.count);
    if (page.total.capped) headers['total-count-capped'] = 'true';
  }
  if (links.length > 0) headers.link = links.join(', ');
  return headers;
}
