import type { EmulatorRequest } from '../core/route.ts';
import { acuityError } from './errors.ts';
import { isDate, isZone } from './zone.ts';

/**
 * Rejects unknown parameters. Acuity ignores them, but then a
 * misspelled filter would return everything and pass a test.
 * @throws ErrorReply `bad_request`
 */
export function rejectUnknown(values: object, allowed: readonly string[]): void {
  const unknown = Object.keys(values).find((key) => !allowed.includes(key));
  if (unknown !== undefined) throw acuityError('bad_request', `Unknown parameter "${unknown}".`);
}

export type Values = Record<string, unknown>;

/** Returns the JSON object of a POST or PUT; an empty body is an empty object. */
export function jsonObject(request: EmulatorRequest): Values {
  const { body, rawBody, headers } = request;
  const isJson = rawBody.length === 0 || (headers['content-type'] ?? '').includes('json');
  if (!isJson || typeof body !== 'object' || body === null || Array.isArray(body)) throw acuityError('bad_request');
  return body as Values;
}

/** Returns the text, or '' when absent or null. Converts numbers to text, as PHP does. */
export function textOf(values: Values, key: string): string {
  const value = values[key];
  if (value === undefined || value === null) return '';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw acuityError('bad_request', `"${key}" must be text.`);
  return value;
}

/** Returns the id as a number, NaN when invalid (so that lookups find nothing), or null when absent. */
export function idOf(values: Values, key: string): number | null {
  const text = textOf(values, key);
  if (text === '') return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

export function flagOf(values: Values, key: string): boolean {
  const value = values[key];
  if (value === undefined || value === '') return false;
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  throw acuityError('bad_request', `"${key}" must be true or false.`);
}

/** Accepts `key[]=1&key[]=2`, `key[0]=1` or a JSON list. */
export function idsOf(values: Values, key: string): number[] {
  const value = values[key];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw acuityError('bad_request', `"${key}" must be a list.`);
  return value.map((_, index) => idOf(value as unknown as Values, String(index)) ?? Number.NaN);
}

export function dateOf(values: Values, key: string): string | null {
  const text = textOf(values, key);
  if (text === '') return null;
  if (!isDate(text)) throw acuityError('bad_request', `"${key}" must be a date.`);
  return text;
}

export function zoneOf(values: Values, fallback: string): string {
  const zone = textOf(values, 'timezone');
  if (zone !== '' && !isZone(zone)) throw acuityError('invalid_timezone', zone);
  return zone || fallback;
}

/** Returns a whole number from 1, or `otherwise` when absent. */
export function maxOf(values: Values, fallback: number): number {
  const max = idOf(values, 'max') ?? fallback;
  if (!(max >= 1)) throw acuityError('bad_request', '"max" must be a positive number.');
  return max;
}
