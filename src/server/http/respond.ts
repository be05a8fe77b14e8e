import type { AvailabilityView, FreeSlots } from '#contract/availability.ts';
import type { Page } from '#contract/conventions.ts';
import type { ErrorBody } from '#contract/errors.ts';
import type { Feed } from '#contract/events.ts';
import type { Route } from '#contract/routes.ts';
import { type CarelaneError, presentErrors } from '../core/errors.ts';
import { idsOfJson, jsonOfItems } from '../core/json-page.ts';
import type { HttpRequest, HttpResponse } from './handler.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The requested page of a list that its procedure returns whole; null for all of it. */
export type ListSlice = { page: number; size: number } | null;

export function respondError(
  error: CarelaneError,
  requestId: string,
  options: { forPeople?: boolean } = {},
): HttpResponse {
  const body: ErrorBody = { errors: presentErrors(error.faults, options), request_id: requestId };
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
    return { status: 200, headers, body: jsonOfItems(page) };
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
    headers['page-items'] = String(idsOfJson(page)?.length ?? page.items.length);
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

function sliceList<Item>(all: Item[], { page, size }: NonNullable<ListSlice>): Page<Item> {
  const totals = { count: all.length, pages: Math.max(1, Math.ceil(all.length / size)), page };
  return { items: all.slice((page - 1) * size, page * size), next: null, prev: null, totals };
}

const DAY_MS = 86_400_000;
/** Clients accept headers of 16 kB in total. */
const MAX_MISSING_LENGTH = 6_000;

/** Formats `11/2026-11-23..2026-11-25, 12/2026-11-23`: consecutive days are a range. */
export function formatMissingDays(missing: FreeSlots['missing']): string {
  const sorted = [...missing].sort((a, b) => a.calendar_id - b.calendar_id || (a.day < b.day ? -1 : 1));
  const runs: { calendar: number; first: string; last: string }[] = [];
  for (const { calendar_id: calendar, day } of sorted) {
    const run = runs.at(-1);
    if (run?.calendar === calendar && Date.parse(day) - Date.parse(run.last) === DAY_MS) run.last = day;
    else runs.push({ calendar, first: day, last: day });
  }
  const ranges: string[] = [];
  let length = 0;
  for (const { calendar, first, last } of runs) {
    const range = `${calendar}/${first === last ? first : `${first}..${last}`}`;
    length += range.length + 2;
    if (length > MAX_MISSING_LENGTH) return `${ranges.join(', ')}, ...`;
    ranges.push(range);
  }
  return ranges.join(', ');
}

/**
 * Returns the same text as `JSON.stringify` for a third of the work: within a calendar's thousands of slots only the
 * two instants differ, and those hold no characters that JSON escapes.
 */
export function serializeAvailability(times: AvailabilityView[]): string {
  const rests = new Map<number, string>();
  let text = '';
  for (const time of times) {
    let end = rests.get(time.calendar_id);
    if (end === undefined) {
      const { from_date, to_date, ...rest } = time;
      end = `","${JSON.stringify(rest).slice(2)}`;
      rests.set(time.calendar_id, end);
    }
    text += `${text === '' ? '[' : ','}{"from_date":"${time.from_date}","to_date":"${time.to_date}${end}`;
  }
  return text === '' ? '[]' : `${text}]`;
}
