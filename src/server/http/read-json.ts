import { refuse } from '../core/errors.ts';
import { BodyTooLarge, type DoorRequest } from './wire.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Schemas walk a body recursively; no honest body comes near. */
const MOST_LEVELS = 64;

export const nul = (source: { parameter: string } | { pointer: string }) =>
  refuse('invalid_parameter', 'Text must not contain NUL characters.', { source });

export async function readText(request: DoorRequest): Promise<string> {
  if (Number(request.header('content-length') ?? 0) > BODY_LIMIT_BYTES) throw tooLarge();
  let bytes: Uint8Array;
  try {
    bytes = await request.body(BODY_LIMIT_BYTES);
  } catch (error) {
    if (error instanceof BodyTooLarge) throw tooLarge();
    throw refuse('malformed_request', 'The request ended before its body did.');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('malformed_request', 'The body is not valid UTF-8.');
  }
}

const tooLarge = () => refuse('body_too_large', 'The body is larger than 1 MiB.');

/** The JSON object that a body is; `wrapper` names a key that may stand around it. */
export function parseBody(text: string, request: DoorRequest, wrapper?: string): Record<string, unknown> {
  if (request.method === 'GET') throw refuse('malformed_request', 'A GET request takes no body.');
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw refuse('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refuse('malformed_json', 'The body is not valid JSON.');
  }
  if (wrapper && isObject(body) && Object.keys(body).length === 1 && isObject(body[wrapper])) body = body[wrapper];
  if (!isObject(body)) throw refuse('malformed_request', 'The body must be a JSON object.');
  if (nestsDeeperThan(body, MOST_LEVELS))
    throw refuse('malformed_request', `The body is nested deeper than ${MOST_LEVELS} levels.`);
  if (text.includes('\\u0000')) {
    const pointer = findNul(body, '');
    if (pointer !== null) throw nul({ pointer });
  }
  return body;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nestsDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((child) => nestsDeeperThan(child, levels - 1)));

/** The pointer of the first text or key with a NUL character, which PostgreSQL cannot store. */
function findNul(value: unknown, pointer: string): string | null {
  if (typeof value === 'string') return value.includes('\u0000') ? pointer : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    if (key.includes('\u0000')) return pointer;
    const found = findNul(child, `${pointer}/${key}`);
    if (found !== null) return found;
  }
  return null;
}
