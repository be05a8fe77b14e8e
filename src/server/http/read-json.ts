import type { z } from 'zod';
import { ERROR_MESSAGES } from '#contract/error-messages.ts';
import { apiError, CarelaneError, pointerTo } from '../core/errors.ts';
import { fieldErrors } from '../core/field-errors.ts';
import { BodyTooLarge, type HttpRequest } from './handler.ts';

const KIB = 1024;
export const LARGE_BODY_BYTES = 1024 * KIB;
/** Limit for unauthenticated requests. */
export const SMALL_BODY_BYTES = 64 * KIB;
/** Schemas walk a body recursively and collect an issue per rejected value; no legitimate body comes close. */
const MAX_LEVELS = 64;
/** Metadata of 16 KiB can have 8,000. */
const MAX_VALUES = 10_000;
const [COMMA, QUOTE, BACKSLASH] = [0x2c, 0x22, 0x5c];

export const nulError = (source: { parameter: string } | { pointer: string }) =>
  apiError('invalid_parameter', 'Text must not contain NUL characters.', {
    people: ERROR_MESSAGES.invalid_parameter,
    source,
  });

export async function readText(request: HttpRequest, limit: number = LARGE_BODY_BYTES): Promise<string> {
  const tooLarge = () => apiError('body_too_large', `The body is larger than ${limit / KIB} KiB.`);
  if (Number(request.header('content-length') ?? 0) > limit) throw tooLarge();
  let bytes: Uint8Array;
  try {
    bytes = await request.body(limit);
  } catch (error) {
    if (error instanceof BodyTooLarge) throw tooLarge();
    throw apiError('malformed_request', 'The request ended before its body did.');
  }
  if (bytes.length === 0) return '';
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw apiError('malformed_request', 'The body is not valid UTF-8.');
  }
}

/** Returns the media type of a body, in lower case. @throws `unsupported_media_type` for a charset other than UTF-8 */
export function mediaTypeOf(request: HttpRequest): string {
  const [type = '', ...parameters] = (request.header('content-type') ?? '').split(';').map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset\s*=/i.test(parameter));
  if (charset && !/^charset\s*=\s*"?utf-?8"?$/i.test(charset))
    throw apiError(
      'unsupported_media_type',
      'The body must be UTF-8: send it so, and no other charset in Content-Type.',
    );
  return type.toLowerCase();
}

/**
 * Parses the body as a JSON object; `wrapper` names a key that may wrap it.
 * @throws `malformed_request`, `malformed_json`, `unsupported_media_type`, `invalid_parameter`
 */
export function parseBody(text: string, request: HttpRequest, wrapper?: string): Record<string, unknown> {
  if (request.method === 'GET') throw apiError('malformed_request', 'A GET request takes no body.');
  if (mediaTypeOf(request) !== 'application/json')
    throw apiError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.');
  if (hasMoreCommas(text, MAX_VALUES))
    throw apiError('malformed_request', `The body has more than ${MAX_VALUES} values.`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw apiError('malformed_json', 'The body is not valid JSON.');
  }
  if (wrapper && isObject(body) && Object.keys(body).length === 1 && isObject(body[wrapper])) body = body[wrapper];
  if (!isObject(body)) throw apiError('malformed_request', 'The body must be a JSON object.');
  if (nestsDeeperThan(body, MAX_LEVELS))
    throw apiError('malformed_request', `The body is nested deeper than ${MAX_LEVELS} levels.`);
  if (text.includes('\\u0000')) {
    const path = findNul(body, []);
    if (path) throw nulError({ pointer: pointerTo(path) });
  }
  return body;
}

/** Validates a body. @throws {CarelaneError} with one error per invalid field, each with a pointer into the body */
export function parseInput<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const { data, error } = schema.safeParse(value);
  if (error) throw new CarelaneError(fieldErrors(error, new Set(), value));
  return data;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nestsDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((child) => nestsDeeperThan(child, levels - 1)));

/**
 * Returns whether more than `max` commas are outside of strings. Runs before the text is parsed: an object of 90,000
 * keys takes a good part of a second to parse and walk, and a few milliseconds to detect.
 */
function hasMoreCommas(text: string, max: number): boolean {
  let remaining = max;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === COMMA && --remaining < 0) return true;
    if (character === QUOTE) at = endOfString(text, at);
  }
  return false;
}

/** Returns the closing quote of the string that begins at `start`, or the text's end. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Returns the path to the first text, or parent of the key, with a NUL character, which PostgreSQL cannot store. */
function findNul(value: unknown, path: string[]): string[] | null {
  if (typeof value === 'string') return value.includes('\u0000') ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    if (key.includes('\u0000')) return path;
    const nulPath = findNul(child, [...path, key]);
    if (nulPath) return nulPath;
  }
  return null;
}
