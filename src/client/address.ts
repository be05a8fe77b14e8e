import { CarelaneApiError } from './carelane-api-error.ts';

type Values = Record<string, unknown>;

/** The path with its values in it. @throws CarelaneApiError for a value that is missing, or would lead elsewhere */
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

/** `?…`, or nothing. Arrays are repeated, as `filters[]` is; what is undefined is left out. */
export function queryOf(values: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one));
  const text = query.toString();
  return text && `?${text}`;
}

/** Where the `Link` header (RFC 8288) says that the next page is: its query alone, for the address may be another inside. */
export function nextQuery(link: string | null): string | null {
  const [, url] = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(link ?? '') ?? [];
  const at = url?.indexOf('?') ?? -1;
  return url && at >= 0 ? url.slice(at) : null;
}
