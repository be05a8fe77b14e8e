import { refuse } from '../core/errors.ts';
import type { Match } from './route-table.ts';
import { BodyTooLarge, type DoorRequest } from './wire.ts';

export const BODY_LIMIT_BYTES = 1024 * 1024;
/** Schemas walk a body recursively; no honest body comes near. */
const MOST_LEVELS = 64;

export type Input = {
  values: Record<string, unknown>;
  /** Names that came from the path or the query, so that a fault can say where it lies. */
  parameters: Set<string>;
  /** The body as sent, for the idempotency fingerprint. */
  rawBody: string;
};

/** Path, query and body become one input. A name may come from one of them only. */
export async function readInput(request: DoorRequest, match: Match): Promise<Input> {
  const values: Record<string, unknown> = Object.create(null);
  const parameters = new Set<string>();
  for (const key of new Set(request.query.keys())) {
    const name = key.endsWith('[]') ? key.slice(0, -2) : key;
    if (name in match.params || name in values) throw unknown({ parameter: key });
    const all = request.query.getAll(key);
    if (all.some((value) => value.includes('\u0000'))) throw nul({ parameter: key });
    values[name] = key.endsWith('[]') || all.length > 1 ? all : all[0];
    parameters.add(name);
  }
  for (const [name, value] of Object.entries(match.params)) {
    values[name] = value;
    parameters.add(name);
  }
  const rawBody = await readText(request);
  if (rawBody.trim() !== '') {
    for (const [name, value] of Object.entries(parseBody(rawBody, request, match))) {
      if (name in values || name === '__proto__') throw unknown({ pointer: `/${name}` });
      values[name] = value;
    }
  }
  return { values, parameters, rawBody };
}

const unknown = (source: { parameter: string } | { pointer: string }) =>
  refuse('unknown_parameter', `"${Object.values(source)[0]?.slice(0, 100)}" is not known here.`, { source });
const nul = (source: { parameter: string } | { pointer: string }) =>
  refuse('invalid_parameter', 'Text must not contain NUL characters.', { source });

async function readText(request: DoorRequest): Promise<string> {
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

function parseBody(text: string, request: DoorRequest, { route }: Match): Record<string, unknown> {
  if (route.method === 'GET') throw refuse('malformed_request', 'A GET request takes no body.');
  const type = request.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw refuse('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw refuse('malformed_json', 'The body is not valid JSON.');
  }
  const { wrapper } = route;
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
