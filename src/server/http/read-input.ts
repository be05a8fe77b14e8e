import type { z } from 'zod';
import { apiError, MOST_NAME_BYTES, notFound, pointerTo, truncate } from '../core/errors.ts';
import type { HttpRequest } from './handler.ts';
import { nulError, parseBody, readText } from './read-json.ts';
import type { Match } from './route-table.ts';

export type Input = {
  values: Record<string, unknown>;
  /** Names that belong to the path or the query, sent or not; an error names the right source by them. */
  parameters: Set<string>;
  /** The body as sent, for the idempotency fingerprint. */
  rawBody: string;
};

/**
 * Merges path, query and body into one input. A name may come from only one of them. A malformed id in the path gets
 * the same error as an unknown id.
 * @throws `not_found`, `unknown_parameter`, `invalid_parameter`
 */
export async function readInput(request: HttpRequest, match: Match): Promise<Input> {
  const { method, path, input } = match.route;
  for (const [name, value] of Object.entries(match.params))
    if (!(input.shape[name] as z.ZodType).safeParse(value).success) throw notFound(resourceAt(path, name));
  const values: Record<string, unknown> = Object.create(null);
  // Without a body, a missing field can only be missing from the query.
  const parameters = new Set<string>(method === 'GET' || method === 'DELETE' ? Object.keys(input.shape) : []);
  for (const key of new Set(request.query.keys())) {
    const name = key.endsWith('[]') ? key.slice(0, -2) : key;
    if (name in match.params || name in values) throw unknown(key, { parameter: key });
    const all = request.query.getAll(key);
    if (all.some((value) => value.includes('\u0000'))) throw nulError({ parameter: key });
    values[name] = key.endsWith('[]') || all.length > 1 ? all : all[0];
    parameters.add(name);
  }
  for (const [name, value] of Object.entries(match.params)) {
    values[name] = value;
    parameters.add(name);
  }
  const rawBody = await readText(request);
  if (rawBody.trim() !== '') {
    for (const [name, value] of Object.entries(parseBody(rawBody, request, match.route.wrapper))) {
      if (name in values || name === '__proto__') throw unknown(name, { pointer: pointerTo([name]) });
      values[name] = value;
    }
  }
  return { values, parameters, rawBody };
}

/** Turns `/patients/{id}/archive`, `id` into `patient`. */
function resourceAt(path: string, name: string): string {
  const [above = '', last = ''] = (path.split(`/{${name}}`)[0] ?? '').split('/').slice(-2);
  const noun = (segment: string) => segment.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('_', ' ');
  // A list nested in another resource takes both names.
  return last === 'unmatched' ? `${last} ${noun(above)}` : noun(last);
}

const unknown = (name: string, source: { parameter: string } | { pointer: string }) =>
  apiError('unknown_parameter', `"${truncate(name, MOST_NAME_BYTES)}" is not known here.`, { source });
