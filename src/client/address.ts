import { CarelaneApiError } from './carelane-api-error.ts';

type Values = Record<string, unknown>;

/**
 * Fills the values into the path.
 * @throws CarelaneApiError for a missing value, or for `.` and `..`, which would change the path
 */
export function fillPath(path: string, values: Values = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === null || value === '')
      throw new CarelaneApiError('missing_parameter', `${path} needs ${name}.`);
    const text = String(value);
    if (text === '.' || text === '..') throw new CarelaneApiError('invalid_parameter', `${name} is no name.`);
    return encodeURIComponent(text);
  });
}

/**
 * Returns the query string with `?`, or an empty string. Arrays become repeated parameters (`filters[]`); undefined
 * values are omitted.
 */
export function queryOf(values: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one));
  const text = query.toString();
  return text && `?${text}`;
}

/**
 * Returns the query of the next page from the `Link` header (RFC 8288). Only the query is used, because the host may
 * differ behind a proxy.
 */
export function nextQuery(link: string | null): string | null {
  const [, url] = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '') ?? [];
  const at = url?.indexOf('?') ?? -1;
  return url && at >= 0 ? url.slice(at) : null;
}
